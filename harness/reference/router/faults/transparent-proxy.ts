/** Proxy routes that change successes, classify errors, or lose an envelope. */

import { jsonIn } from '../model.ts';
import { withHeader } from '../../http.ts';
import type { RouterRules } from '../rules/rules.ts';
import {
  answering,
  cut,
  every,
  faultTable,
  forces,
  forwarding,
  on,
  onChat,
  onMessages,
  onPath,
  refusal,
  SMALL_BUFFER,
  unfinished,
  type When,
  withError,
  withMembers,
} from './words.ts';

/** Adds something at the end of messages streams that broke off. */
function endingMessages(text: string) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    streamTail: (complete, context) =>
      complete || !onMessages(context) ? rules.streamTail(complete, context) : Buffer.from(text),
  });
}

const routes = [
  ['messages', '/v1/messages'],
  ['count-tokens', '/v1/messages/count_tokens'],
  ['embeddings', '/v1/embeddings'],
  ['rerank', '/v1/rerank'],
] as const;

const isWhole: When = (reply, context) => reply.status === 200 && !context.stream;

/** A careless way to pass a success on, another one for each route. */
const changes: Readonly<
  Record<(typeof routes)[number][0], readonly [what: string, change: (body: Buffer) => Uint8Array]>
> = {
  messages: [
    'written-anew',
    (body) => {
      const json = jsonIn(body);
      return json === undefined ? body : Buffer.from(JSON.stringify(json));
    },
  ],
  'count-tokens': ['trimmed', (body) => Buffer.from(body.toString('utf8').trim())],
  embeddings: ['read-as-latin-1', (body) => Buffer.from(body.toString('latin1'), 'utf8')],
  rerank: ['ended-with-a-newline', (body) => Buffer.concat([body, Buffer.from('\n')])],
};

const successes = routes.flatMap(([slug, path]) => {
  const [what, change] = changes[slug];
  return faultTable('router.transparent-proxy', {
    [`${slug}-success-untouched: ${slug}-success-${what}`]: answering(
      every(isWhole, on({ path })),
      (reply) => ({
        ...reply,
        body: change(Buffer.from(reply.body)),
      }),
    ),
  });
});

export const transparentProxyFaults = [
  ...faultTable('router.transparent-proxy', {
    'request-untouched: proxied-requests-written-anew': forwarding(
      (context) => !onChat(context),
      ({ body }) => ({ body: withMembers(body, () => true) }),
    ),
    'other-success-status: embeddings-201-becomes-200': answering(
      every((reply) => reply.status === 201, on({ path: '/v1/embeddings' })),
      (reply) => ({ ...reply, status: 200 }),
    ),
    'other-success-status: messages-202-becomes-200': answering(
      every((reply) => reply.status === 202, on({ path: '/v1/messages' })),
      (reply) => ({ ...reply, status: 200 }),
    ),
    'other-success-status: success-202-is-a-failure': forces(
      'isSuccess',
      false,
      (status) => status === 202,
    ),
    'stream-untouched: messages-stream-ends-with-an-error-event': endingMessages(
      'event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n',
    ),
    'stream-untouched: messages-stream-ends-with-a-forged-stop': endingMessages(
      '\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
    ),
    'stream-untouched: long-proxied-streams-cut': cut((context) => !onChat(context)),
    'stream-untouched: proxied-streams-unfinished': unfinished(() => (context) => !onChat(context)),
    'messages-success-untouched: proxied-model-renamed': {
      besides: [
        'count-tokens-success-untouched',
        'embeddings-success-untouched',
        'rerank-success-untouched',
      ],
      patch: answering(every(isWhole, onPath(/^\/v1\/(?!chat|models)/u)), (reply, context) => ({
        ...reply,
        body: Buffer.from(
          Buffer.from(reply.body)
            .toString('latin1')
            .replace(/"model":"[^"]*"/u, `"model":"${context.model ?? ''}"`),
          'latin1',
        ),
      })),
    },
    'messages-success-untouched: proxied-success-must-be-json': {
      besides: [
        'count-tokens-success-untouched',
        'embeddings-success-untouched',
        'rerank-success-untouched',
      ],
      patch: answering(
        every(
          isWhole,
          onPath(/^\/v1\/(?!chat|models)/u),
          (reply) => jsonIn(Buffer.from(reply.body)) === undefined,
        ),
        (reply) => withError(refusal(reply, 502, 'backend_error'), { source: 'backend' }),
      ),
    },
    'messages-success-untouched: proxied-success-read-as-text': {
      besides: [
        'count-tokens-success-untouched',
        'embeddings-success-untouched',
        'rerank-success-untouched',
      ],
      patch: answering(every(isWhole, onPath(/^\/v1\/(?!chat|models)/u)), (reply) => ({
        ...reply,
        body: Buffer.from(Buffer.from(reply.body).toString('utf8')),
      })),
    },
    'rerank-success-untouched: large-proxied-success-is-cut': answering(
      every(isWhole, on({ path: '/v1/rerank' })),
      (reply) => ({
        ...reply,
        body: Buffer.from(reply.body).subarray(0, SMALL_BUFFER),
      }),
    ),
    'success-content-type: success-labelled-plain-json': answering(
      every(isWhole, on({ path: '/v1/messages' })),
      (reply) => withHeader(reply, 'Content-Type', 'application/json'),
    ),
  }),
  ...successes,
];
