/** Variants in engine errors and responses. */

import { errorObject, jsonIn, memberOf, type RequestContext, RouterFailure } from '../model.ts';
import { amend, choosing, deciding, forces } from './variant.ts';

export const engineErrorVariants = [
  ...deciding({
    'proxied-errors-wrapped-at-once: Wraps what an engine answers on a proxy route at once.': (
      rules,
    ) => {
      const wrapped = new WeakSet<RequestContext>();
      return {
        wrapCode: (status, text, context) => {
          wrapped.add(context);
          return rules.wrapCode(status, text, context);
        },
        stops: (code, context) => wrapped.delete(context) || rules.stops(code, context),
      };
    },
    'errors-read-as-far-as-they-are-kept: Knows a message by its name alone, reads 512 bytes of any other error, and says whose words they are.':
      (rules) => ({
        messageIn: (json) => {
          const named = [memberOf(errorObject(json), 'message'), memberOf(json, 'message')];
          return named.filter((message) => typeof message === 'string').find((text) => text !== '');
        },
        speaksOfContext: (text, context) => rules.speaksOfContext(text.slice(0, 512), context),
        envelope: (failure, source, context) => {
          const said = `An engine said: ${failure.message} (north)`;
          const introduced = new RouterFailure(failure.code, said, failure.detail);
          return rules.envelope(source === 'backend' ? introduced : failure, source, context);
        },
      }),
    'context-worded-in-whole-words: Takes context, length, window and token for wording where they are words of their own.':
      () => ({
        speaksOfContext: (text) =>
          /\bcontext\b/i.test(text) && /\b(?:length|window|token)s?\b/i.test(text),
      }),
    'errors-read-to-64-kib: Reads no JSON in an error of more than 64 KiB.': forces(
      'errorJson',
      undefined,
      (body) => body.length > 65_536,
    ),
    'nothing-is-no-completion: Takes a success of the chat engine without a body for a failure.':
      forces(
        'isSuccess',
        false,
        (status, { path }) => status === 204 && path === '/v1/chat/completions',
      ),
  }),
  ...choosing({
    'streams-begin-and-end-by-themselves: Begins a stream before its engine has answered, and ends one in an orderly way whatever came of it.':
      { beginsInSilenceAfterMs: 0, streamFailure: 'end' },
  }),
  ...deciding({
    'answers-remembered: Answers the same chat request a second time from memory.': (rules) => {
      const asked = new WeakMap<RequestContext, string>();
      const answers = new Map<string, Buffer>();
      return {
        remembered: (bytes, context) => {
          if (context.path !== '/v1/chat/completions' || context.stream) return undefined;
          const question = `${context.key?.name} ${Buffer.from(bytes).toString('utf8')}`;
          asked.set(context, question);
          return answers.get(question);
        },
        answer: (reply, context) => {
          const question = asked.get(context);
          const isJson = jsonIn(Buffer.from(reply.body)) !== undefined;
          if (question !== undefined && reply.status === 200 && isJson)
            answers.set(question, Buffer.from(reply.body));
          return rules.answer(reply, context);
        },
      };
    },
  }),
];

const isChat = ({ path }: RequestContext): boolean => path === '/v1/chat/completions';

/** Rewrites an engine's JSON: other id and model, one more member, no null members. */
function retold(json: object): string {
  const named = { ...json, id: 'chatcmpl-router', model: 'alias', provider: 'a pool' };
  return JSON.stringify(named, (_name, value: unknown) => value ?? undefined);
}

/** Rewrites the JSON of each event in a piece of a stream. */
function retoldEvents(text: string): string {
  return text.replaceAll(/^data: (\{.*\})$/gmu, (line, data: string) => {
    const json = jsonIn(Buffer.from(data));
    return typeof json === 'object' && json !== null ? `data: ${retold(json)}` : line;
  });
}

export const retoldVariants = [
  ...deciding({
    'native-answers-retold: Writes native completions and their streams under ids and names of its own.':
      (rules) => {
        const unfinished = new WeakMap<RequestContext, Buffer>();
        return {
          answer: (reply, context) => {
            const plain = rules.answer(reply, context);
            const json = jsonIn(Buffer.from(plain.body));
            const isAnswer = isChat(context) && plain.status === 200;
            return isAnswer && typeof json === 'object' && json !== null
              ? { ...plain, body: retold(json) }
              : plain;
          },
          streamPiece: (piece, index, context) => {
            const plain = rules.streamPiece(piece, index, context);
            if (!isChat(context)) return plain;
            const bytes = Buffer.concat([unfinished.get(context) ?? Buffer.alloc(0), plain]);
            const whole = bytes.lastIndexOf('\n\n') + 2;
            // lastIndexOf returned -1: the piece ends before its first event does.
            const upTo = whole === 1 ? 0 : whole;
            unfinished.set(context, bytes.subarray(upTo));
            return Buffer.from(retoldEvents(bytes.subarray(0, upTo).toString('utf8')));
          },
          streamTail: (complete, context) => {
            const rest = unfinished.get(context);
            return rest === undefined || rest.length === 0
              ? rules.streamTail(complete, context)
              : rest;
          },
        };
      },
    'sick-fleet: Says 503 of a fleet in which some agent cannot be reached.': amend(
      'answer',
      (plain, _reply, { path }) =>
        path === '/admin/health' && plain.status === 200
          ? { ...plain, status: 503, body: JSON.stringify({ status: 'degraded' }) }
          : plain,
    ),
  }),
];
