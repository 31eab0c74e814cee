/** Turns zod's issues with a target file into problems that its author can act on. */

import type { z } from 'zod';
import type { Contract } from '../../schemas/requirement.ts';
import { shownKey } from './concealment.ts';
import { type KeyPath, valueAt } from './keys.ts';
import { unknownKeyHint } from './known-keys.ts';
import type { Problem } from './problem.ts';

type Issue = z.core.$ZodIssue;

/** A problem at a path; `part` tells whether the key or its value is wrong. */
export interface Explained extends Problem {
  readonly path: KeyPath;
  readonly part: 'key' | 'value';
}

/** A problem with the value at a path. */
export function wrongValue(path: KeyPath, problem: string, hint: string): Explained {
  return { path, part: 'value', problem, hint };
}

/** The target file that the issues are about. */
export interface Judged {
  readonly contract: Contract;
  /** The parsed file, to quote the offending values. */
  readonly root: unknown;
  /** True for a place whose value must not be shown. */
  readonly isSecret: (path: KeyPath) => boolean;
}

export function explainIssues(judged: Judged, issues: readonly Issue[]): readonly Explained[] {
  return issues.flatMap((issue) => explain(judged, issue, []));
}

function explain(judged: Judged, issue: Issue, outer: KeyPath): readonly Explained[] {
  const path = [
    ...outer,
    ...issue.path.map((step) => (typeof step === 'number' ? step : String(step))),
  ];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      part: 'key',
      problem: 'unknown key',
      hint: unknownKeyHint(judged.contract, [...path, key]),
    }));
  }
  if (issue.code === 'invalid_union') {
    const meant = meantBranch(issue.errors);
    if (meant) return meant.flatMap((inner) => explain(judged, inner, path));
  }
  const value = valueAt(judged.root, path);
  if (value === undefined) {
    const key = String(path.at(-1));
    return [{ path, part: 'key', problem: 'missing', hint: `Add ${key}: ${expected(issue)}.` }];
  }
  const problem = `expected ${expected(issue)}, found ${found(value, judged.isSecret(path))}`;
  const hint = value === null ? 'Fill it in, or take the key out.' : 'Correct the value.';
  return [wrongValue(path, problem, hint)];
}

/** The only alternative of a union with the same outline as the value; undefined when none or several match. */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const meant = branches.filter((issues) =>
    issues.every(
      ({ code, path }) =>
        path.length > 0 || !['invalid_type', 'invalid_value', 'unrecognized_keys'].includes(code),
    ),
  );
  return meant.length === 1 ? meant[0] : undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
};

function expected(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? issue.expected;
    case 'too_small':
      if (issue.origin === 'array') return 'a list of at least one';
      if (issue.origin === 'string') return 'text that is not empty';
      return `${issue.inclusive === true ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'guid' ? 'a UUID' : issue.message;
    case 'invalid_value':
      return issue.values.map(String).join(' or ');
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      break;
  }
  return issue.message;
}

const LONGEST_SHOWN = 60;

function found(value: unknown, secret: boolean): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') {
    const keys = Object.keys(value);
    return keys.length === 0
      ? 'an empty mapping'
      : `a mapping with ${keys.map(shownKey).join(', ')}`;
  }
  if (secret) return typeof value === 'string' ? 'text' : `a ${typeof value}`;
  const shown = JSON.stringify(value);
  const short = shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown;
  return typeof value === 'string' ? `text ${short}` : `${typeof value} ${short}`;
}
