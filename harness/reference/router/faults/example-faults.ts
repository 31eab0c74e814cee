/** Five violations of different kinds, which show how a fault is written. */

import { withHeader } from '../../http.ts';
import { unless, replace, faultTable } from './answering.ts';

export const exampleFaults = faultTable({
  'router.authentication.x-api-key-on-models': {
    'x-api-key-opens-all-routes': {
      besides: [
        'router.authentication.x-api-key-on-inference',
        'router.authentication.refusal-reaches-no-engine',
      ],
      patch: replace('credential', (original, headers, context) => {
        const sent = headers['x-api-key'];
        return typeof sent === 'string' ? sent : original(headers, context);
      }),
    },
  },
  'router.transparent-proxy.embeddings-error-unclassified': {
    'embeddings-errors-classified': {
      says: 'Classifies what an engine says on the embeddings route alone.',
      besides: ['router.transparent-proxy.embeddings-error-wrapped'],
      patch: () => ({
        answer: (reply, context) => {
          const wrapped = reply.status === 502 && context.path === '/v1/embeddings';
          if (!wrapped) return reply;
          const body = Buffer.from(reply.body).toString('utf8');
          return {
            ...reply,
            status: 400,
            body: body.replace('backend_error', 'invalid_parameter'),
          };
        },
      }),
    },
  },
  'router.backend-classification.raw-message-truncated-multibyte': {
    'raw-message-513-when-split': {
      says: 'Keeps a byte too many of a raw body when a character straddles the cut.',
      patch: unless(
        'truncate',
        (bytes) => bytes.length > 512 && ((bytes[512] ?? 0) & 0xc0) === 0x80,
        (bytes) => Buffer.from(bytes).toString('utf8').slice(0, 512),
      ),
    },
  },
  'router.admission.slot-back-after-hang-up': {
    'slot-leaks-on-hang-up': {
      besides: ['router.admission.slots-free-when-idle'],
      patch: replace('release', (original, holding, ending, free, context) => {
        if (holding !== 'slot' || ending !== 'hang-up' || context.stream)
          original(holding, ending, free, context);
      }),
    },
  },
  'router.response-headers.request-id-on-success': {
    'request-id-missing-once-in-200': (rules) => {
      let successes = 0;
      return {
        answer: (reply, context) => {
          if (reply.status !== 200 || context.stream) return rules.answer(reply, context);
          successes += 1;
          return successes % 200 === 0 ? withHeader(reply, 'X-Request-ID', undefined) : reply;
        },
      };
    },
  },
});
