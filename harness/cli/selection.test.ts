import { describe, expect, test } from 'vitest';
import { sampleFinding, sampleOutcome } from '../../reports/sample.test.support.ts';
import { requirementsOf } from '../../schemas/contracts.ts';
import { folderOfTest, reportOf } from './result-files.test.support.ts';
import {
  breaksContract,
  contractsWith,
  lastFailed,
  requireKnownCases,
  requireKnownSelection,
  requireProfile,
  selectionText,
  shownByAny,
} from './selection.ts';
import { CommandFailure, exitCodes } from './exit.ts';

const whole = { only: [] };

function refusal(check: () => void): string {
  try {
    check();
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode !== exitCodes.usage) throw error;
    return error.message;
  }
  return '';
}

describe('a selection', () => {
  test.for([
    [{ only: ['compute.pagination.'] }],
    [{ only: [], section: 'errors' }],
    [{ only: [], profile: 'read-only' }],
    [{ only: [], profile: 'complete' }],
  ])('that names something is accepted: %j', ([asked = whole]) => {
    expect(refusal(() => requireKnownSelection(asked))).toBe('');
  });

  test.for<[{ only: string[]; section?: string; profile?: string }, RegExp]>([
    [{ only: ['compute.zebra'] }, /^--only compute\.zebra: no requirement/u],
    [{ only: [], section: 'error' }, /^--section error: .* Did you mean errors\?$/u],
    [{ only: [], profile: 'readonly' }, /no such profile\. Did you mean read-only\?$/u],
    [{ only: [], profile: 'zebra' }, /no such profile\. compute has/u],
  ])('that names nothing is refused: %j', ([asked, message]) => {
    expect(refusal(() => requireKnownSelection(asked))).toMatch(message);
  });

  test.for([
    ['no such case', /^--case no such case: there is no such case\. A report names/u],
    [
      'an empty request bucket refuses, and says so',
      /^--case .* Did you mean router\/rate-limit-rules › an empty request bucket refuses, and says so\?$/u,
    ],
  ] as const)('of a case that nobody has is refused: %s', async ([name, message]) => {
    await expect(requireKnownCases([name])).rejects.toMatchObject({
      exitCode: exitCodes.usage,
      message: expect.stringMatching(message),
    });
  });

  test.each([
    ['of what is judged on every exchange', { only: ['compute.errors.request-id-text'] }, true],
    ['of what cases judge', { only: ['compute.list-instances.size-zero'] }, false],
    ['of one case', { only: ['compute.errors.request-id-text'], cases: ['a case'] }, false],
  ])('%s says when it runs everything', (_what, selected, isWide) => {
    expect(shownByAny({ ...whole, ...selected }) !== undefined).toBe(isWide);
  });

  test('is told as it was asked for', () => {
    expect(selectionText({ only: ['a', 'b'], section: 'c', profile: 'd' })).toEqual([
      '--only a',
      '--only b',
      '--section c',
      '--profile d',
    ]);
    expect(selectionText(whole)).toEqual([]);
  });
});

describe('a profile', () => {
  const router = { name: 'edge', contract: 'router' } as const;
  const compute = { name: 'staging', contract: 'compute' } as const;

  test('must be one of every target', () => {
    expect(refusal(() => requireProfile('complete', [router, compute]))).toBe('');
    expect(refusal(() => requireProfile(undefined, [router]))).toBe('');
    expect(refusal(() => requireProfile('client', [router, compute]))).toBe(
      '--profile client: staging is a compute target, which has read-only, lifecycle, complete. Run it alone, with one of these.',
    );
  });

  test('picks the contracts that have it', () => {
    expect(contractsWith({ only: [], profile: 'client' })).toEqual(['router']);
    expect(contractsWith({ only: [], profile: 'complete' })).toEqual(['compute', 'router']);
    expect(contractsWith({ only: [] })).toEqual(['compute', 'router']);
  });
});

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
