/** Limits that hold for a part of what they are about. */

import { declareFaults } from '../../fault.ts';
import type { RouterRules } from '../rules/rules.ts';

export const limitLawFaults = declareFaults<RouterRules>([
  {
    name: 'budget-checks-no-sum',
    summary: 'Checks input and requested output against a daily budget each for itself.',
    breaks: ['router.token-limit-rules.sum-too-large'],
    patch: (rules) => ({
      ...rules,
      fitsBudget: (remaining, input, output) => input <= remaining && output <= remaining,
    }),
  },
  {
    name: 'occupancy-never-parks',
    summary: 'Refuses for the token budget of a model at once.',
    breaks: ['router.admission.occupancy-not-early', 'router.admission.occupancy-parked'],
    patch: (rules) => ({
      ...rules,
      parkMs: (limits, context) =>
        context.model === 'scripted-occupancy' ? 0 : rules.parkMs(limits, context),
    }),
  },
  {
    name: 'other-quota-told',
    summary: 'Tells a key with a request quota alone of tokens that it has no budget of.',
    breaks: ['router.response-headers.other-quota-omitted'],
    patch: (rules) => ({
      ...rules,
      rateHeaders: (remaining, status, failure, context) =>
        rules.rateHeaders(
          remaining.requests === undefined
            ? remaining
            : { ...remaining, tokens: remaining.tokens ?? Number.MAX_SAFE_INTEGER },
          status,
          failure,
          context,
        ),
    }),
  },
  {
    name: 'deadline-a-sixth-longer',
    summary: 'Gives requests a sixth more time than their deadline.',
    breaks: ['router.admission.timeout-at-engine'],
    patch: (rules) => ({
      ...rules,
      deadlineMs: (limits, context) => (7 / 6) * rules.deadlineMs(limits, context),
    }),
  },
]);
