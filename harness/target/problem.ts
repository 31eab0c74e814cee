/** Problems with a target file, written for its author. */

import { readFileSync } from 'node:fs';
import { codeOrMessage } from '../exchange/exchange.ts';

/** A problem, and what to do about it. */
export interface Problem {
  readonly problem: string;
  readonly hint: string;
}

/** A problem in the file; lines and columns count from 1, and are undefined for a problem with the whole file. */
export interface TargetProblem extends Problem {
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The key, such as `keys.primary`; empty when the problem concerns no key. */
  readonly key: string;
  /** The offending line, with everything secret masked. */
  readonly excerpt: string | undefined;
}

/** Thrown for an unusable target file, with every problem found. It contains no secret. */
export class TargetFileError extends Error {
  override name = 'TargetFileError';
  readonly file: string;
  readonly problems: readonly TargetProblem[];

  constructor(file: string, problems: readonly TargetProblem[]) {
    super(problems.map((one) => problemText(file, one)).join('\n\n'));
    this.file = file;
    this.problems = problems;
  }
}

/** Throws when there are problems. */
export function refuse(file: string, problems: readonly TargetProblem[]): void {
  if (problems.length > 0) throw new TargetFileError(file, problems);
}

function problemText(file: string, one: TargetProblem): string {
  const where = [file, one.line, one.column].filter((part) => part !== undefined).join(':');
  const key = one.key === '' ? '' : `${one.key}: `;
  return [`${where}: ${key}${one.problem}`, ...excerptLines(one), `  ${one.hint}`].join('\n');
}

function excerptLines(one: TargetProblem): readonly string[] {
  if (one.excerpt === undefined || one.line === undefined || one.column === undefined) return [];
  const number = String(one.line);
  const margin = ' '.repeat(number.length);
  return [`  ${number} | ${one.excerpt}`, `  ${margin} | ${' '.repeat(one.column - 1)}^`];
}

/** The text of a file, or why it cannot be read. Invalid UTF-8 is an error, so that no key changes silently. */
export function readTextFile(
  file: string,
): { readonly text: string } | { readonly problem: string } {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(readFileSync(file)) };
  } catch (error) {
    const code = codeOrMessage(error);
    const known: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EISDIR: 'this is a folder',
      ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not a text in UTF-8',
    };
    return { problem: known[code] ?? `it cannot be read (${code})` };
  }
}

/** The error for a file that could not be read. */
export function unreadableFile(file: string, problem: string, hint: string): TargetFileError {
  const noPosition = { line: undefined, column: undefined, excerpt: undefined };
  return new TargetFileError(file, [{ ...noPosition, key: '', problem, hint }]);
}
