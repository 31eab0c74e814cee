import { describe, expect, test } from 'vitest';
import { sampleFinding, sampleOutcome } from '../../reports/sample.test.support.ts';
import { requirementsOf } from '../../schemas/contracts.ts';
import { breaksContract, lastFailed } from './last-failed.ts';
import { folderOfTest, reportOf } from './result-files.test.support.ts';

const implied = requirementsOf('compute').find(({ strength }) => strength === 'implied')?.id ?? '';
const [one = '', two = ''] = requirementsOf('compute')
  .filter((each) => each.strength === 'stated' && !each.universal)
  .map(({ id }) => id);
const universal =
  requirementsOf('compute').find((each) => each.universal && !each.hasCases)?.id ?? '';

describe('--last-failed', () => {
  const folder = folderOfTest();

  test('names what was broken, and the cases of what every exchange may break', () => {
    folder.write('conformance.json', reportOf({ held: [two], broken: [one] }));
    expect(lastFailed(folder.path)).toEqual({ only: [one] });
    folder.write('conformance.json', reportOf({ broken: [one, universal] }));
    expect(lastFailed(folder.path)).toEqual({ only: [one, universal], case: [expect.any(String)] });
  });

  test('says where it looked when there is no result', () => {
    expect(() => lastFailed(folder.path)).toThrow(/there is no result at .*conformance\.json/u);
  });

  test('runs everything where nothing was broken', () => {
    folder.write('conformance.json', reportOf({ held: [one] }));
    expect(lastFailed(folder.path)).toEqual({});
  });
});

test.for([
  ['a stated one', one, {}, true],
  ['an implied one', implied, {}, false],
  ['an implied one of a strict run', implied, { strict: true }, true],
  ['an accepted one', one, { accepted: undefined }, false],
  ['one that was asked for', one, { only: one }, true],
  ['one that was not asked for', one, { only: two }, false],
  ['one that another target is accepted to break', one, { accepted: 'other' }, true],
] as const)('--bail ends a run at %s', ([, id, given, expected]) => {
  const { target, findings } = sampleOutcome({ findings: [sampleFinding(id)] });
  const deviations =
    'accepted' in given
      ? [{ requirement: id, target: given.accepted, reason: 'known', expires: '2999-01-01' }]
      : [];
  const strict = 'strict' in given;
  const only = 'only' in given ? [given.only] : [];
  expect(breaksContract({ target, findings }, { strict, deviations, only })).toBe(expected);
});
