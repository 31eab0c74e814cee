/** Five violations of different kinds, which show how a fault is written. */

import { declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import type { RouterRules } from '../rules/rules.ts';

export const exampleFaults = declareFaults<RouterRules>([
  {
    name: 'x-api-key-opens-all-routes',
    summary: 'Takes a key from x-api-key where a client sends it there.',
    breaks: [
      'router.authentication.x-api-key-on-models',
      'router.authentication.x-api-key-on-inference',
      'router.authentication.refusal-reaches-no-engine',
    ],
    patch: (rules) => ({
      ...rules,
      credential: (headers, context) => {
        const sent = headers['x-api-key'];
        return typeof sent === 'string' ? sent : rules.credential(headers, context);
      },
    }),
  },
  {
    name: 'embeddings-errors-classified',
    summary: 'Classifies what an engine says on the embeddings route alone.',
    breaks: [
      'router.transparent-proxy.embeddings-error-unclassified',
      'router.transparent-proxy.embeddings-error-wrapped',
    ],
    patch: (rules) => ({
      ...rules,
      answer: (reply, context) => {
        const wrapped = reply.status === 502 && context.path === '/v1/embeddings';
        if (!wrapped) return reply;
        const body = Buffer.from(reply.body).toString('utf8');
        return { ...reply, status: 400, body: body.replace('backend_error', 'invalid_parameter') };
      },
    }),
  },
  {
    name: 'raw-message-513-when-split',
    summary: 'Keeps a byte too many of a raw body when a character straddles the cut.',
    breaks: ['router.backend-classification.raw-message-truncated-multibyte'],
    patch: (rules) => ({
      ...rules,
      truncate: (bytes) => {
        const straddles = bytes.length > 512 && ((bytes[512] ?? 0) & 0xc0) === 0x80;
        return straddles
          ? Buffer.from(bytes).toString('utf8').slice(0, 512)
          : rules.truncate(bytes);
      },
    }),
  },
  {
    name: 'slot-leaks-on-hang-up',
    summary: 'Forgets the slot of a request that is no stream when its client hangs up.',
    breaks: ['router.admission.slot-back-after-hang-up', 'router.admission.slots-free-when-idle'],
    patch: (rules) => ({
      ...rules,
      release: (holding, ending, free, context) => {
        if (holding !== 'slot' || ending !== 'hang-up' || context.stream)
          rules.release(holding, ending, free, context);
      },
    }),
  },
  {
    name: 'request-id-missing-once-in-200',
    summary: 'Leaves out X-Request-ID on one success in two hundred.',
    breaks: ['router.response-headers.request-id-on-success'],
    patch: (rules) => {
      let successes = 0;
      return {
        ...rules,
        answer: (reply, context) => {
          if (reply.status !== 200 || context.stream) return rules.answer(reply, context);
          successes += 1;
          return successes % 200 === 0 ? withHeader(reply, 'X-Request-ID', undefined) : reply;
        },
      };
    },
  },
]);
