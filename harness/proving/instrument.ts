/** Copies the compiled project with every mutant of the reference behind a switch. Stryker's own runner takes days. */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Instrumenter } from '@stryker-mutator/instrumenter';

import { CONSEQUENCES_FILE } from './consequences.ts';
import { referenceOf } from '../contracts/index.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { Identity } from './survivors.ts';

/** One small change of the reference. */
export interface Mutant extends Identity {
  /** The id of its switch, valid in this copy only. */
  readonly id: string;
  /** Line in the compiled file, from 1. */
  readonly line: number;
}

export interface Mutated {
  /** Root of the copy, laid out like `dist/`. */
  readonly folder: string;
  readonly mutants: readonly Mutant[];
}

const compiled = fileURLToPath(new URL('../../', import.meta.url));
const REFERENCE = path.join('harness', 'reference');
/** String literals are mostly messages, whose wording is open. */
const LEFT_OUT = ['StringLiteral'];
/** Code that only reads a choice. A mutant of it acts like a variant, so it conforms. */
const CHOICE = String.raw`[\w.]*\bchoices\.[\w.]+`;
const SHORT = 100;

/** Copies the project, instruments the reference and lists the mutants. */
export async function mutatedCopy(contract: Contract): Promise<Mutated> {
  const { mutants: meant } = await referenceOf(contract);
  // Inside the project, so that packages resolve, but outside the compiled output.
  const folder = path.join(compiled, '../node_modules/.cache/plumbline', `mutants-${contract}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const part of ['schemas', 'harness', 'suites', 'reports']) {
    cpSync(path.join(compiled, part), path.join(folder, part), { recursive: true });
  }
  // The record of consequences is data, so the compiler does not copy it.
  cpSync(CONSEQUENCES_FILE, path.join(folder, 'docs', path.basename(CONSEQUENCES_FILE)));
  const root = path.join(folder, REFERENCE);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => meant.files.test(name))
    .toSorted()
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
  for (const { name, content } of result.files) writeFileSync(name, manySwitches(content));
  const contents = new Map(files.map(({ name, content }) => [name, content.split('\n')]));
  const alike = new Map<string, number>();
  const mutants: Mutant[] = [];
  for (const { id, fileName, location, mutatorName, replacement, status } of result.mutants) {
    if (status !== undefined) continue;
    const lines = contents.get(fileName) ?? [];
    const one = {
      contract,
      file: path.relative(root, fileName),
      original: short(lines[location.start.line] ?? ''),
      mutator: mutatorName,
      part: short(textAt(lines, location)),
      replacement: short(replacement),
    };
    if (choiceAlone(contents.get(fileName) ?? []).test(one.part)) continue;
    const key = JSON.stringify(one);
    const nth = (alike.get(key) ?? 0) + 1;
    alike.set(key, nth);
    // Stryker counts lines from 0.
    mutants.push({ id, ...one, line: location.start.line + 1, nth });
  }
  return { folder, mutants };
}

/** Allows several mutants at once. Stryker's own code compares with a single id. */
function manySwitches(content: string): string {
  const many = content.replace('ns.activeMutant === id', 'ns.activeMutants?.has(id)');
  // A file without mutants has no switch.
  if (many === content && content.includes('activeMutant'))
    throw new Error('the instrumented code has another switch than expected');
  return many;
}

/** Matches code that is only a choice or a comparison of one with a value. */
function choiceAlone(lines: readonly string[]): RegExp {
  const unpacked = lines.flatMap((line) => {
    const names = /^\s*const \{ (?<names>.+) \} = [\w.]*\bchoices[\w.]*;/u.exec(line)?.groups?.[
      'names'
    ];
    return names?.split(', ').map((name) => name.replace(/^.*: /u, '')) ?? [];
  });
  const choice = [CHOICE, ...unpacked].join('|');
  return new RegExp(`^!?(?:${choice})(?: [!=]== (?:'[^']*'|\\w+))?$`, 'u');
}

interface Location {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

function textAt(lines: readonly string[], { start, end }: Location): string {
  return lines
    .slice(start.line, end.line + 1)
    .map((line, at) =>
      line.slice(
        at === 0 ? start.column : 0,
        at === end.line - start.line ? end.column : undefined,
      ),
    )
    .join(' ');
}

function short(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim().slice(0, SHORT);
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
