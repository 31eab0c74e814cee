/** Conforming variants that replace a rule. */

import { gzipSync } from 'node:zlib';
import { withHeader } from '../../http.ts';
import { jsonIn, LinkLost, memberOf, type ModelEntry, RouterFailure } from '../model.ts';
import { amend, before, deciding, forces, nowAndThen, replace } from './variant.ts';

/** A variant excludes an agent after this many failures in a row, for this many milliseconds. */
const FAILURES_IN_A_ROW = 5;
const OUT_MS = 150;

/** Milliseconds after which an agent that was lost with its engine registers its models again. */
const GONE_MS = 400;

/** Number of requests from one internal failure to the next. */
const REQUESTS_TO_A_FAILURE = 97;

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
      (plain, _reply, { path }) => {
        const json = jsonIn(Buffer.from(plain.body));
        return path === '/v1/chat/completions' && plain.status === 200 && json !== undefined
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
