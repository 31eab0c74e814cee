/** Proxy routes that change successes, classify errors, or lose an envelope. */

import type { Fault } from '../../fault.ts';
import { withHeader } from '../../http.ts';
import { jsonIn } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import {
  amend,
  answering,
  every,
  faultTable,
  onPath,
  type Patch,
  refusal,
  replace,
  unless,
  type When,
  withBody,
  withCode,
  withError,
} from './answering.ts';

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

const successes = routes.flatMap(([slug, path]) => {
  const [what, change] = changes[slug];
  return faultTable({
    [`${ID}.${slug}-success-untouched`]: {
      [`${slug}-success-${what}`]: {
        says: `Changes the bytes of a success on the ${slug} route: ${what.replaceAll('-', ' ')}.`,
        patch: answering(every(isWhole, onPath(path)), (reply) => ({
          ...reply,
          body: change(Buffer.from(reply.body)),
        })),
      },
    },
  });
});

const renamed: readonly Fault<RouterRules>[] = faultTable({
  'router.transparent-proxy.messages-success-untouched': {
    'proxied-model-renamed': {
      says: 'Puts the name of the model that was asked for into proxied successes.',
      besides: [
        'router.transparent-proxy.count-tokens-success-untouched',
        'router.transparent-proxy.embeddings-success-untouched',
        'router.transparent-proxy.rerank-success-untouched',
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
  },
});

const read: readonly Fault<RouterRules>[] = faultTable({
  'router.transparent-proxy.messages-success-untouched': {
    'proxied-success-must-be-json': {
      besides: [
        'router.transparent-proxy.count-tokens-success-untouched',
        'router.transparent-proxy.embeddings-success-untouched',
        'router.transparent-proxy.rerank-success-untouched',
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
  },
});

const readAsText: readonly Fault<RouterRules>[] = faultTable({
  'router.transparent-proxy.messages-success-untouched': {
    'proxied-success-read-as-text': {
      besides: [
        'router.transparent-proxy.count-tokens-success-untouched',
        'router.transparent-proxy.embeddings-success-untouched',
        'router.transparent-proxy.rerank-success-untouched',
      ],
      patch: answering(every(isWhole, onPath(/^\/v1\/(?!chat|models)/u)), (reply) => ({
        ...reply,
        body: Buffer.from(Buffer.from(reply.body).toString('utf8')),
      })),
    },
  },
});

/** Bytes of a buffer that is too small for a large answer. */
const SMALL_BUFFER = 65_536;

const largeSuccess: readonly Fault<RouterRules>[] = faultTable({
  'router.transparent-proxy.rerank-success-untouched': {
    'large-proxied-success-is-cut': {
      says: 'Passes on the first 64 KiB of a success on the rerank route.',
      patch: answering(every(isWhole, onPath('/v1/rerank')), (reply) => ({
        ...reply,
        body: Buffer.from(reply.body).subarray(0, SMALL_BUFFER),
      })),
    },
  },
});

/** Gives foreign errors of one route another code, by what the engine said. */
function wrapping(path: string, code: (status: number, text: string) => string | undefined): Patch {
  return replace(
    'wrapCode',
    (original, status, text, context) =>
      (context.path === path ? code(status, text) : undefined) ?? original(status, text, context),
  );
}

const classified = routes.flatMap(([slug, path]) =>
  faultTable({
    [`${ID}.${slug}-error-unclassified`]: {
      [`${slug}-400-is-invalid-parameter`]: {
        besides: [
          `${ID}.${slug}-error-wrapped`,
          ...(slug === 'messages' ? [`${ID}.near-envelope-wrapped`] : []),
        ],
        patch: wrapping(path, (status) => (status === 400 ? 'invalid_parameter' : undefined)),
      },
      [`${slug}-context-wording-is-classified`]: wrapping(path, (status, text) =>
        (status === 400 || status === 422) && /context.*(?:length|window|token)/is.test(text)
          ? 'context_length_exceeded'
          : undefined,
      ),
    },
    [`${ID}.${slug}-error-wrapped`]: {
      [`${slug}-error-passed-through`]: {
        besides: [
          'router.envelope.object',
          ...(slug === 'messages' ? [`${ID}.near-envelope-wrapped`] : []),
        ],
        patch: answering(every(withCode('backend_error'), onPath(path)), (reply) =>
          withBody(reply, { type: 'error', detail: 'as the engine said' }, 400),
        ),
      },
      [`${slug}-503-is-queue-full`]: answering(
        every(withCode('backend_error'), onPath(path)),
        (reply) => withError(reply, { code: 'queue_full', source: 'router' }, 503),
      ),
    },
    [`${ID}.${slug}-envelope-kept`]: {
      [`${slug}-envelope-loses-its-source`]: keeping(path, ({ code }) => ({
        code,
        source: 'router',
      })),
      [`${slug}-envelope-wrapped-again`]: keeping(path, () => undefined),
    },
  }),
);

interface KnownEnvelope {
  readonly code: string;
  readonly source: 'router' | 'backend';
}

function keeping(
  path: string,
  change: (envelope: KnownEnvelope) => KnownEnvelope | undefined,
): Patch {
  return amend('envelopeIn', (envelope, _json, context) =>
    envelope === undefined || context.path !== path ? envelope : change(envelope),
  );
}

const others = faultTable({
  'router.transparent-proxy.other-success-status': {
    'success-201-becomes-200': answering(
      (reply) => reply.status === 201,
      (reply) => ({ ...reply, status: 200 }),
    ),
    'success-202-is-a-failure': unless('isSuccess', (status) => status === 202, false),
  },
  'router.transparent-proxy.success-content-type': {
    'success-labelled-plain-json': answering(every(isWhole, onPath('/v1/messages')), (reply) =>
      withHeader(reply, 'Content-Type', 'application/json'),
    ),
  },
  'router.transparent-proxy.stream-untouched': {
    'messages-stream-line-ends-changed': amend('streamPiece', (plain, _piece, _index, context) =>
      context.path === '/v1/messages'
        ? Buffer.from(Buffer.from(plain).toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
        : plain,
    ),
    'messages-stream-pieces-read-as-text': amend('streamPiece', (plain, _piece, _index, context) =>
      context.path === '/v1/messages' ? Buffer.from(Buffer.from(plain).toString('utf8')) : plain,
    ),
  },
  'router.transparent-proxy.messages-envelope-kept': {
    'envelope-of-input-too-long-is-wrapped': amend('envelopeIn', (known) =>
      known?.code === 'input_too_long' ? undefined : known,
    ),
  },
  'router.transparent-proxy.near-envelope-wrapped': {
    'half-an-envelope-is-enough': {
      says: 'Takes an error of an engine with a code alone for the envelope.',
      patch: amend('envelopeIn', (known, json, context) => {
        if (known !== undefined || context.path !== '/v1/messages') return known;
        const text = JSON.stringify(json ?? null);
        const code = /"code":"([a-z_]+)"/u.exec(text)?.[1];
        return code === undefined ? undefined : { code, source: 'backend' as const };
      }),
    },
  },
});

export const proxyFaults: readonly Fault<RouterRules>[] = [
  ...successes,
  ...largeSuccess,
  ...renamed,
  ...read,
  ...readAsText,
  ...classified,
  ...others,
];
