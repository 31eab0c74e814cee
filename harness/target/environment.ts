/** Puts the environment into a target file and takes the keys out of it. */

import type { Contract } from '../../schemas/requirement.ts';
import { type KeyPath, keyPathText } from './key-path.ts';
import { holdsKey, keyName, keySecret, tokenProblem } from './keyring.ts';
import type { TargetProblem } from './problem.ts';
import type { Secret } from './secret.ts';
import { type Expansion, expandVariables, shownVariable } from './variables.ts';
import type { YamlSource } from './yaml-source.ts';

/** What the environment said. */
export interface Filled {
  readonly problems: readonly TargetProblem[];
  /** Paths, as text, of the values that came from the environment, wholly or in part. */
  readonly fromEnvironment: ReadonlySet<string>;
}

/** Replaces every `${NAME}` in the values of the document. */
export function fillIn(source: YamlSource, environment: NodeJS.ProcessEnv): Filled {
  const problems: TargetProblem[] = [];
  const fromEnvironment = new Set<string>();
  for (const { path, node } of source.scalars) {
    if (typeof node.value !== 'string') continue;
    const expansion = expandVariables(node.value, environment);
    if (!expansion.any) continue;
    fromEnvironment.add(keyPathText(path));
    node.value = expansion.text;
    problems.push(...variableProblems(source, path, expansion));
  }
  return { problems, fromEnvironment };
}

function variableProblems(
  source: YamlSource,
  path: KeyPath,
  { missing, empty, misnamed }: Expansion,
): readonly TargetProblem[] {
  return [
    ...missing.map((name) =>
      source.problemAt(
        path,
        'value',
        `the environment has no ${shownVariable(name)}`,
        `Set it, as in: export ${shownVariable(name)}=…`,
      ),
    ),
    ...empty.map((name) =>
      source.problemAt(
        path,
        'value',
        `the environment variable ${shownVariable(name)} is empty`,
        'Set it, or take the line out: what needs it is then not exercised.',
      ),
    ),
    ...misnamed.map((inner) =>
      source.problemAt(
        path,
        'value',
        `\${${shownVariable(inner)}} names no environment variable`,
        'Write ${NAME} with letters, digits and _ only; there are no default values.',
      ),
    ),
  ];
}

/** The keys that were taken out, and what is wrong with some. */
export interface Taken {
  readonly keys: ReadonlyMap<string, Secret>;
  readonly problems: readonly TargetProblem[];
}

/**
 * Puts a name in the place of every key. A key that is written out is refused unless the target is on loopback:
 * target files are meant to be committed.
 */
export function takeKeys(
  source: YamlSource,
  contract: Contract,
  fromEnvironment: ReadonlySet<string>,
  mayBeWrittenOut: boolean,
): Taken {
  const keys = new Map<string, Secret>();
  const problems: TargetProblem[] = [];
  for (const { path, node } of source.scalars) {
    const value = node.value;
    if (!holdsKey(path) || typeof value !== 'string' || value === '') continue;
    const name = keyName(path);
    const complaint = tokenProblem(value);
    if (complaint !== undefined) {
      problems.push(source.problemAt(path, 'value', complaint, 'Give the bare key.'));
    }
    if (!mayBeWrittenOut && !fromEnvironment.has(keyPathText(path))) {
      const variable = `${contract}_key_${name.replace(/\W+/gu, '_').replace(/_$/u, '')}`;
      problems.push(
        source.problemAt(
          path,
          'value',
          'a key must not be written out in the file of a target elsewhere',
          `Write \${${variable.toUpperCase()}} and set that variable.`,
        ),
      );
    }
    keys.set(name, keySecret(name, value));
    node.value = name;
  }
  return { keys, problems };
}
