import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { computeNeeds } from './needs.ts';
import type { Clause, Requirement } from '../requirement.ts';
import { computeCatalogue } from './catalogue.ts';
import { computeClauses } from './clauses.ts';

const requirements: readonly Requirement[] = Object.values(computeCatalogue);
const clauses: ReadonlyMap<string, Clause> = new Map(Object.entries(computeClauses));
const frozen = new URL('./ids.txt', import.meta.url);

describe('clauses of the compute contract', () => {
  const judged = new Set(requirements.map((requirement) => requirement.clause));

  test('each has a requirement or says why not', () => {
    const silent = [...clauses].filter(
      ([anchor, clause]) => clause.excluded === undefined && !judged.has(anchor),
    );
    expect(silent.map(([anchor]) => anchor)).toEqual([]);
  });

  test('none is both excluded and judged', () => {
    const both = [...clauses].filter(
      ([anchor, clause]) => clause.excluded !== undefined && judged.has(anchor),
    );
    expect(both.map(([anchor]) => anchor)).toEqual([]);
  });

  test('each pointer leads to one place', () => {
    const places = [...clauses.values()].map((clause) => clause.where);
    expect(places).toEqual([...new Set(places)]);
  });
});

describe('requirements of the compute contract', () => {
  test('each clause that they cite is registered', () => {
    expect(requirements.filter(({ clause }) => !clauses.has(clause))).toEqual([]);
  });

  test('each need that they name can be asked for', () => {
    const unknown = requirements
      .flatMap(({ needs = [] }) => needs)
      .filter((need) => !Object.hasOwn(computeNeeds, need));
    expect(unknown).toEqual([]);
  });

  test('each says something of its own, in one sentence', () => {
    const statements = requirements.map((requirement) => requirement.statement);
    expect(statements).toEqual([...new Set(statements)]);
    expect(statements.filter((statement) => !/^[A-Z].+[^.]\.$/su.test(statement))).toEqual([]);
  });

  test('ids are readable slugs', () => {
    const odd = requirements.filter(
      ({ id }) => !/^compute(\.[a-z0-9]+(-[a-z0-9]+)*){2}$/u.test(id),
    );
    expect(odd).toEqual([]);
  });

  test('ids are permanent: none of the frozen ones is gone, and new ones are frozen', () => {
    const ids = requirements.map((requirement) => requirement.id).toSorted();
    if (process.env['FREEZE_IDS'] === 'add') {
      const before = readFileSync(frozen, 'utf8')
        .split('\n')
        .filter((line) => line !== '');
      const all = [...new Set([...before, ...ids])].toSorted();
      writeFileSync(frozen, `${all.join('\n')}\n`);
    }
    const known = readFileSync(frozen, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    expect(
      known.filter((id) => !ids.includes(id)),
      'These ids were published and may not change or go away: bring them back.',
    ).toEqual([]);
    expect(
      ids.filter((id) => !known.includes(id)),
      'These ids are new: run this test once with FREEZE_IDS=add to add them to ids.txt.',
    ).toEqual([]);
  });
});
