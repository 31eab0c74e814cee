/** A sample of the proof: every stated requirement has a fault, and the suite runs against a few faults and variants. */

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { allRequirements } from '../../schemas/contracts.ts';
import { consequences } from '../../harness/proving/consequences.ts';
import { prove, verdictOf } from '../../harness/proving/prove.ts';
import { subjectsOf } from '../../harness/proving/subject.ts';
import { sections } from '../all.ts';
import { folderWith } from './command.ts';

const subjects = [...(await subjectsOf('compute')), ...(await subjectsOf('router'))];

describe('the catalogue of faults', () => {
  test('aims at every stated requirement, unless the catalogue says why none can', () => {
    const aimedAt = new Set(subjects.map(({ breaks }) => breaks[0]));
    const without = allRequirements
      .filter(({ strength, unprovable }) => strength === 'stated' && unprovable === undefined)
      .map(({ id }) => id)
      .filter((id) => !aimedAt.has(id));
    expect(without).toEqual([]);
  });

  test('names only requirements that are there', () => {
    const known = new Set(allRequirements.map(({ id }) => id));
    const unknown = subjects.flatMap(({ name, breaks, exercisedBy, consequences: further }) =>
      [...breaks, ...exercisedBy, ...further]
        .filter((id) => !known.has(id))
        .map((id) => `${name}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  test('tells the consequences of faults that are there', () => {
    const faults = new Set(subjects.map(({ contract, name }) => `${contract} ${name}`));
    const told = Object.entries(consequences()).flatMap(([contract, of]) =>
      Object.keys(of).map((name) => `${contract} ${name}`),
    );
    expect(told.filter((name) => !faults.has(name))).toEqual([]);
    const double = subjects.flatMap(({ name, breaks, consequences: further }) =>
      further.filter((id) => breaks.includes(id)).map((id) => `${name}: ${id}`),
    );
    expect(double).toEqual([]);
  });

  test('has names that are unique in their contract, and faults that break something', () => {
    const names = subjects.map(({ contract, kind, name }) => `${contract} ${kind} ${name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(subjects.filter(({ kind, breaks }) => kind === 'fault' && breaks.length === 0)).toEqual(
      [],
    );
  });

  test('is the one that the published kill matrix shows', () => {
    const file = fileURLToPath(new URL('../../docs/kill-matrix.md', import.meta.url));
    const rows = readFileSync(file, 'utf8').matchAll(/^\| (?<names>[\w.+ -]+) \|/gmu);
    const shown = new Set([...rows].flatMap((row) => row.groups?.['names']?.split(' + ') ?? []));
    const names = subjects.map(({ name }) => name);
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
  });
});

/** One in this many faults is tried, which is cheap and covers the whole catalogue. */
const EVERY = 60;

describe('a sample before the suite', () => {
  test('is killed for what it declares', { timeout: 180_000 }, async () => {
    const faults = subjects.filter(({ kind }) => kind === 'fault');
    const chosen = faults.filter((_, at) => at % EVERY === 7);
    expect(chosen.length).toBeGreaterThan(5);
    const survived: string[] = [];
    const journals = folderWith();
    for (const subject of chosen) {
      const proof = await prove(subject, {
        sections,
        seed: 1,
        runs: 20,
        depth: 'likely',
        journal: path.join(journals, 'sample'),
      });
      const { missed } = verdictOf(proof);
      if (missed.length > 0) survived.push(`${subject.name}: ${missed.join(', ')}`);
    }
    expect(survived).toEqual([]);
    expect(readdirSync(journals)).toEqual([]);
  });
});
