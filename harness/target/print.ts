/** Prints a target as the file that describes it. */

import { Document, isCollection, isMap, isPair, isScalar } from 'yaml';

/** What each part is for, as a comment above it. */
const comments: Readonly<Record<string, string>> = {
  name: ' Names the target in reports.',
  keys: ' API keys. In the file of a deployment elsewhere write ${NAME}, and set that variable.',
  bindings:
    ' How the deployment does what the contract leaves open; paths are relative to baseUrl.',
  instances: ' Instances with a role. What provision makes or lists may be stopped and destroyed.',
  models: ' Models with a role, behind the scripted backend unless said otherwise.',
  limits: ' Settings of the deployment that its answers depend on.',
  backend: ' Where the agents of the deployment find the scripted backend.',
  hooks: ' Commands that bring a condition about; they run in the folder of this file.',
  consent: ' What the suite may do here beside reading. Everything is off unless it is true.',
  budget: ' How much the suite may ask of the deployment.',
};

/** The longest collection, as printed on one line, that is kept on one line. */
const ONE_LINE = 90;

/**
 * A target file as commented YAML, which `parseTarget` reads back. Pure; the object is a target file as an
 * author would write it, so what stands under `keys` is printed as it is.
 */
export function asTargetFile(target: object): string {
  const document = new Document(target);
  const root = document.contents;
  if (!isMap(root)) throw new TypeError('a target is an object');
  for (const [index, pair] of root.items.entries()) {
    if (!isScalar(pair.key)) continue;
    const comment = comments[String(pair.key.value)];
    if (comment === undefined) continue;
    pair.key.commentBefore = comment;
    pair.key.spaceBefore = index > 0;
  }
  for (const pair of root.items) layOut(pair.value, true);
  return document.toString({ lineWidth: 0 });
}

/** Small inner collections stand on one line, as people write them. */
function layOut(node: unknown, outermost: boolean): void {
  if (!isCollection(node)) return;
  const small = JSON.stringify(node).length <= ONE_LINE;
  if (small && !(outermost && isMap(node) && node.items.length > 1)) {
    node.flow = true;
    return;
  }
  for (const item of node.items) layOut(isPair(item) ? item.value : item, false);
}
