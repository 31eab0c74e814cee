/** Reads a target file: YAML, variables, schema and consistency. Returns the names of keys, and their secrets separately. */

import { dirname, parse, resolve } from 'node:path';
import { isMap } from 'yaml';
import type { PlannedTarget } from '../runner/selection.ts';
import { contractOf } from './index.ts';
import type { Contract } from '../../schemas/requirement.ts';
import {
  holdsKey,
  keyName,
  type KeyPath,
  keyPathText,
  type Keyring,
  keySecret,
  revealedKeys,
  type Secret,
  sharedKeys,
  tokenProblem,
} from '../target/keys.ts';
import {
  type Problem,
  readTextFile,
  refuse,
  TargetFileError,
  type TargetProblem,
  unreadableFile,
} from '../target/problem.ts';
import { connectionProblems, takeHeaders } from '../target/headers.ts';
import { isLoopback } from '../exchange/exchange.ts';
import {
  expandVariables,
  type Expansion,
  mayBeSecret,
  shownVariable,
} from '../target/concealment.ts';
import { YamlSource } from '../target/yaml-source.ts';
import { DEFAULT_REQUESTS_PER_SECOND, type Target, type TargetFile } from '../../schemas/target.ts';
import { contractNames } from '../../schemas/contracts.ts';
import { type Explained, explainIssues, wrongValue } from '../target/explain-issue.ts';

/** A valid base URL without trailing slash, or the problem with it, which never repeats the URL. */
export function readBaseUrl(
  contract: Contract,
  text: string,
): { readonly url: URL; readonly baseUrl: string } | Problem {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const { address } = contractOf(contract);
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return { problem: 'not an http or https URL', hint: `Write it as in ${address.example}.` };
  }
  if (url.username !== '' || url.password !== '') {
    return {
      problem: 'a base URL must not carry a user name or password',
      hint: 'Take them out; keys go under keys and are sent as bearer tokens.',
    };
  }
  if (url.search !== '' || url.hash !== '') {
    return {
      problem: 'a base URL must not have a query or a fragment',
      hint: 'End it with the path.',
    };
  }
  const path = url.pathname.replace(/\/+$/u, '');
  const wrong = address.problem(path);
  if (wrong !== undefined) {
    const served = path.endsWith('/v1')
      ? ''
      : ', or the address under which the deployment serves /v1';
    return { problem: wrong.problem, hint: `Write ${url.origin}${wrong.right}${served}.` };
  }
  return { url, baseUrl: `${url.origin}${path}` };
}

/** Replaces every `${NAME}` in the values. `fromEnvironment` has the paths, as text, of the values with a variable. */
function fillIn(source: YamlSource, environment: NodeJS.ProcessEnv) {
  const problems: Explained[] = [];
  const fromEnvironment = new Set<string>();
  for (const { path, node } of source.scalars) {
    if (typeof node.value !== 'string') continue;
    const expansion = expandVariables(node.value, environment);
    if (!expansion.any) continue;
    fromEnvironment.add(keyPathText(path));
    node.value = expansion.text;
    problems.push(...variableProblems(path, expansion));
  }
  return { problems, fromEnvironment };
}

function variableProblems(
  path: KeyPath,
  { missing, empty, misnamed }: Expansion,
): readonly Explained[] {
  const says = (
    names: readonly string[],
    problem: (name: string) => string,
    hint: (name: string) => string,
  ): readonly Explained[] =>
    names.map(shownVariable).map((name) => wrongValue(path, problem(name), hint(name)));
  return [
    ...says(
      missing,
      (name) => `the environment has no ${name}`,
      (name) => `Set it, as in: export ${name}=…`,
    ),
    ...says(
      empty,
      (name) => `the environment variable ${name} is empty`,
      () => 'Set it, or take the line out: what needs it is then not exercised.',
    ),
    ...says(
      misnamed,
      (inner) => `\${${inner}} names no environment variable`,
      () => 'Write ${NAME} with letters, digits and _ only; there are no default values.',
    ),
  ];
}

/** Replaces every key by its name. Off loopback a literal key is an error, since target files are meant to be committed. */
function takeKeys(
  source: YamlSource,
  contract: Contract,
  fromEnvironment: ReadonlySet<string>,
  mayBeWrittenOut: boolean,
) {
  const keys = new Map<string, Secret>();
  const problems: Explained[] = [];
  for (const { path, node } of source.scalars) {
    const value = node.value;
    if (!holdsKey(path) || typeof value !== 'string' || value === '') continue;
    const name = keyName(path);
    const complaint = tokenProblem(value);
    if (complaint !== undefined) problems.push(wrongValue(path, complaint, 'Give the bare key.'));
    if (!mayBeWrittenOut && !fromEnvironment.has(keyPathText(path))) {
      const variable = `${contract}_key_${name.replace(/\W+/gu, '_').replace(/_$/u, '')}`;
      const problem = 'a key must not be written out in the file of a target elsewhere';
      const hint = `Write \${${variable.toUpperCase()}} and set that variable.`;
      problems.push(wrongValue(path, problem, hint));
    }
    keys.set(name, keySecret(name, value));
    node.value = name;
  }
  return { keys, problems };
}

/** Reads a target file from disk. Throws `TargetFileError`. */
export async function loadTarget(
  file: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<PlannedTarget> {
  const read = readTextFile(file);
  if ('text' in read) return parseTarget(read.text.replace(/^\uFEFF/u, ''), file, environment);
  throw unreadableFile(file, read.problem, 'Name a target file; plumbline init writes one.');
}

/**
 * Reads a target file in memory; `file` names it in messages. An `uncommitted` one may contain literal keys for any
 * deployment. Throws `TargetFileError`.
 */
export function parseTarget(
  text: string,
  file: string,
  environment: NodeJS.ProcessEnv = process.env,
  uncommitted = false,
): PlannedTarget {
  const source = new YamlSource(file, text);
  refuseInOrder(file, source.problems);
  const { fromEnvironment, problems } = fillIn(source, environment);
  const contract = readContract(source);
  const base = readBaseUrl(contract, textAt(source, 'baseUrl') ?? '');
  const mayHoldKeys = uncommitted || !('url' in base) || isLoopback(base.url);
  const headers = takeHeaders(source, fromEnvironment);
  const taken = takeKeys(source, contract, fromEnvironment, mayHoldKeys);
  const root: unknown = source.document.toJS();
  const isSecret = (at: KeyPath): boolean =>
    mayBeSecret(at) || fromEnvironment.has(keyPathText(at));
  const judged = contractOf(contract).targetFile.safeParse(root, {
    reportInput: true,
  });
  const badForm = explainIssues({ contract, root, isSecret }, judged.error?.issues ?? []);
  const badUrl = 'url' in base ? [] : [wrongValue(['baseUrl'], base.problem, base.hint)];
  const placed = (explained: readonly Explained[]): readonly TargetProblem[] =>
    explained.map((one) => source.problemAt(one.path, one.part, one.problem, one.hint));
  refuseInOrder(file, placed([...problems, ...taken.problems, ...badForm, ...badUrl]));
  if (!judged.success || !('url' in base)) throw new Error(`${file}: refused without a problem`);
  const target = complete(judged.data, base.url, base.baseUrl, file);
  const folder = dirname(resolve(file));
  const secrets = { ...revealedKeys(taken.keys), ...headers };
  refuseInOrder(
    file,
    placed([
      ...connectionProblems(target, secrets, folder),
      ...keysUsedTwice(taken.keys),
      ...contractOf(contract).contradictions(target, taken.keys),
    ]),
  );
  return { target, secrets, folder };
}

/** Problems with roles that share a key: the suite would attribute the behaviour of one role to the other. */
function keysUsedTwice(keys: Keyring): readonly Explained[] {
  return sharedKeys(keys).map(([later, earlier]) => {
    const [, list, index] = /^(.*)\[(\d+)\]$/u.exec(later) ?? [];
    const path = ['keys', ...(list === undefined ? [later] : [list, Number(index)])];
    const hint = 'Use another key, or leave this one out: what needs it is then not exercised.';
    return wrongValue(path, `the same key as keys.${earlier}`, hint);
  });
}

/** Throws if there are problems, in the order of the file and with one problem per key. */
function refuseInOrder(file: string, problems: readonly TargetProblem[]): void {
  const byKey = new Map<string, TargetProblem>();
  for (const problem of problems) {
    const same = problem.key === '' ? `line ${problem.line}` : problem.key;
    if (!byKey.has(same)) byKey.set(same, problem);
  }
  refuse(
    file,
    [...byKey.values()].toSorted(
      (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
    ),
  );
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
  throw new TargetFileError(source.file, [wrong]);
}

function complete(target: TargetFile, url: URL, baseUrl: string, file: string): Target {
  const loopback = isLoopback(url);
  const pace =
    target.budget.requestsPerSecond ?? (loopback ? 'unlimited' : DEFAULT_REQUESTS_PER_SECOND);
  return {
    ...target,
    baseUrl,
    // On loopback the port, and so the host, changes from run to run.
    name: target.name ?? (loopback ? parse(file).name : url.host),
    budget: { ...target.budget, requestsPerSecond: pace === 'unlimited' ? Infinity : pace },
  };
}
