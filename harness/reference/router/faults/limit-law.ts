/** Limits that hold for a part of what they are about. */

import { amend, faultTable, replace, unless } from './answering.ts';

export const limitLawFaults = faultTable({
  'router.token-limit-rules.sum-too-large': {
    'budget-checks-no-sum': replace(
      'fitsBudget',
      (_original, remaining, input, output) => input <= remaining && output <= remaining,
    ),
  },
  'router.admission.occupancy-not-early': {
    'occupancy-never-parks': {
      besides: ['router.admission.occupancy-parked'],
      patch: unless('parkMs', (_limits, { model }) => model === 'scripted-occupancy', 0),
    },
  },
  'router.response-headers.other-quota-omitted': {
    'other-quota-told': replace('rateHeaders', (original, remaining, ...others) =>
      original(
        remaining.requests === undefined
          ? remaining
          : { ...remaining, tokens: remaining.tokens ?? Number.MAX_SAFE_INTEGER },
        ...others,
      ),
    ),
  },
  'router.admission.timeout-at-engine': {
    'deadline-a-sixth-longer': amend('deadlineMs', (ms) => (7 / 6) * ms),
  },
});
