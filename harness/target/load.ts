/** Reads a target file: YAML, environment, form, sense. Keys come out as names, their secrets apart. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isMap } from 'yaml';
import type { Contract } from '../../schemas/requirement.ts';
import { DEFAULT_REQUESTS_PER_SECOND, type Target, type TargetFile } from '../../schemas/target.ts';
import { contractNames } from '../../schemas/contracts.ts';
import { isLoopback, readBaseUrl } from './base-url.ts';
import { mayBeSecret } from './concealment.ts';
import { fillIn, takeKeys } from './environment.ts';
import { type Explained, explainIssues } from './explain-issue.ts';
import { type KeyPath, keyPathText } from './key-path.ts';
import { type Keyring, sharedKeys } from './keyring.ts';
import { contractOf } from '../contracts.ts';
import { TargetFileError, type TargetProblem } from './problem.ts';
import { YamlSource } from './yaml-source.ts';

export interface LoadedTarget {
  /** The file as it was named, for messages. */
  readonly file: string;
  /** Absolute folder of the file: hooks and commands run there. */
  readonly folder: string;
  readonly target: Target;
  /** The secrets, by the names that the target's `keys` hold. */
  readonly keys: Keyring;
}

/** Reads a target file from disk. Throws `TargetFileError`. */
export async function loadTarget(
  file: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<LoadedTarget> {
  return parseTarget(await readText(file), file, environment);
}

/** Reads a target file that is in memory; `file` names it in messages. Throws `TargetFileError`. */
export function parseTarget(
  text: string,
  file: string,
  environment: NodeJS.ProcessEnv = process.env,
): LoadedTarget {
  const source = new YamlSource(file, text);
  refuse(file, source.problems);
  const { fromEnvironment, problems } = fillIn(source, environment);
  const contract = readContract(source);
  const base = readBaseUrl(contract, textAt(source, 'baseUrl') ?? '');
  const elsewhere = 'url' in base && !isLoopback(base.url);
  const taken = takeKeys(source, contract, fromEnvironment, !elsewhere);
  const root: unknown = source.document.toJS();
  const isSecret = (at: KeyPath): boolean =>
    mayBeSecret(at) || fromEnvironment.has(keyPathText(at));
  const judged = contractOf(contract).targetFile.safeParse(root, {
    reportInput: true,
  });
  const badForm = explainIssues({ contract, root, isSecret }, judged.error?.issues ?? []);
  const badUrl = 'url' in base ? [] : [{ path: ['baseUrl'], part: 'value' as const, ...base }];
  const placed = (explained: readonly Explained[]): readonly TargetProblem[] =>
    explained.map((one) => source.problemAt(one.path, one.part, one.problem, one.hint));
  refuse(file, [...problems, ...taken.problems, ...placed(badForm), ...placed(badUrl)]);
  if (!judged.success || !('url' in base)) throw new Error(`${file}: refused without a problem`);
  const target = complete(judged.data, base.url, base.baseUrl, file);
  refuse(
    file,
    placed([
      ...keysUsedTwice(taken.keys),
      ...contractOf(contract).contradictions(target, taken.keys),
    ]),
  );
  return {
    file,
    folder: path.dirname(path.resolve(file)),
    target,
    keys: taken.keys,
  };
}

/** Two roles with one key: what is learned of one would be blamed on the other. */
function keysUsedTwice(keys: Keyring): readonly Explained[] {
  return sharedKeys(keys).map(([later, earlier]) => {
    const [, list, index] = /^(.*)\[(\d+)\]$/u.exec(later) ?? [];
    return {
      path: ['keys', ...(list === undefined ? [later] : [list, Number(index)])],
      part: 'value',
      problem: `the same key as keys.${earlier}`,
      hint: 'Use another key, or leave this one out: what needs it is then not exercised.',
    };
  });
}

async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const problem =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'this is a folder'
          : code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
            ? 'not a text file in UTF-8'
            : `cannot be read (${String(code ?? error)})`;
    throw new TargetFileError(file, {
      line: undefined,
      column: undefined,
      key: '',
      problem,
      hint: 'Name a target file; plumbline init writes one.',
      excerpt: undefined,
    });
  }
}

/** Throws when there are problems: all of them in the order of the file, but one for each key. */
function refuse(file: string, problems: readonly TargetProblem[]): void {
  const byKey = new Map<string, TargetProblem>();
  for (const problem of problems) {
    const same = problem.key === '' ? `line ${problem.line}` : problem.key;
    if (!byKey.has(same)) byKey.set(same, problem);
  }
  const [first, ...others] = [...byKey.values()].toSorted(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
  if (first) throw new TargetFileError(file, first, ...others);
}

function textAt(source: YamlSource, key: string): string | undefined {
  const value = source.scalars.find(({ path: at }) => keyPathText(at) === key)?.node.value;
  return typeof value === 'string' ? value : undefined;
}

function readContract(source: YamlSource): Contract {
  const root = source.document.contents;
  const hint = `Write ${contractNames.map((name) => `contract: ${name}`).join(' or ')}.`;
  if (root === null)
    refuse(source.file, [source.problemAt([], 'value', 'the file is empty', hint)]);
  if (!isMap(root)) {
    refuse(source.file, [source.problemAt([], 'value', 'expected keys and their values', hint)]);
  }
  const text = textAt(source, 'contract');
  if (text !== undefined && contractNames.includes(text)) return text;
  const missing = isMap(root) && !root.has('contract');
  const problem = missing ? 'missing' : `expected ${contractNames.join(' or ')}`;
  const wrong = source.problemAt(['contract'], 'value', problem, hint);
  throw new TargetFileError(source.file, wrong);
}

function complete(target: TargetFile, url: URL, baseUrl: string, file: string): Target {
  const loopback = isLoopback(url);
  const pace =
    target.budget.requestsPerSecond ?? (loopback ? 'unlimited' : DEFAULT_REQUESTS_PER_SECOND);
  return {
    ...target,
    baseUrl,
    // Ports on loopback change from run to run, and with them the host.
    name: target.name ?? (loopback ? path.parse(file).name : url.host),
    budget: { ...target.budget, requestsPerSecond: pace === 'unlimited' ? Infinity : pace },
  };
}
