import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  contractData,
  contractNames,
  profilesOf,
  profilesOfContract,
  requirementsOf,
} from './contracts.ts';
import type { Requirement } from './requirement.ts';

describe.each(contractNames)('the %s contract', (contract) => {
  const requirements = requirementsOf(contract);
  const { clauses: register, needs, beyondLevels } = contractData(contract);
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
      .flatMap((one) => one.needs ?? [])
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

  describe('levels', () => {
    const profiles = profilesOf(contract);

    test('each asks for all of the one before, and for more', () => {
      for (const [at, { requirements: asked }] of profiles.entries()) {
        const before = profiles[at - 1]?.requirements ?? [];
        expect(before.filter((id) => !asked.includes(id))).toEqual([]);
        expect(asked.length).toBeGreaterThan(before.length);
      }
    });

    test('the last one asks for everything but what a deployment may be unable to show', () => {
      const asked = new Set(profiles.at(-1)?.requirements);
      const left = requirements.filter(({ id }) => !asked.has(id));
      expect(left.map(({ id }) => id).toSorted()).toEqual(Object.keys(beyondLevels).toSorted());
    });

    test('every need stands at one level', () => {
      expect([...(profiles.at(-1)?.needs ?? [])].toSorted()).toEqual(Object.keys(needs).toSorted());
    });
  });
});

test('the levels of each contract have their names', () => {
  const names = (contract: string) => profilesOf(contract).map(({ name }) => name);
  expect(names('compute')).toEqual(['read-only', 'lifecycle', 'complete']);
  expect(names('router')).toEqual(['client', 'admission', 'complete']);
});

test('the first level of compute needs no permission to change anything', () => {
  const [first] = profilesOf('compute');
  expect(first?.needs.filter((need) => /^consent|provision/u.test(need))).toEqual([]);
});

function requirement(id: string, ...needs: readonly string[]): Requirement {
  const of = { contract: 'compute', section: 's', clause: 'c', statement: '' };
  return { ...of, id, strength: 'stated', needs };
}

test('a requirement belongs to the first level that offers all that it needs', () => {
  const levels = profilesOfContract('compute', [
    requirement('free'),
    requirement('half', 'keys.second', 'consent.stop'),
    requirement('last', 'consent.stop', 'consent.exhaustRateLimit'),
  ]);
  const ids = levels.map(({ requirements }) => requirements.join(' '));
  expect(ids).toEqual(['free', 'free half', 'free half last']);
});

test('what is implied or open belongs to a level and does not decide it', () => {
  const [level] = profilesOfContract('compute', [
    requirement('stated'),
    { ...requirement('implied'), strength: 'implied' },
    { ...requirement('open'), strength: 'open' },
  ]);
  expect(level).toMatchObject({ requirements: ['stated', 'implied', 'open'], stated: ['stated'] });
});
