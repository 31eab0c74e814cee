import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { contractData, contractNames, requirementsOf } from './contracts.ts';

describe.each(contractNames)('the %s contract', (contract) => {
  const requirements = requirementsOf(contract);
  const { clauses: register, needs } = contractData(contract);
  const clauses = new Map(Object.entries(register));
  const judged = new Set(
    requirements.filter(({ strength }) => strength !== 'open').map(({ clause }) => clause),
  );
  const cited = new Set(requirements.map(({ clause }) => clause));

  test('each clause has a requirement or says why not, and none is excluded and judged', () => {
    const wrong = [...clauses].filter(([anchor, { excluded }]) =>
      excluded === undefined ? !cited.has(anchor) : judged.has(anchor),
    );
    expect(wrong.map(([anchor]) => anchor)).toEqual([]);
  });

  test('each pointer of a clause leads to one place', () => {
    const places = [...clauses.values()].map(({ where }) => where);
    expect(places).toEqual([...new Set(places)]);
  });

  test('requirements stand at clauses that are registered, and need what can be asked for', () => {
    expect(requirements.filter(({ clause }) => !clauses.has(clause))).toEqual([]);
    const unknown = requirements
      .flatMap((requirement) => requirement.needs ?? [])
      .filter((need) => !Object.hasOwn(needs, need));
    expect(unknown).toEqual([]);
  });

  test('each says something of its own, in one sentence', () => {
    const statements = requirements.map(({ statement }) => statement);
    expect(statements).toEqual([...new Set(statements)]);
    expect(statements.filter((statement) => !/^[A-Z].+[^.]\.$/su.test(statement))).toEqual([]);
  });

  test('ids are slugs that tell contract and section', () => {
    const odd = requirements.filter(
      ({ id, section }) =>
        !/^[a-z]+(\.[a-z0-9]+([-_][a-z0-9]+)*){2}$/u.test(id) ||
        !id.startsWith(`${contract}.${section}.`),
    );
    expect(odd).toEqual([]);
  });

  test('ids are permanent: none of the frozen ones is gone, and new ones are frozen', () => {
    const ids = requirements.map(({ id }) => id).toSorted();
    const frozen = new URL(`./${contract}/ids.txt`, import.meta.url);
    const known = readFileSync(frozen, 'utf8').trim().split('\n');
    if (process.env['FREEZE_IDS'] === 'add') {
      writeFileSync(frozen, `${[...new Set([...known, ...ids])].toSorted().join('\n')}\n`);
    }
    expect(
      known.filter((id) => !ids.includes(id)),
      'These ids were published and may not change or go away: bring them back.',
    ).toEqual([]);
    expect(
      ids.filter((id) => !known.includes(id)),
      'These ids are new: run this test once with FREEZE_IDS=add, and commit ids.txt.',
    ).toEqual([]);
  });
});
