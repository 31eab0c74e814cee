import { describe, expect, test } from 'vitest';
import {
  contractsWith,
  requireKnownCases,
  requireKnownSelection,
  requireProfile,
  selectionText,
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
