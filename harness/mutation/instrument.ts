/**
 * Makes a copy of the compiled project in which the reference holds every mutant at once, each behind a switch.
 * StrykerJS makes the mutants; it does not run them, because a whole suite in a process for each would take days.
 */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Instrumenter } from '@stryker-mutator/instrumenter';

/** One small change of the reference. */
export interface Mutant {
  /** The switch: of this copy alone. */
  readonly id: string;
  /** From `harness/reference/compute/`, as in `rules/paging.js`. */
  readonly file: string;
  /** In the compiled file, from 1. */
  readonly line: number;
  /** The line as it is. */
  readonly original: string;
  readonly mutator: string;
  /** What stands in the place of what was there, shortened. */
  readonly replacement: string;
}

export interface Mutated {
  /** Root of the copy, in the form of `dist/`. */
  readonly folder: string;
  readonly mutants: readonly Mutant[];
}

const compiled = fileURLToPath(new URL('../../', import.meta.url));
const REFERENCE = path.join('harness', 'reference', 'compute');
/** Where a request is handled; what makes example data and timers is no statement of the contract. */
const HANDLING = /^(?:pipeline\.js|(?:rules|operations)\/(?!ssh-keys)[\w-]+\.js)$/u;
/** Texts are messages for the most part, which are open. */
const LEFT_OUT = ['StringLiteral'];
const SHORT = 80;

/** Copies, instruments and lists. `begin` restricts it to files whose names begin so. */
export async function mutatedCopy(begin: string): Promise<Mutated> {
  // Inside the project, so that packages are found; out of the way of what is compiled.
  const folder = path.join(compiled, '..', 'node_modules', '.cache', 'plumbline', 'mutants');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const part of ['schemas', 'harness', 'suites', 'reports']) {
    cpSync(path.join(compiled, part), path.join(folder, part), { recursive: true });
  }
  const root = path.join(folder, REFERENCE);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => HANDLING.test(name) && name.startsWith(begin))
    .map((name) => ({
      name: path.join(root, name),
      mutate: true,
      content: readFileSync(path.join(root, name), 'utf8'),
    }));
  const result = await new Instrumenter(silent).instrument(files, {
    plugins: null,
    excludedMutations: LEFT_OUT,
    ignorers: [],
  });
  for (const { name, content } of result.files) writeFileSync(name, content);
  const contents = new Map(files.map(({ name, content }) => [name, content.split('\n')]));
  return {
    folder,
    mutants: result.mutants
      .filter(({ status }) => status === undefined)
      .map(({ id, fileName, location, mutatorName, replacement }) => ({
        id,
        file: path.relative(root, fileName),
        // Stryker counts lines from 0.
        line: location.start.line + 1,
        original: contents.get(fileName)?.[location.start.line]?.trim() ?? '',
        mutator: mutatorName,
        replacement: replacement.replaceAll(/\s+/gu, ' ').slice(0, SHORT),
      })),
  };
}

const nothing = (): void => undefined;
const no = (): boolean => false;
const silent = {
  isTraceEnabled: no,
  isDebugEnabled: no,
  isInfoEnabled: no,
  isWarnEnabled: no,
  isErrorEnabled: no,
  isFatalEnabled: no,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
};
