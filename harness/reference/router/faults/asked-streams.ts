/** What holds for plain requests, and not where a stream is asked for. */

import { RouterFailure } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import { unless, amend, faultTable } from './answering.ts';

/** Goes on after a code that must end the session, for streams of one model. */
function goingOnForStreams(code: string, model: string) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    stops: (said, context) =>
      rules.stops(said, context) && !(said === code && context.stream && context.model === model),
  });
}

export const askedStreamFaults = faultTable({
  'router.retry-behaviour.context-length-stops': {
    'context-length-tried-elsewhere-for-streams': goingOnForStreams(
      'context_length_exceeded',
      'scripted-pair',
    ),
  },
  'router.retry-behaviour.terminal-skips-provider': {
    'invalid-parameter-tried-by-the-provider-for-streams': goingOnForStreams(
      'invalid_parameter',
      'scripted-provider',
    ),
  },
  'router.retry-behaviour.fallback-step': {
    'no-further-step-for-streams': unless(
      'advances',
      (_index, _journey, context) => context.stream,
      false,
    ),
  },
  'router.retry-behaviour.final-outcome': {
    'exhausted-session-is-backend-error-for-streams': amend(
      'finalFailure',
      (failure, _journey, context) =>
        context.stream &&
        context.model === 'scripted-pair' &&
        failure.code === 'backend_unavailable'
          ? new RouterFailure('backend_error', failure.message, { source: 'backend' })
          : failure,
    ),
  },
});
