/** Proxy routes that classify errors of engines, or lose an envelope. */

import { errorObject, type RequestContext } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import type { Fault } from '../../fault.ts';
import {
  after,
  amend,
  answering,
  asStream,
  every,
  faultTable,
  forces,
  on,
  type Patch,
  replace,
  withBody,
  withCode,
  withError,
} from './words.ts';

/** Numbers of members at the top and under `error`. */
const shapeOf = (json: unknown): string =>
  [json, errorObject(json)].map((value) => Object.keys(value ?? {}).length).join();

/** Does not know some envelopes of an engine on one route. */
function wrappingAgain(
  path: string,
  where: (code: string, json: unknown) => boolean,
): Fault<RouterRules>['patch'] {
  return amend('envelopeIn', (envelope, json, context) => {
    const lost = envelope !== undefined && context.path === path && where(envelope.code, json);
    return lost ? undefined : envelope;
  });
}

const routes = [
  ['messages', '/v1/messages'],
  ['count-tokens', '/v1/messages/count_tokens'],
  ['embeddings', '/v1/embeddings'],
  ['rerank', '/v1/rerank'],
] as const;

/** Gives foreign errors of one route another code, by what the engine said. */
function wrapping(path: string, code: (status: number, text: string) => string | undefined): Patch {
  return replace(
    'wrapCode',
    (original, status, text, context) =>
      (context.path === path ? code(status, text) : undefined) ?? original(status, text, context),
  );
}

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

const classified = routes.flatMap(([slug, path]) =>
  faultTable('router.transparent-proxy', {
    [`${slug}-error-unclassified: ${slug}-400-is-invalid-parameter`]: {
      besides: [
        `router.transparent-proxy.${slug}-error-wrapped`,
        ...(slug === 'messages' ? ['router.transparent-proxy.near-envelope-wrapped'] : []),
      ],
      patch: wrapping(path, (status) => (status === 400 ? 'invalid_parameter' : undefined)),
    },
    [`${slug}-error-unclassified: ${slug}-context-wording-is-classified`]: wrapping(
      path,
      (status, text) =>
        (status === 400 || status === 422) && /context.*(?:length|window|token)/is.test(text)
          ? 'context_length_exceeded'
          : undefined,
    ),
    [`${slug}-error-wrapped: ${slug}-error-passed-through`]: {
      besides: [
        'router.envelope.object',
        ...(slug === 'messages' ? ['router.transparent-proxy.near-envelope-wrapped'] : []),
      ],
      patch: answering(every(withCode('backend_error'), on({ path })), (reply) =>
        withBody(reply, { type: 'error', detail: 'as the engine said' }, 400),
      ),
    },
    [`${slug}-error-wrapped: ${slug}-503-is-queue-full`]: answering(
      every(withCode('backend_error'), on({ path })),
      (reply) => withError(reply, { code: 'queue_full', source: 'router' }, 503),
    ),
    [`${slug}-envelope-kept: ${slug}-envelope-loses-its-source`]: keeping(path, ({ code }) => ({
      code,
      source: 'router',
    })),
    [`${slug}-envelope-kept: ${slug}-envelope-wrapped-again`]: keeping(path, () => undefined),
  }),
);

export const transparentProxyErrorsFaults = [
  ...faultTable('router.transparent-proxy', {
    'embeddings-error-wrapped: embeddings-500-passed-through': {
      besides: ['router.envelope.object'],
      exercisedBy: ['embeddings-error-wrapped'],
      patch: answering(
        every(on({ path: '/v1/embeddings' }), (_reply, context) => after(500)(context)),
        (reply) => withBody(reply, { detail: 'as the engine said' }, 500),
      ),
    },
    'messages-envelope-kept: errors-beyond-4-kib-not-read': {
      besides: ['count-tokens-envelope-kept', 'embeddings-envelope-kept', 'rerank-envelope-kept'],
      patch: forces('errorJson', undefined, (body) => body.length > 4_096),
    },
    'messages-envelope-kept: envelope-of-a-retry-is-wrapped': (rules) => {
      const tried = new WeakSet<RequestContext>();
      return {
        envelopeIn: (json, context) =>
          tried.has(context) ? undefined : rules.envelopeIn(json, context),
        stops: (code, context) => {
          tried.add(context);
          return rules.stops(code, context);
        },
      };
    },
    'messages-envelope-kept: envelope-of-input-too-long-is-wrapped': amend('envelopeIn', (known) =>
      known?.code === 'input_too_long' ? undefined : known,
    ),
    'envelope-with-more-kept: envelopes-known-by-their-members': forces(
      'envelopeIn',
      undefined,
      (json) => shapeOf(json) !== '1,3',
    ),
    'messages-error-wrapped + router.envelope.object: messages-stream-error-passed-through':
      answering(every(withCode('backend_error'), on({ path: '/v1/messages' }), asStream), (reply) =>
        withBody(reply, { type: 'error', detail: 'as the engine said' }, 400),
      ),
    'embeddings-envelope-kept: embeddings-envelope-kept-where-it-stops': wrappingAgain(
      '/v1/embeddings',
      (code) => code === 'backend_unavailable',
    ),
    'rerank-envelope-kept: rerank-large-envelope-wrapped-again': wrappingAgain(
      '/v1/rerank',
      (_code, json) => JSON.stringify(json).length > 512,
    ),
    'near-envelope-wrapped: half-an-envelope-is-enough': amend(
      'envelopeIn',
      (known, json, context) => {
        if (known !== undefined || context.path !== '/v1/messages') return known;
        const text = JSON.stringify(json ?? null);
        const code = /"code":"([a-z_]+)"/u.exec(text)?.[1];
        return code === undefined ? undefined : { code, source: 'backend' as const };
      },
    ),
  }),
  ...classified,
];
