/** Proxy routes that change successes, classify errors or lose an envelope. */

import { errorObject, jsonIn } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import {
  after,
  always,
  amend,
  answering,
  answers,
  CHALLENGE,
  cut,
  each,
  every,
  faultTable,
  forces,
  forwarding,
  gathered,
  headed,
  isWhole,
  MESSAGES,
  on,
  once,
  onChat,
  onMessages,
  type Patch,
  refusal,
  replace,
  SMALL_BUFFER,
  unfinished,
  type When,
  withBody,
  withError,
  withMembers,
} from './words.ts';

/** Appends text to messages streams that broke off. */
function endingMessages(text: string): Patch {
  return (rules) => ({
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

const onEmbeddings = on({ path: '/v1/embeddings' });
const isProxied = on({ path: /^\/v1\/(?!chat|models)/u });

/** The requirements on a success of each route. */
const UNTOUCHED = routes.map(([slug]) => `${slug}-success-untouched`).join(' + ');

/** Passes an error of an engine on in its own form. */
const passingOn = (when: When, status = 400): Patch =>
  answering(when, (reply) =>
    withBody(reply, { type: 'error', detail: 'as the engine said' }, status),
  );

/** Each route changes the body of a success in another careless way. */
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

const successes = gathered(routes, ([slug, path]) => {
  const [what, change] = changes[slug];
  return {
    [`${slug}-success-untouched: ${slug}-success-${what}`]: answering(
      every(isWhole, on({ path })),
      (reply) => ({ ...reply, body: change(Buffer.from(reply.body)) }),
    ),
  };
});

/** Numbers of members at the top level and under `error`. */
const shapeOf = (json: unknown): string =>
  [json, errorObject(json)].map((value) => Object.keys(value ?? {}).length).join();

/** Errors without an envelope get another code on one route. */
function wrapping(path: string, code: (status: number, text: string) => string | undefined): Patch {
  return replace(
    'wrapCode',
    (original, status, text, context) =>
      (context.path === path ? code(status, text) : undefined) ?? original(status, text, context),
  );
}

type KnownEnvelope = NonNullable<ReturnType<RouterRules['envelopeIn']>>;

/** Reads the envelopes of an engine otherwise on one route; undefined if they are not recognized. */
function keeping(
  path: string,
  change: (envelope: KnownEnvelope, json: unknown) => KnownEnvelope | undefined,
): Patch {
  return amend('envelopeIn', (envelope, json, context) =>
    envelope === undefined || context.path !== path ? envelope : change(envelope, json),
  );
}

/** Cases try near-envelopes on /v1/messages only. */
const near = (slug: string): string => (slug === 'messages' ? ' + near-envelope-wrapped' : '');

const classified = gathered(routes, ([slug, path]) => ({
  [`${slug}-error-unclassified + ${slug}-error-wrapped${near(slug)}: ${slug}-400-is-invalid-parameter`]:
    wrapping(path, (status) => (status === 400 ? 'invalid_parameter' : undefined)),
  [`${slug}-error-unclassified: ${slug}-context-wording-is-classified`]: wrapping(
    path,
    (status, text) =>
      (status === 400 || status === 422) && /context.*(?:length|window|token)/is.test(text)
        ? 'context_length_exceeded'
        : undefined,
  ),
  [`${slug}-error-wrapped + router.envelope.object${near(slug)}: ${slug}-error-passed-through`]:
    passingOn(on({ code: 'backend_error', path })),
  [`${slug}-error-wrapped: ${slug}-401-is-unauthorized`]: answering(
    every(on({ code: 'backend_error', path }), (_reply, context) => after(401)(context)),
    (reply) => refusal(reply, 'unauthorized', { [CHALLENGE]: 'Bearer realm="router"' }),
  ),
  [`${slug}-error-wrapped: ${slug}-503-is-queue-full`]: answering(
    on({ code: 'backend_error', path }),
    (reply) => withError(reply, { code: 'queue_full', source: 'router' }, 503),
  ),
  [`${slug}-envelope-kept: ${slug}-envelope-loses-its-source`]: keeping(path, ({ code }) => ({
    code,
    source: 'router',
  })),
  [`${slug}-envelope-kept: ${slug}-envelope-wrapped-again`]: keeping(path, () => undefined),
}));

/** Whether an error has the form of the service that defines the route. */
const isOfService: Readonly<Record<(typeof routes)[number][0], (text: string) => boolean>> = {
  messages: (text) => text.includes('"type":"error"'),
  'count-tokens': (text) => text.includes('"type":"error"'),
  embeddings: (text) => text.includes('"param":null'),
  rerank: (text) => text.includes('"detail":"'),
};

const passedInTheirForm = gathered(routes, ([slug, path]) => ({
  [`${slug}-error-wrapped + router.envelope.object, met by ${slug}-error-wrapped: ${slug}-errors-of-its-service-passed-through`]:
    passingOn(
      (_reply, { engineError, path: asked }) =>
        asked === path &&
        engineError !== undefined &&
        isOfService[slug](Buffer.from(engineError.bytes).toString('utf8')),
    ),
}));

export const transparentProxyFaults = faultTable('router.transparent-proxy', {
  'request-untouched: proxied-requests-written-anew': forwarding(
    (context) => !onChat(context),
    ({ body }) => ({ body: withMembers(body, () => true) }),
  ),
  ...answers((reply) => ({ ...reply, status: 200 }), {
    'other-success-status: embeddings-201-becomes-200': on({ status: 201, path: '/v1/embeddings' }),
    'other-success-status: messages-202-becomes-200': on({ status: 202, path: MESSAGES }),
  }),
  ...each.forces('isSuccess', false, {
    'other-success-status: success-202-is-a-failure': (status) => status === 202,
    'other-success-status: success-204-is-a-failure': (status) => status === 204,
  }),
  'messages-error-wrapped + count-tokens-error-wrapped + embeddings-error-wrapped + rerank-error-wrapped + router.envelope.object: errors-beyond-64-kib-passed-through':
    passingOn(
      every(isProxied, (_reply, { engineError }) => (engineError?.bytes.length ?? 0) > 65_536),
    ),
  'stream-untouched: messages-stream-ends-with-an-error-event': endingMessages(
    'event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n',
  ),
  'stream-untouched: messages-stream-ends-with-a-forged-stop': endingMessages(
    '\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
  ),
  'stream-untouched: long-proxied-streams-cut': cut((context) => !onChat(context)),
  'stream-untouched: proxied-streams-unfinished': unfinished((context) => !onChat(context)),
  [`${UNTOUCHED}: proxied-model-renamed`]: answering(
    every(isWhole, isProxied),
    (reply, { model = '' }) => {
      const text = Buffer.from(reply.body).toString('latin1');
      const renamed = text.replace(/"model":"[^"]*"/u, `"model":"${model}"`);
      return { ...reply, body: Buffer.from(renamed, 'latin1') };
    },
  ),
  [`${UNTOUCHED}: proxied-success-must-be-json`]: answering(
    every(isWhole, isProxied, (reply) => jsonIn(Buffer.from(reply.body)) === undefined),
    (reply) => withError(refusal(reply, 'backend_error'), { source: 'backend' }),
  ),
  [`${UNTOUCHED}: proxied-success-read-as-text`]: answering(every(isWhole, isProxied), (reply) => ({
    ...reply,
    body: Buffer.from(Buffer.from(reply.body).toString('utf8')),
  })),
  'rerank-success-untouched: large-proxied-success-is-cut': answering(
    on({ status: 200, stream: false, path: '/v1/rerank' }),
    (reply) => ({ ...reply, body: Buffer.from(reply.body).subarray(0, SMALL_BUFFER) }),
  ),
  'embeddings-success-untouched: proxied-success-ends-early': answering(
    every(isWhole, onEmbeddings),
    (reply) => ({ ...reply, cutAfter: reply.body.length - 1 }),
  ),
  'embeddings-success-untouched: proxied-success-loses-its-byte-order-mark': answering(
    every(isWhole, onEmbeddings),
    (reply) => {
      const body = Buffer.from(reply.body);
      return { ...reply, body: body.subarray(body.toString('hex', 0, 3) === 'efbbbf' ? 3 : 0) };
    },
  ),
  ...headed('Content-Type', 'application/json', {
    'success-content-type: success-labelled-plain-json': every(isWhole, onMessages),
  }),
  'embeddings-error-wrapped: embeddings-429-and-503-are-unavailable': wrapping(
    '/v1/embeddings',
    (status) => (status === 429 || status === 503 ? 'backend_unavailable' : undefined),
  ),
  'embeddings-error-wrapped + router.envelope.object, met by embeddings-error-wrapped: embeddings-500-passed-through':
    passingOn(
      every(onEmbeddings, (_reply, context) => after(500)(context)),
      500,
    ),
  'messages-envelope-kept: error-on-messages-read-to-its-first-chunk': forces(
    'errorPieces',
    1,
    onMessages,
  ),
  'messages-envelope-kept + count-tokens-envelope-kept + embeddings-envelope-kept + rerank-envelope-kept: errors-beyond-32-kib-not-read':
    forces('errorJson', undefined, (body) => body.length > 32_768),
  'messages-envelope-kept: envelope-of-a-retry-is-wrapped': once('stops', always, (wasTried) =>
    forces('envelopeIn', undefined, wasTried),
  ),
  ...each.amend('envelopeIn', {
    'messages-envelope-kept: envelope-before-a-stream-is-wrapped': (known, _json, context) =>
      context.stream ? undefined : known,
    'messages-envelope-kept: envelope-of-input-too-long-is-wrapped': (known) =>
      known?.code === 'input_too_long' ? undefined : known,
    'near-envelope-wrapped: half-an-envelope-is-enough': (known, json, context) => {
      if (known !== undefined || context.path !== '/v1/messages') return known;
      const text = JSON.stringify(json ?? null);
      const code = /"code":"([a-z_]+)"/u.exec(text)?.[1];
      return code === undefined ? undefined : { code, source: 'backend' as const };
    },
  }),
  'envelope-with-more-kept: envelopes-known-by-their-members': forces(
    'envelopeIn',
    undefined,
    (json) => shapeOf(json) !== '1,3',
  ),
  'messages-error-wrapped + router.envelope.object: messages-stream-error-passed-through':
    passingOn(on({ code: 'backend_error', path: MESSAGES, stream: true })),
  'embeddings-envelope-kept: embeddings-envelope-kept-where-it-stops': keeping(
    '/v1/embeddings',
    (envelope) => (envelope.code === 'backend_unavailable' ? undefined : envelope),
  ),
  'rerank-envelope-kept: rerank-large-envelope-wrapped-again': keeping(
    '/v1/rerank',
    (envelope, json) => (JSON.stringify(json).length > 512 ? undefined : envelope),
  ),
  ...successes,
  ...classified,
  ...passedInTheirForm,
});
