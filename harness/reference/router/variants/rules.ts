/** Variants that replace a rule, among them those in how errors and answers of engines are read and written. */

import { gzipSync } from 'node:zlib';
import { withHeader } from '../../http.ts';
import {
  errorObject,
  jsonIn,
  LinkLost,
  memberOf,
  type ModelEntry,
  type RequestContext,
  RouterFailure,
} from '../model.ts';
import { amend, before, choosing, deciding, forces, nowAndThen, replace } from './variant.ts';

/** A variant excludes an agent after this many failures in a row, for this many milliseconds. */
const FAILURES_IN_A_ROW = 5;
const OUT_MS = 150;

/** Milliseconds after which an agent that was lost with its engine registers its models again. */
const GONE_MS = 400;

/** Number of requests from one internal failure to the next. */
const REQUESTS_TO_A_FAILURE = 97;

const isChat = ({ path }: RequestContext): boolean => path === '/v1/chat/completions';

export const ruleVariants = [
  ...deciding({
    'fails-at-times: Fails inside now and then, before any agent is asked, and serves the same request a moment later.':
      nowAndThen(REQUESTS_TO_A_FAILURE, (isDue) =>
        before('parse', () => {
          const detail = { source: 'router', status: 500 } as const;
          if (isDue()) throw new RouterFailure('backend_error', 'something went wrong', detail);
        }),
      ),
    'streams-begin-with-the-head: Begins a stream when the head of the engine has come, before its first byte.':
      (rules) => ({ ...rules, waitsForFirstByte: () => false }),
    'split-characters-replaced: Reads the first 512 bytes of a raw body as text, and replaces a character that was cut.':
      () => ({ truncate: (bytes) => Buffer.from(bytes.subarray(0, 512)).toString('utf8') }),
    'challenges-in-other-forms: Offers another scheme beside Bearer, and writes the realm without quotes.':
      () => ({
        challenge: () => 'Basic realm="staff, only", bearer charset="UTF-8", realm=router',
      }),
    'answers-written-anew: Writes a chat completion anew, with white space of its own.': amend(
      'answer',
      (plain, _reply, context) => {
        const json = jsonIn(Buffer.from(plain.body));
        return isChat(context) && plain.status === 200 && json !== undefined
          ? { ...plain, body: JSON.stringify(json, undefined, 2) }
          : plain;
      },
    ),
    'compresses-unasked: Compresses the bodies of its answers, whatever the client accepts.': amend(
      'answer',
      (plain) => {
        if (plain.body.length === 0) return plain;
        return {
          ...withHeader(plain, 'Content-Encoding', 'gzip'),
          body: gzipSync(plain.body),
        };
      },
    ),
    'refused-requests-cost: Takes a little of a request bucket for each request that it refuses.': (
      rules,
    ) => {
      let refused = 0;
      return {
        gives: (level, amount, what) => {
          const given = rules.gives(level, amount, what);
          if (!given && what === 'request') refused += 1;
          return given;
        },
        refill: (bucket, now) => {
          const isSpent = bucket.level >= 0 && bucket.level < 1;
          if (!isSpent || refused === 0) return rules.refill(bucket, now);
          const level = Math.max(0, bucket.level - 0.1 * refused);
          refused = 0;
          return rules.refill({ ...bucket, level }, now);
        },
      };
    },
    'prompts-cost-what-engines-counted: Charges for a prompt what its engine says, once it has answered, and not what was estimated.':
      () => ({
        promptCost: (estimated, answer) => {
          const usage = memberOf(jsonIn(Buffer.from(answer)), 'usage');
          const counted = memberOf(usage, 'prompt_tokens') ?? memberOf(usage, 'input_tokens');
          return typeof counted === 'number' ? counted : estimated;
        },
      }),
    'broken-text-is-read: Reads bytes that are no UTF-8 as replacement characters.': replace(
      'parse',
      (parse, bytes, context) => parse(Buffer.from(Buffer.from(bytes).toString('utf8')), context),
    ),
    'administrators-told-more: Adds members to the errors of administrator routes.': () => ({
      adminEnvelope: (failure) => ({ error: failure.message, current_version: 7 }),
    }),
    'later-trace-version: Writes a trace context of a later version, with a part more.': () => ({
      traceparent: () => `cc-${'a'.repeat(32)}-${'b'.repeat(16)}-01-more`,
    }),
    'quotas-told-by-refusals-alone: Tells what remains only where it must: on the refusal that says zero.':
      forces('rateHeaders', [], (_remaining, _status, failure) => {
        const quota = failure?.detail.quota;
        return quota !== 'bucket' && quota !== 'overrun';
      }),
    'failing-agents-left-out: Leaves an agent out for a moment that failed several times in a row.':
      (rules) => {
        const inARow = new Map<string, number>();
        const outUntil = new Map<string, number>();
        return {
          avoids: (failed, agent, context) =>
            rules.avoids(failed, agent, context) || performance.now() < (outUntil.get(agent) ?? 0),
          stops: (code, context) => {
            const ends = rules.stops(code, context);
            const { agent = '' } = context;
            const count = ends ? 0 : (inARow.get(agent) ?? 0) + 1;
            inARow.set(agent, count % FAILURES_IN_A_ROW);
            if (count === FAILURES_IN_A_ROW) outUntil.set(agent, performance.now() + OUT_MS);
            return ends;
          },
          release: (holding, ending, free, context) => {
            if (holding === 'slot' && ending === 'success') inARow.delete(context.agent ?? '');
            rules.release(holding, ending, free, context);
          },
        };
      },
  }),
  ...deciding(
    {
      'lost-engines-take-their-agents: Has agents that are lost with an engine that hangs up before it answers: each is dialled again for free, cannot be reached, and registers its models again after a moment.':
        (rules) => {
          const goneUntil = new Map<string, number>();
          const isGone = (agent: string) => performance.now() < (goneUntil.get(agent) ?? 0);
          const isRegistered = ({ steps, provider }: ModelEntry) =>
            provider !== undefined || steps.some(({ agents }) => !agents.every(isGone));
          return {
            lostCode: (refused, context) => {
              if (refused) return rules.lostCode(refused, context);
              goneUntil.set(context.agent ?? '', performance.now() + GONE_MS);
              throw new LinkLost('the agent went with its engine');
            },
            findModel: (models, ...asked) => rules.findModel(models.filter(isRegistered), ...asked),
            sees: (key, model, context) => isRegistered(model) && rules.sees(key, model, context),
            avoids: (failed, agent, context) =>
              isGone(agent) || rules.avoids(failed, agent, context),
          };
        },
    },
    { solo: true },
  ),
];

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
      forces('isSuccess', false, (status, context) => status === 204 && isChat(context)),
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
          if (!isChat(context) || context.stream) return undefined;
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
