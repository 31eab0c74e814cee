/** What goes wrong after one status of an engine alone. */

import { type RequestContext, RouterFailure } from '../model.ts';
import {
  answering,
  every,
  faultTable,
  unless,
  namesMaximum,
  onPath,
  refusal,
  replace,
  withBody,
  withCode,
  withError,
} from './answering.ts';

const after =
  (status: number) =>
  ({ engineError }: RequestContext): boolean =>
    engineError?.status === status;

const leaks = (
  [
    ['slot', 404, ['slot-back-after-error', 'slots-free-when-idle']],
    ['slot', 429, ['slot-back-after-error', 'slots-free-when-idle']],
    ['inflight', 400, ['inflight-back-after-error', 'places-free-when-idle']],
    ['inflight', 422, ['inflight-back-after-error', 'places-free-when-idle']],
    ['occupancy', 503, ['occupancy-back']],
    ['share', 422, ['serverless-share-back']],
  ] as const
).flatMap(([leaked, status, [aim, ...besides]]) =>
  faultTable({
    [`router.admission.${aim}`]: {
      [`${leaked}-leaks-after-engine-${status}`]: {
        besides: besides.map((slug) => `router.admission.${slug}`),
        patch: unless(
          'release',
          (holding, ending, _free, context) =>
            holding === leaked && ending === 'failed' && after(status)(context),
          undefined,
        ),
      },
    },
  }),
);

/** Tries elsewhere what must end the session, after one status alone, whether the engine named a type or not. */
const goesOn = (
  [
    ['untyped', 400, 'invalid_parameter', 'invalid-parameter-stops'],
    ['typed', 429, 'context_length_exceeded', 'context-length-stops'],
    ['typed', 404, 'invalid_parameter', 'invalid-parameter-stops'],
  ] as const
).flatMap(([kind, status, code, aim]) =>
  faultTable({
    [`router.retry-behaviour.${aim}`]: {
      [`${kind}-${status}-tried-elsewhere`]: {
        besides: ['router.retry-behaviour.terminal-skips-provider'],
        patch: (rules) => ({
          stops: (said, context) => {
            const type = rules.knownType(context.engineError?.json, context);
            const isMeant = said === code && (type !== undefined) === (kind === 'typed');
            return rules.stops(said, context) && !(isMeant && after(status)(context));
          },
        }),
      },
    },
  }),
);

const notTried = (status: number) =>
  unless('stops', (code, context) => code === 'backend_error' && after(status)(context), true);

export const engineStatusFaults = [
  ...faultTable({
    'router.backend-classification.other-400': {
      'engine-400-not-read-where-a-maximum-is-asked-for': answering(
        every(
          withCode('invalid_parameter'),
          onPath('/v1/chat/completions'),
          (_reply, context) => after(400)(context) && namesMaximum(context),
        ),
        (reply) => withError(refusal(reply, 502, 'backend_error'), { source: 'backend' }),
      ),
    },
    'router.backend-classification.type-over-other-status': {
      'type-yields-to-409': replace('codeOf', (original, type, status, ...more) =>
        original(status === 409 ? undefined : type, status, ...more),
      ),
    },
    'router.transparent-proxy.embeddings-error-wrapped': {
      'embeddings-500-passed-through': {
        besides: ['router.envelope.object'],
        exercisedBy: ['router.transparent-proxy.embeddings-error-wrapped'],
        patch: answering(
          every(onPath('/v1/embeddings'), (_reply, context) => after(500)(context)),
          (reply) => withBody(reply, { detail: 'as the engine said' }, 500),
        ),
      },
    },
    'router.backend-classification.raw-message-truncated': {
      'raw-message-whole-at-422': replace('envelope', (original, failure, source, context) => {
        const { code, message, detail } = failure;
        const whole = context.engineError?.bytes.toString('utf8') ?? '';
        return code === 'invalid_parameter' && after(422)(context) && whole.startsWith(message)
          ? original(new RouterFailure(code, whole, detail), source, context)
          : original(failure, source, context);
      }),
    },
    'router.retry-behaviour.retry-after-backend-error': {
      'engine-404-not-tried-elsewhere': notTried(404),
      'engine-502-not-tried-elsewhere': notTried(502),
    },
  }),
  ...leaks,
  ...goesOn,
];
