/** Conforming variants that replace a rule. */

import { countingCursors, shuffledTies } from './conditions.ts';
import type { ComputeRules } from '../context.ts';
import { errorCodes, type Instance, Refusal } from '../model.ts';
import { laggingLists } from './records.ts';
import {
  amend,
  before,
  chained,
  type ComputeVariant,
  deciding,
  inRecords,
  instancesLike,
  nowAndThen,
  replace,
  starting,
  forces,
} from './variant.ts';

/** Writes every integer in a body with a fraction. JSON does not distinguish the two. */
function withFractions(text: string): string {
  return text.replaceAll(/(":\s*-?\d+)(?=[,}\]\s])/gu, '$1.0');
}

const START_DELAY_MS = 300;
const TERMINATE_DELAY_MS = 400;
const FORGOTTEN_MS = 2_000;

/** Whether a service that forgets terminated instances still knows this one. */
const isKept = ({ terminatedAt = Infinity }: Instance, now: number): boolean =>
  now < terminatedAt + FORGOTTEN_MS;

/** A market price: it rises by up to 2 % and falls back, with a change every four seconds. */
function marketPrice(price: unknown, at: number): number {
  return Math.round(Number(price) * (100 + (Math.floor(at / 4_000) % 3))) / 100;
}

/** Instances show market prices as their hourly rate. */
const marketPrices = inRecords((record, _instance, at) => ({
  ...record,
  hourly_rate: marketPrice(record['hourly_rate'], at),
}));

/** Puts the members of an object into a random order. JSON gives the order no meaning. */
function shuffledMembers(record: Readonly<Record<string, unknown>>): typeof record {
  const members = Object.entries(record).map((member) => ({ member, lot: Math.random() }));
  return Object.fromEntries(
    members.toSorted((one, other) => one.lot - other.lot).map(({ member }) => member),
  );
}

const inLocalTime = (text: string): string =>
  new Date(Date.parse(text) + 2 * HOUR_MS).toISOString().replace('Z', '+02:00');

/**
 * What a web server may refuse as malformed: characters that RFC 3986 does not allow, and escapes of control characters
 * and of bytes that no UTF-8 text has.
 */
const noUri = /%(?![\dA-F]{2})|%(?:[01]|7F|C[01]|F[5-9A-F])|[^\w\-.~!$&'()*+,;=:@/?%]/iu;
const ERROR_PAGE = '<!doctype html><title>400 Bad Request</title>';

const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const ruleVariants: readonly ComputeVariant[] = [
  ...deciding({
    'numbers-with-fractions: Whole numbers are written with a fraction: 4.0.': (rules) => ({
      onReply: async (context, reply) => {
        const sent = await rules.onReply(context, reply);
        return typeof sent.body === 'string' ? { ...sent, body: withFractions(sent.body) } : sent;
      },
    }),
    'members-in-any-order: Members of records come in any order.': chained(
      inRecords(shuffledMembers),
      amend('presetRecord', (record) => shuffledMembers(record)),
    ),
    'presets-with-a-moment: Each preset says when it was read; its price moves, which the second key sees two seconds late.':
      amend('presetRecord', ({ hourly_price: price, ...record }, _preset, { key, now }) => ({
        ...record,
        hourly_price: marketPrice(price, key?.role === 'second' ? now - 2_000 : now),
        quoted_at: performance.now(),
      })),
    'no-reason-is-empty: A reason that there is none for is empty text.': inRecords(
      (record, { terminationReason }) => ({
        ...record,
        termination_reason: terminationReason ?? '',
      }),
    ),
    'tells-more-at-times: Presets and errors have members that move, and dates come in two offsets.':
      nowAndThen(3, (isDue) =>
        chained(
          amend('presetRecord', (record, _preset, { sequence }) => ({
            ...record,
            free_now: sequence,
          })),
          amend('errorEnvelope', (envelope) =>
            isDue() ? Object.assign({}, envelope, { trace: 'sampled' }) : envelope,
          ),
          amend('formatDate', (text, _at, { sequence }) =>
            sequence % 2 === 0 ? text : inLocalTime(text),
          ),
        ),
      ),
    'market-prices-in-lagging-lists: The rates of instances follow a market, and lists alone are read from a copy that is 1.5 s behind.':
      chained(marketPrices, laggingLists),
    'ids-in-upper-case: Instance ids are written in upper case.': inRecords((record, { id }) => ({
      ...record,
      instance_id: id.toUpperCase(),
    })),
    'behind-a-web-server: Bad URLs get a page of a web server, presets are 206, stops round money, a search takes beginnings.':
      (rules) => ({
        onReply: async (context, reply) => {
          const sent = await rules.onReply(context, reply);
          if (noUri.test(`${context.path}?${context.query}`)) {
            return { status: 400, headers: [['Content-Type', 'text/html']], body: ERROR_PAGE };
          }
          return context.operation === 'presets' && sent.status === 200
            ? { ...sent, status: 206 }
            : sent;
        },
        actionRecord: (instance, at, context) => {
          const record = rules.actionRecord(instance, at, context);
          const total = Math.round(Number(record['total_cost_incurred']));
          const rate = Math.round(Number(record['hourly_rate']) * 10) / 10;
          return { ...record, current_cost: total, total_cost_incurred: total, hourly_rate: rate };
        },
        textMatches: (field, text) =>
          wordsOf(text).some(
            (word) => word.length > 1 && wordsOf(field).some((one) => one.startsWith(word)),
          ),
      }),
    'read-only-policy: Policy lets the forbidden key read everything, and change nothing.': forces(
      'isAllowed',
      true,
      (_key, _operation, { method }) => method === 'GET',
    ),
    'terminated-are-forgotten: An instance is nowhere to be found two seconds after it was terminated.':
      chained(
        amend('visibleTo', (isVisible, instance, { now }) => isVisible && isKept(instance, now)),
        amend('instancesInReach', (instances, { now }) =>
          instances.filter((instance) => isKept(instance, now)),
        ),
      ),
    'starts-late: An instance stays STOPPED for a while after its start was accepted.': replace(
      'beginStart',
      (beginStart, instance, context) => {
        const { deployment } = context;
        if (deployment.timers.isScheduled(instance)) return;
        deployment.timers.schedule(instance, START_DELAY_MS, () => {
          beginStart(instance, context);
        });
      },
    ),
    'terminates-wait-their-turn: An instance is as it was for a while after its terminate was accepted, and a stop or start does nothing then.':
      (rules) => {
        const waiting = new WeakSet<Instance>();
        const unlessWaiting =
          (begin: ComputeRules['beginStop']): ComputeRules['beginStop'] =>
          (instance, context) => {
            if (!waiting.has(instance)) begin(instance, context);
          };
        return {
          beginStop: unlessWaiting(rules.beginStop),
          beginStart: unlessWaiting(rules.beginStart),
          beginTerminate: unlessWaiting((instance, context) => {
            waiting.add(instance);
            setTimeout(() => {
              rules.beginTerminate(instance, context);
            }, TERMINATE_DELAY_MS).unref();
          }),
        };
      },
    'starts-lack-hosts: Every second start of a stopped instance is refused for want of a host.':
      nowAndThen(2, (isDue) =>
        amend('startOutcome', (outcome) =>
          outcome === 'start' && !isDue() ? 'conflict' : outcome,
        ),
      ),
    'starts-lack-credit: Every second start of a stopped instance is refused with 402.': nowAndThen(
      2,
      (isDue) =>
        before('beginStart', () => {
          if (!isDue()) throw new Refusal(402, errorCodes[403], 'The account has no credit.');
        }),
    ),
    'resource-gone-at-once: A teardown frees the resource at once: terminate again is 500.':
      () => ({ isResourceGone: ({ state, stranded }) => state === 'TERMINATING' && !stranded }),
  }),
  ...starting({
    'counting-cursors-on-a-busy-account: Cursors count items, while other people create and terminate instances.':
      () => ({ patch: countingCursors, activity: { perSecond: 10 } }),
    'ties-in-any-order: Four instances are created at a time, and each walk draws lots for their order.':
      () => {
        const now = Date.now();
        const together = instancesLike((instance, index, { count }) => ({
          ...instance,
          createdAt: now - DAY_MS * Math.ceil((count - index) / 4),
        }));
        return { ...together, patch: shuffledTies };
      },
    'rate-limited: A key may ask 200 times a second.': () => ({
      rateLimit: { requests: 200, perSeconds: 1 },
    }),
    'rate-limited-by-the-window: A key may ask 300 times in a second of the clock, and is told to wait for what is left of it, rounded down.':
      () => ({
        rateLimit: { requests: 300, perSeconds: 1 },
        choices: { rateWindow: 'fixed' },
        patch: amend('takeRequest', (seconds) => seconds && seconds - 1),
      }),
    'terminated-vanish: A terminated instance is neither listed nor readable any more.': () => ({
      choices: { terminatedListed: 'when-asked', terminatedReadable: false },
    }),
    'slow-and-busy: Answers take 30 ms, transitions a second, and other people are at work.':
      () => ({
        latencyMs: 30,
        activity: { perSecond: 5 },
        timings: { stopping: 1_000, terminating: 1_000, teardown: 300 },
      }),
  }),
];
