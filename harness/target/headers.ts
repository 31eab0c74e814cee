/** Headers and certificates of a target file: values from the environment are secrets, and files must be readable. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import type { TargetFile } from '../../schemas/target.ts';
import { messageOf } from '../exchange/exchange.ts';
import { type Explained, wrongValue } from './explain-issue.ts';
import { keyPathText } from './keys.ts';
import type { YamlSource } from './yaml-source.ts';

/** The name that replaces the secret value of a header in a target. */
export function headerSecretName(header: string): string {
  return `header:${header}`;
}

/** Replaces every header value from the environment by a name, and returns the values by name. */
export function takeHeaders(
  source: YamlSource,
  fromEnvironment: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const taken: Record<string, string> = {};
  for (const { path: at, node } of source.scalars) {
    const [place, header] = at;
    if (place !== 'headers' || at.length !== 2 || typeof node.value !== 'string') continue;
    if (!fromEnvironment.has(keyPathText(at))) continue;
    const name = headerSecretName(String(header));
    taken[name] = node.value;
    node.value = name;
  }
  return taken;
}

/** Headers that the suite itself sets, or that control the connection. */
const ownHeaders =
  /^(?:authorization|host|content-length|content-type|transfer-encoding|connection|upgrade|te|trailer)$/iu;

/** Why a header cannot be sent with every request, or undefined. Never repeats its value. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^`|~\w-]+$/u.test(name)) return 'this is not the name of a header';
  if (ownHeaders.test(name)) return 'the suite sets this header itself';
  if (value.trim() !== value || value === '')
    return 'the value is empty, or begins or ends with a space';
  return /^[\u0020-\u007E]*$/u.test(value)
    ? undefined
    : 'the value has a line break or a character that no header can carry';
}

/** The contents of the PEM files of a target file. Throws when one cannot be read. */
export function certificatesOf(
  { tls = {} }: Pick<TargetFile, 'tls'>,
  folder: string,
): NonNullable<TargetFile['tls']> {
  return Object.fromEntries(
    Object.entries(tls).map(([name, file]) => [
      name,
      file === undefined ? undefined : readFileSync(path.resolve(folder, file), 'utf8'),
    ]),
  );
}

/** The problems with the headers and certificates of a target. */
export function connectionProblems(
  target: Pick<TargetFile, 'tls' | 'headers'>,
  secrets: Readonly<Record<string, string>>,
  folder: string,
): readonly Explained[] {
  const headers = Object.entries(target.headers ?? {}).flatMap(([name, value]) => {
    const problem = headerProblem(name, secrets[value] ?? value);
    const hint = 'Write Name: value, in plain ASCII; a key goes under keys.';
    return problem === undefined ? [] : [wrongValue(['headers', name], problem, hint)];
  });
  const { ca, cert, key } = target.tls ?? {};
  const files = [
    ...unusable('ca', { ca }, folder),
    ...(cert === undefined && key === undefined ? [] : unusable('cert', { cert, key }, folder)),
  ];
  return [...headers, ...files];
}

function unusable(
  name: string,
  tls: NonNullable<TargetFile['tls']>,
  folder: string,
): readonly Explained[] {
  try {
    const read = certificatesOf({ tls }, folder);
    if (name === 'cert' && (read.cert === undefined || read.key === undefined)) {
      throw new Error('cert and key belong together');
    }
    createSecureContext(read);
    return [];
  } catch (error) {
    const hint = 'Name PEM files, seen from the folder of the target file.';
    return [wrongValue(['tls', name], messageOf(error), hint)];
  }
}
