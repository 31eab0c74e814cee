/** Proxy routes that change successes, classify errors, or lose an envelope. */

import { type Fault, declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import { jsonIn } from '../json.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, every, onPath, refusal, withBody, withCode, withError } from './answering.ts';
import type { Patch, When } from './answering.ts';

const ID = 'router.transparent-proxy';

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

const successes = routes.map(([slug, path]): Fault<RouterRules> => {
  const [what, change] = changes[slug];
  return {
    name: `${slug}-success-${what}`,
    summary: `Changes the bytes of a success on the ${slug} route: ${what.replaceAll('-', ' ')}.`,
    breaks: [`${ID}.${slug}-success-untouched`],
    patch: answering(every(isWhole, onPath(path)), (reply) => ({
      ...reply,
      body: change(Buffer.from(reply.body)),
    })),
  };
});

const renamed: Fault<RouterRules> = {
  name: 'proxied-model-renamed',
  summary: 'Puts the name of the model that was asked for into proxied successes.',
  breaks: routes.map(([slug]) => `${ID}.${slug}-success-untouched`),
  patch: answering(every(isWhole, onPath(/^\/v1\/(?!chat|models)/u)), (reply, context) => ({
    ...reply,
    body: Buffer.from(
      Buffer.from(reply.body)
        .toString('latin1')
        .replace(/"model":"[^"]*"/u, `"model":"${context.model ?? ''}"`),
      'latin1',
    ),
  })),
};

const read: Fault<RouterRules> = {
  name: 'proxied-success-must-be-json',
  summary: 'Fails on a proxied success that is no JSON, or empty.',
  breaks: routes.map(([slug]) => `${ID}.${slug}-success-untouched`),
  patch: answering(
    every(
      isWhole,
      onPath(/^\/v1\/(?!chat|models)/u),
      (reply) => jsonIn(Buffer.from(reply.body)) === undefined,
    ),
    (reply) => withError(refusal(reply, 502, 'backend_error'), { source: 'backend' }),
  ),
};

const readAsText: Fault<RouterRules> = {
  name: 'proxied-success-read-as-text',
  summary: 'Reads proxied successes as text, which replaces bytes that are none.',
  breaks: routes.map(([slug]) => `${ID}.${slug}-success-untouched`),
  patch: answering(every(isWhole, onPath(/^\/v1\/(?!chat|models)/u)), (reply) => ({
    ...reply,
    body: Buffer.from(Buffer.from(reply.body).toString('utf8')),
  })),
};

/** Bytes of a buffer that is too small for a large answer. */
const SMALL_BUFFER = 65_536;

const largeSuccess: Fault<RouterRules> = {
  name: 'large-proxied-success-is-cut',
  summary: 'Passes on the first 64 KiB of a success on the rerank route.',
  breaks: [`${ID}.rerank-success-untouched`],
  patch: answering(every(isWhole, onPath('/v1/rerank')), (reply) => ({
    ...reply,
    body: Buffer.from(reply.body).subarray(0, SMALL_BUFFER),
  })),
};

/** Gives foreign errors of one route another code, by what the engine said. */
function wrapping(path: string, code: (status: number, text: string) => string | undefined): Patch {
  return (rules) => ({
    ...rules,
    wrapCode: (status, text, context) =>
      (context.path === path ? code(status, text) : undefined) ??
      rules.wrapCode(status, text, context),
  });
}

const classified = routes.flatMap(([slug, path]): readonly Fault<RouterRules>[] => [
  {
    name: `${slug}-400-is-invalid-parameter`,
    summary: `Says invalid_parameter of a 400 of the engine on the ${slug} route.`,
    breaks: [
      `${ID}.${slug}-error-unclassified`,
      `${ID}.${slug}-error-wrapped`,
      ...(slug === 'messages' ? [`${ID}.near-envelope-wrapped`] : []),
    ],
    patch: wrapping(path, (status) => (status === 400 ? 'invalid_parameter' : undefined)),
  },
  {
    name: `${slug}-context-wording-is-classified`,
    summary: `Says context_length_exceeded of an engine that words it on the ${slug} route.`,
    breaks: [`${ID}.${slug}-error-unclassified`],
    patch: wrapping(path, (status, text) =>
      (status === 400 || status === 422) && /context.*(?:length|window|token)/is.test(text)
        ? 'context_length_exceeded'
        : undefined,
    ),
  },
  {
    name: `${slug}-error-passed-through`,
    summary: `Passes a foreign error on as it is on the ${slug} route.`,
    breaks: [
      `${ID}.${slug}-error-wrapped`,
      'router.envelope.object',
      ...(slug === 'messages' ? [`${ID}.near-envelope-wrapped`] : []),
    ],
    patch: answering(every(withCode('backend_error'), onPath(path)), (reply) =>
      withBody(reply, { type: 'error', detail: 'as the engine said' }, 400),
    ),
  },
  {
    name: `${slug}-503-is-queue-full`,
    summary: `Says queue_full of a 503 of the engine on the ${slug} route.`,
    breaks: [`${ID}.${slug}-error-wrapped`],
    patch: answering(every(withCode('backend_error'), onPath(path)), (reply) =>
      withError(reply, { code: 'queue_full', source: 'router' }, 503),
    ),
  },
  {
    name: `${slug}-envelope-loses-its-source`,
    summary: `Blames the router for every envelope of an engine on the ${slug} route.`,
    breaks: [`${ID}.${slug}-envelope-kept`],
    patch: keeping(path, ({ code }) => ({ code, source: 'router' })),
  },
  {
    name: `${slug}-envelope-wrapped-again`,
    summary: `Does not know the router's own envelope on the ${slug} route.`,
    breaks: [`${ID}.${slug}-envelope-kept`],
    patch: keeping(path, () => undefined),
  },
]);

interface KnownEnvelope {
  readonly code: string;
  readonly source: 'router' | 'backend';
}

function keeping(
  path: string,
  change: (envelope: KnownEnvelope) => KnownEnvelope | undefined,
): Patch {
  return (rules) => ({
    ...rules,
    envelopeIn: (json, context) => {
      const envelope = rules.envelopeIn(json, context);
      return envelope === undefined || context.path !== path ? envelope : change(envelope);
    },
  });
}

const others = declareFaults<RouterRules>([
  {
    name: 'success-201-becomes-200',
    summary: 'Answers 200 where the engine said 201.',
    breaks: [`${ID}.other-success-status`],
    patch: answering(
      (reply) => reply.status === 201,
      (reply) => ({ ...reply, status: 200 }),
    ),
  },
  {
    name: 'success-202-is-a-failure',
    summary: 'Takes a 202 of an engine for a failure.',
    breaks: [`${ID}.other-success-status`],
    patch: (rules) => ({
      ...rules,
      isSuccess: (status) => status !== 202 && rules.isSuccess(status),
    }),
  },
  {
    name: 'success-labelled-plain-json',
    summary: 'Labels every proxied success as plain JSON.',
    breaks: [`${ID}.success-content-type`],
    patch: answering(every(isWhole, onPath('/v1/messages')), (reply) =>
      withHeader(reply, 'Content-Type', 'application/json'),
    ),
  },
  {
    name: 'messages-stream-line-ends-changed',
    summary: 'Rewrites the line ends of a stream on the messages route.',
    breaks: [`${ID}.stream-untouched`],
    patch: (rules) => ({
      ...rules,
      streamPiece: (piece, index, context) => {
        const plain = rules.streamPiece(piece, index, context);
        return context.path === '/v1/messages'
          ? Buffer.from(Buffer.from(plain).toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
          : plain;
      },
    }),
  },
  {
    name: 'messages-stream-pieces-read-as-text',
    summary: 'Reads the pieces of a stream as text, which breaks characters that are cut.',
    breaks: [`${ID}.stream-untouched`],
    patch: (rules) => ({
      ...rules,
      streamPiece: (piece, index, context) => {
        const plain = rules.streamPiece(piece, index, context);
        return context.path === '/v1/messages'
          ? Buffer.from(Buffer.from(plain).toString('utf8'))
          : plain;
      },
    }),
  },
  {
    name: 'envelope-of-input-too-long-is-wrapped',
    summary: 'Takes an envelope that says input_too_long for a foreign error.',
    breaks: [`${ID}.messages-envelope-kept`],
    patch: (rules) => ({
      ...rules,
      envelopeIn: (json, context) => {
        const known = rules.envelopeIn(json, context);
        return known?.code === 'input_too_long' ? undefined : known;
      },
    }),
  },
  {
    name: 'half-an-envelope-is-enough',
    summary: 'Takes an error of an engine with a code alone for the envelope.',
    breaks: [`${ID}.near-envelope-wrapped`],
    patch: (rules) => ({
      ...rules,
      envelopeIn: (json, context) => {
        const known = rules.envelopeIn(json, context);
        if (known !== undefined || context.path !== '/v1/messages') return known;
        const text = JSON.stringify(json ?? null);
        const code = /"code":"([a-z_]+)"/u.exec(text)?.[1];
        return code === undefined ? undefined : { code, source: 'backend' };
      },
    }),
  },
]);

export const proxyFaults: readonly Fault<RouterRules>[] = [
  ...successes,
  largeSuccess,
  renamed,
  read,
  readAsText,
  ...classified,
  ...others,
];
