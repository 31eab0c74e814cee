/** Providers that are called too often or not at all, and X-Request-ID used as an idempotency key. */

import { type RequestContext, RouterFailure } from '../model.ts';
import { type Reply, withHeader } from '../../http.ts';
import {
  after,
  asStream,
  DONE,
  each,
  faultTable,
  forces,
  MESSAGES,
  on,
  onMessages,
  type Patch,
  refusal,
  rows,
  withBody,
} from './words.ts';
import { goingOn } from './words-limits.ts';

function latch() {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

const CHAT = '/v1/chat/completions';

/** The id that the client gave to a request of one path. */
function idOn(path: string): (context: RequestContext) => string | undefined {
  return ({ headers, path: asked }) => {
    const id = headers['x-request-id'];
    return typeof id === 'string' && asked === path ? id : undefined;
  };
}

const bare = ({ requestId }: RequestContext): Reply => ({
  status: 200,
  headers: [['X-Request-ID', requestId]],
  body: '',
});

/** Answers a request without an engine if one with the same id was answered before, or is in progress. */
function deduplicating(concurrently: boolean, path: string): Patch {
  const idOf = idOn(path);
  return (rules) => {
    const open = new Map<string, number>();
    const seen = new Set<string>();
    return {
      shortcut: (context) => {
        const id = idOf(context);
        if (id === undefined) return rules.shortcut(context);
        const isRepeat = concurrently ? (open.get(id) ?? 0) > 0 : seen.has(id);
        if (!isRepeat) {
          open.set(id, (open.get(id) ?? 0) + 1);
          return rules.shortcut(context);
        }
        return concurrently
          ? refusal(bare(context), 'no_capacity')
          : withHeader(
              withBody(bare(context), { id: 'seen before' }),
              'Content-Type',
              'application/json',
            );
      },
      answer: (reply, context) => {
        const id = idOf(context);
        if (id !== undefined) {
          open.set(id, (open.get(id) ?? 1) - 1);
          if (reply.status === 200) seen.add(id);
        }
        return rules.answer(reply, context);
      },
    };
  };
}

/** A chat completion waits for one in progress with the same id, and is answered without an engine. */
const coalescing: Patch = (rules) => {
  const idOf = idOn(CHAT);
  const open = new Map<string, ReturnType<typeof latch>>();
  return {
    shortcut: async (context) => {
      const id = idOf(context);
      const first = id === undefined ? undefined : open.get(id);
      if (first === undefined) {
        if (id !== undefined) open.set(id, latch());
        return rules.shortcut(context);
      }
      await first.promise;
      // A case sends two streams with one id at once, so the response is a stream.
      return withHeader(withBody(bare(context), DONE), 'Content-Type', 'text/event-stream');
    },
    release: (holding, ending, free, context) => {
      rules.release(holding, ending, free, context);
      const id = idOf(context);
      if (id === undefined || holding !== 'processor') return;
      open.get(id)?.resolve();
      open.delete(id);
    },
  };
};

/** Refuses a chat completion with an id that was used before with 429. */
const limiting: Patch = (rules) => {
  const idOf = idOn(CHAT);
  const seen = new Set<string>();
  return {
    shortcut: (context) => {
      const id = idOf(context);
      if (id === undefined) return rules.shortcut(context);
      if (seen.has(id)) return refusal(bare(context), 'rate_limit_exceeded');
      seen.add(id);
      return rules.shortcut(context);
    },
  };
};

/** Gives a provider failure another code if `code` returns one. */
function failing(code: (text: string, context: RequestContext) => string | undefined): Patch {
  return (rules) => ({
    providerFailure: (text, context) => {
      const other = code(text, context);
      return other === undefined
        ? rules.providerFailure(text, context)
        : new RouterFailure(other, text);
    },
  });
}

const onProvider = on({ model: 'scripted-provider' });

export const retryProviderFaults = faultTable('router.retry-behaviour', {
  'terminal-skips-provider: invalid-parameter-tried-by-the-provider-for-streams': goingOn(
    'invalid_parameter',
    on({ model: 'scripted-provider', stream: true }),
  ),
  'terminal-skips-provider: proxied-codes-tried-by-the-provider': forces(
    'stops',
    false,
    (_code, context) => context.path === '/v1/messages' && onProvider(context),
  ),
  'request-id-not-idempotency: request-id-is-idempotency-key-on-messages': deduplicating(
    false,
    '/v1/messages',
  ),
  'request-id-not-idempotency: request-id-limits': limiting,
  'request-id-not-idempotency-concurrent: request-id-locks': deduplicating(true, CHAT),
  'request-id-not-idempotency-concurrent: request-id-coalesces': coalescing,
  ...each.forces('asksProvider', false, {
    'provider-fallback: provider-not-asked-for-streams': asStream,
    'provider-fallback: provider-not-asked-after-lost-engine': (journey) =>
      journey.failures.at(-1)?.message === 'the engine is unavailable',
    'provider-fallback: provider-not-asked-after-404': (_journey, context) => after(404)(context),
    'provider-fallback-on-proxy: provider-not-asked-on-messages': onMessages,
    'provider-fallback-on-proxy: provider-not-asked-for-streams-on-messages': on({
      path: MESSAGES,
      stream: true,
    }),
  }),
  'provider-asked-once: provider-asked-twice': () => ({ providerTries: () => 2 }),
  ...rows(failing, {
    'provider-failure + router.authentication.refusal-message: provider-401-is-unauthorized': (
      text,
    ) => (text.startsWith('it answered 401') ? 'unauthorized' : undefined),
    'provider-failure: provider-type-is-classified': (text) =>
      /"type":"(context_length_exceeded)"/u.exec(text)?.[1],
    'provider-failure: provider-envelope-is-kept': (text) =>
      /"code":"(invalid_parameter)"/u.exec(text)?.[1],
    'provider-failure: provider-wording-is-classified': (text) =>
      text.startsWith('it answered 422') && /context/u.test(text)
        ? 'context_length_exceeded'
        : undefined,
    'provider-failure: lost-provider-is-unavailable': (text) =>
      text.startsWith('it answered') ? undefined : 'backend_unavailable',
    'provider-failure: provider-failure-is-no-agents-for-streams': (_text, { stream }) =>
      stream ? 'no_agents_available' : undefined,
    'provider-failure: provider-failure-is-unavailable-on-messages': (_text, { path }) =>
      path === '/v1/messages' ? 'backend_unavailable' : undefined,
    'provider-failure: provider-400-is-invalid-parameter-on-messages': (text, { path }) =>
      path === '/v1/messages' && text.startsWith('it answered 400')
        ? 'invalid_parameter'
        : undefined,
    'provider-failure: empty-provider-failure-is-unavailable': (text) =>
      /^it answered \d+: $/u.test(text) ? 'backend_unavailable' : undefined,
    'provider-failure: large-provider-failure-is-no-capacity': (text) =>
      text.length > 500 ? 'no_capacity' : undefined,
  }),
});
