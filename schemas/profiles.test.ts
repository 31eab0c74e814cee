import { describe, expect, test } from 'vitest';
import {
  allRequirements,
  contractData,
  contractNames,
  profilesOf,
  profilesOfContract,
  requirementsOf,
} from './contracts.ts';
import type { Requirement } from './requirement.ts';

const of = { contract: 'compute', section: 's', clause: 'c', statement: '' } as const;

function requirement(id: string, ...needs: readonly string[]): Requirement {
  return { ...of, id, strength: 'stated', needs };
}

test('the levels of each contract have their names', () => {
  const names = (contract: string) => profilesOf(contract).map(({ name }) => name);
  expect(names('compute')).toEqual(['read-only', 'lifecycle', 'complete']);
  expect(names('router')).toEqual(['client', 'admission', 'complete']);
});

describe.for(contractNames)('levels of %s', (contract) => {
  const profiles = profilesOf(contract);

  test('each asks for all of the one before, and for more', () => {
    for (const [at, { requirements }] of profiles.entries()) {
      const before = profiles[at - 1]?.requirements ?? [];
      expect(before.filter((id) => !requirements.includes(id))).toEqual([]);
      expect(requirements.length).toBeGreaterThan(before.length);
    }
  });

  test('the last one asks for everything but what a deployment may be unable to show', () => {
    const asked = new Set(profiles.at(-1)?.requirements);
    const left = requirementsOf(contract).filter(({ id }) => !asked.has(id));
    const excused = Object.keys(contractData(contract).beyondLevels);
    expect(left.map(({ id }) => id).toSorted()).toEqual(excused.toSorted());
  });

  test('every need stands at one level', () => {
    const known = Object.keys(contractData(contract).needs);
    const named = profiles.at(-1)?.needs ?? [];
    expect([...named].toSorted()).toEqual(known.toSorted());
  });
});

test('the first level of compute needs no permission to change anything', () => {
  const [first] = profilesOf('compute');
  expect(first?.needs.filter((need) => /^consent|provision/u.test(need))).toEqual([]);
});

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

test('what no level asks for is in the catalogue', () => {
  const ids = new Set(allRequirements.map(({ id }) => id));
  const beyond = contractNames.flatMap((name) => Object.keys(contractData(name).beyondLevels));
  expect(beyond.filter((id) => !ids.has(id))).toEqual([]);
});
