/** What holds for plain requests, and not where a stream is asked for. */

import { declareFaults } from '../../fault.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';

const RETRY = 'router.retry-behaviour';

/** Goes on after a code that must end the session, for streams of one model. */
function goingOnForStreams(code: string, model: string) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    stops: (said, context) =>
      rules.stops(said, context) && !(said === code && context.stream && context.model === model),
  });
}

export const askedStreamFaults = declareFaults<RouterRules>([
  {
    name: 'context-length-tried-elsewhere-for-streams',
    summary: 'Tries another agent after context_length_exceeded where a stream was asked for.',
    breaks: [`${RETRY}.context-length-stops`],
    patch: goingOnForStreams('context_length_exceeded', 'scripted-pair'),
  },
  {
    name: 'invalid-parameter-tried-by-the-provider-for-streams',
    summary: 'Asks the provider after invalid_parameter where a stream was asked for.',
    breaks: [`${RETRY}.terminal-skips-provider`],
    patch: goingOnForStreams('invalid_parameter', 'scripted-provider'),
  },
  {
    name: 'no-further-step-for-streams',
    summary: 'Ends the chain after its first step where a stream was asked for.',
    breaks: [`${RETRY}.fallback-step`],
    patch: (rules) => ({
      ...rules,
      advances: (index, journey, context) =>
        !context.stream && rules.advances(index, journey, context),
    }),
  },
  {
    name: 'exhausted-session-is-backend-error-for-streams',
    summary: 'Says backend_error when every try failed as unavailable and a stream was asked for.',
    breaks: [`${RETRY}.final-outcome`],
    patch: (rules) => ({
      ...rules,
      finalFailure: (journey, context) => {
        const failure = rules.finalFailure(journey, context);
        return context.stream &&
          context.model === 'scripted-pair' &&
          failure.code === 'backend_unavailable'
          ? new RouterFailure('backend_error', failure.message, { source: 'backend' })
          : failure;
      },
    }),
  },
]);
