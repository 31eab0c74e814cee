/** X-Request-ID taken for what it is not. */

import type { RequestContext } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import { faultTable, refusal } from './answering.ts';

const DONE = 'data: [DONE]\n\n';

interface Latch {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function latch(): Latch {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** Answers a request, of the chat route unless told, by its id when one with that id was answered before, or is under way. */
function deduplicating(
  concurrently: boolean,
  where: (context: RequestContext) => boolean = ({ path }) => path === '/v1/chat/completions',
) {
  return (rules: RouterRules): RouterRules => {
    const open = new Map<string, number>();
    const seen = new Map<string, number>();
    const idOf = (context: RequestContext): string | undefined => {
      const id = context.headers['x-request-id'];
      return typeof id === 'string' && where(context) ? id : undefined;
    };
    return {
      ...rules,
      shortcut: (context) => {
        const id = idOf(context);
        if (id === undefined) return rules.shortcut(context);
        const again = concurrently ? (open.get(id) ?? 0) > 0 : seen.has(id);
        if (!again) {
          open.set(id, (open.get(id) ?? 0) + 1);
          return rules.shortcut(context);
        }
        const empty = {
          status: 200,
          headers: [['X-Request-ID', context.requestId]],
          body: '',
        } as const;
        return concurrently
          ? refusal(empty, 503, 'no_capacity')
          : { ...refusal(empty, 200, 'none'), body: JSON.stringify({ id: 'seen before' }) };
      },
      answer: (reply, context) => {
        const id = idOf(context);
        if (id !== undefined) {
          open.set(id, (open.get(id) ?? 1) - 1);
          if (reply.status === 200) seen.set(id, Date.now());
        }
        return rules.answer(reply, context);
      },
    };
  };
}

/** Lets a chat completion wait for one under way with its id, and answers it without an engine. */
function coalescing(rules: RouterRules): RouterRules {
  const open = new Map<string, Latch>();
  const idOf = ({ headers, path }: RequestContext): string | undefined => {
    const id = headers['x-request-id'];
    return typeof id === 'string' && path === '/v1/chat/completions' ? id : undefined;
  };
  return {
    ...rules,
    shortcut: async (context) => {
      const id = idOf(context);
      const first = id === undefined ? undefined : open.get(id);
      if (first === undefined) {
        if (id !== undefined) open.set(id, latch());
        return rules.shortcut(context);
      }
      await first.promise;
      // Who asks for one of two streams at once is told in the form of one.
      const type = ['Content-Type', 'text/event-stream'] as const;
      return { status: 200, headers: [['X-Request-ID', context.requestId], type], body: DONE };
    },
    release: (holding, ending, free, context) => {
      rules.release(holding, ending, free, context);
      const id = idOf(context);
      if (id === undefined || holding !== 'processor') return;
      open.get(id)?.resolve();
      open.delete(id);
    },
  };
}

/** Refuses a request on a path as too many, when one with its id was there before. */
function limiting(path: string) {
  return (rules: RouterRules): RouterRules => {
    const seen = new Set<string>();
    return {
      ...rules,
      shortcut: (context) => {
        const id = context.headers['x-request-id'];
        if (typeof id !== 'string' || context.path !== path) return rules.shortcut(context);
        const empty = {
          status: 429,
          headers: [['X-Request-ID', context.requestId]],
          body: '',
        } as const;
        if (seen.has(id)) return refusal(empty, 429, 'rate_limit_exceeded');
        seen.add(id);
        return rules.shortcut(context);
      },
    };
  };
}

export const idempotencyFaults = faultTable({
  'router.retry-behaviour.request-id-not-idempotency': {
    'request-id-is-idempotency-key': deduplicating(false),
    'request-id-is-idempotency-key-on-messages': deduplicating(
      false,
      ({ path }) => path === '/v1/messages',
    ),
    'request-id-limits': {
      says: 'Refuses a second chat completion with the same X-Request-ID as one too many.',
      patch: limiting('/v1/chat/completions'),
    },
    'request-id-limits-embeddings': limiting('/v1/embeddings'),
  },
  'router.retry-behaviour.request-id-not-idempotency-concurrent': {
    'request-id-locks': {
      says: 'Refuses a request while another with the same X-Request-ID is under way.',
      patch: deduplicating(true),
    },
    'request-id-coalesces': {
      says: 'Answers a request without an engine once another with its X-Request-ID is done.',
      patch: coalescing,
    },
  },
});
