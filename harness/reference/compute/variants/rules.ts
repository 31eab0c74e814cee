/** Variants that need a rule of their own, and conform all the same. */

import type { ComputeRules } from '../context.ts';
import { defaultPopulation, defaultPresets } from '../seed.ts';
import { countingCursors, shuffledTies } from './conditions.ts';
import { laggingLists } from './records.ts';
import { type ComputeVariant, variant } from './variant.ts';

/** Every number of a body with a fraction: JSON knows one kind of number. */
function withFractions(text: string): string {
  return text.replaceAll(/(":\s*-?\d+)(?=[,}\]\s])/gu, '$1.0');
}

function patched(
  name: string,
  summary: string,
  patch: (rules: ComputeRules) => ComputeRules,
): ComputeVariant {
  return { name, summary, options: () => ({ patch }) };
}

const START_DELAY_MS = 300;

/** An accepted start waits for a host, and shows STOPPED until it has one. */
function lateStarts(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    beginStart: (instance, context) => {
      if (context.deployment.isScheduled(instance)) return;
      context.deployment.schedule(instance, START_DELAY_MS, () => {
        rules.beginStart(instance, context);
      });
    },
  };
}

/** Every second start of a stopped instance finds no host, and is refused with a conflict. */
function hostsAtTimes(rules: ComputeRules): ComputeRules {
  let starts = 0;
  return {
    ...rules,
    startOutcome: (instance, context) => {
      const outcome = rules.startOutcome(instance, context);
      if (outcome !== 'start') return outcome;
      starts += 1;
      return starts % 2 === 1 ? 'conflict' : outcome;
    },
  };
}

/** Prices follow a market: all of them rise and fall by a few hundredths every few seconds. */
function marketPrice(price: unknown, at: number): number {
  return Math.round(Number(price) * (100 + (Math.floor(at / 4_000) % 3))) / 100;
}

/** The rates of instances do. */
function marketPrices(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    listRecord: (instance, at, context, query) => {
      const record = rules.listRecord(instance, at, context, query);
      return { ...record, hourly_rate: marketPrice(record['hourly_rate'], at) };
    },
    actionRecord: (instance, at, context) => {
      const record = rules.actionRecord(instance, at, context);
      return { ...record, hourly_rate: marketPrice(record['hourly_rate'], at) };
    },
  };
}

/** The members of an object in another order each time: they have none. */
function shuffledMembers(record: Readonly<Record<string, unknown>>): typeof record {
  const members = Object.entries(record).map((member) => ({ member, lot: Math.random() }));
  return Object.fromEntries(
    members.toSorted((one, other) => one.lot - other.lot).map(({ member }) => member),
  );
}

/** Presets tell how many are free, every third envelope is traced, and dates are in local time where that comes. */
function tellingMore(rules: ComputeRules): ComputeRules {
  let envelopes = 0;
  const inLocalTime = (text: string): string =>
    new Date(Date.parse(text) + 2 * HOUR_MS).toISOString().replace('Z', '+02:00');
  return {
    ...rules,
    presetRecord: (preset, context, query) => ({
      ...rules.presetRecord(preset, context, query),
      free_now: context.sequence,
    }),
    errorEnvelope: (refusal, context) => {
      const envelope = rules.errorEnvelope(refusal, context);
      envelopes += 1;
      return envelopes % 3 === 0 ? Object.assign({}, envelope, { trace: 'sampled' }) : envelope;
    },
    formatDate: (at, context) => {
      const text = rules.formatDate(at, context);
      return context.sequence % 2 === 0 ? text : inLocalTime(text);
    },
  };
}

/** What a web server takes for no HTTP: RFC 3986 knows neither bare percent signs nor brackets and quotes in a query. */
const noUri = /%(?![\dA-F]{2})|[^\w\-.~!$&'()*+,;=:@/?%]/iu;
const ERROR_PAGE = '<!doctype html><title>400 Bad Request</title>';

/**
 * A web server in front refuses what is no HTTP by itself, presets are partial content, answers to stops round money, and
 * a search finds what has a word that begins with one of its words.
 */
function frontedBySomething(rules: ComputeRules): ComputeRules {
  const wordsOf = (text: string): readonly string[] =>
    text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return {
    ...rules,
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
      return {
        ...record,
        current_cost: total,
        total_cost_incurred: total,
        hourly_rate: Math.round(Number(record['hourly_rate']) * 10) / 10,
      };
    },
    textMatches: (field, text) =>
      wordsOf(text).some(
        (word) => word.length > 1 && wordsOf(field).some((one) => one.startsWith(word)),
      ),
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const ruleVariants: readonly ComputeVariant[] = [
  patched('numbers-with-fractions', 'Whole numbers are written with a fraction: 4.0.', (rules) => ({
    ...rules,
    onReply: async (context, reply) => {
      const sent = await rules.onReply(context, reply);
      return typeof sent.body === 'string' ? { ...sent, body: withFractions(sent.body) } : sent;
    },
  })),
  patched('members-in-any-order', 'Members of records come in any order.', (rules) => ({
    ...rules,
    listRecord: (instance, at, context, query) =>
      shuffledMembers(rules.listRecord(instance, at, context, query)),
    actionRecord: (instance, at, context) =>
      shuffledMembers(rules.actionRecord(instance, at, context)),
    presetRecord: (preset, context, query) =>
      shuffledMembers(rules.presetRecord(preset, context, query)),
  })),
  patched(
    'presets-with-a-moment',
    'Each preset says when it was read; its price moves, which the second key sees two seconds late.',
    (rules) => ({
      ...rules,
      presetRecord: (preset, context, query) => {
        const { hourly_price: price, ...record } = rules.presetRecord(preset, context, query);
        const lateMs = context.key?.role === 'second' ? 2_000 : 0;
        return {
          ...record,
          hourly_price: marketPrice(price, context.now - lateMs),
          quoted_at: performance.now(),
        };
      },
    }),
  ),
  patched('no-reason-is-empty', 'A reason that there is none for is empty text.', (rules) => ({
    ...rules,
    listRecord: (instance, at, context, query) => ({
      ...rules.listRecord(instance, at, context, query),
      termination_reason: instance.terminationReason ?? '',
    }),
    actionRecord: (instance, at, context) => ({
      ...rules.actionRecord(instance, at, context),
      termination_reason: instance.terminationReason ?? '',
    }),
  })),
  patched(
    'tells-more-at-times',
    'Presets and errors have members that move, and dates come in two offsets.',
    tellingMore,
  ),
  patched(
    'market-prices-in-lagging-lists',
    'The rates of instances follow a market, and lists alone are read from a copy that is 1.5 s behind.',
    (rules) => laggingLists(marketPrices(rules)),
  ),
  patched('ids-in-upper-case', 'Instance ids are written in upper case.', (rules) => ({
    ...rules,
    listRecord: (instance, at, context, query) => ({
      ...rules.listRecord(instance, at, context, query),
      instance_id: instance.id.toUpperCase(),
    }),
    actionRecord: (instance, at, context) => ({
      ...rules.actionRecord(instance, at, context),
      instance_id: instance.id.toUpperCase(),
    }),
  })),
  patched(
    'behind-a-web-server',
    'Bad URLs get a page of a web server, presets are 206, stops round money, a search takes beginnings.',
    frontedBySomething,
  ),
  patched(
    'read-only-policy',
    'Policy lets the forbidden key read everything, and change nothing.',
    (rules) => ({
      ...rules,
      isAllowed: (key, operation, context) =>
        context.method === 'GET' || rules.isAllowed(key, operation, context),
    }),
  ),
  patched(
    'starts-late',
    'An instance stays STOPPED for a while after its start was accepted.',
    lateStarts,
  ),
  patched(
    'starts-lack-hosts',
    'Every second start of a stopped instance is refused for want of a host.',
    hostsAtTimes,
  ),
  patched(
    'resource-gone-at-once',
    'A teardown frees the resource at once: terminate again is 500.',
    (rules) => ({
      ...rules,
      isResourceGone: ({ state, stranded }) => state === 'TERMINATING' && !stranded,
    }),
  ),
  variant(
    'counting-cursors-on-a-busy-account',
    'Cursors count items, while other people create and terminate instances.',
    () => ({ patch: countingCursors, activity: { perSecond: 10 } }),
  ),
  variant(
    'ties-in-any-order',
    'Four instances are created at a time, and each walk draws lots for their order.',
    () => {
      const presets = defaultPresets();
      const now = Date.now();
      const { keys, accounts } = defaultPopulation({ seed: 1, presets, instances: 72, now });
      const together = accounts.map((account) => ({
        ...account,
        instances: account.instances.map((instance, index) => ({
          ...instance,
          createdAt: now - DAY_MS * Math.ceil((account.instances.length - index) / 4),
        })),
      }));
      return { presets, population: { keys, accounts: together }, patch: shuffledTies };
    },
  ),
  variant('rate-limited', 'A key may ask 200 times a second.', () => ({
    rateLimit: { requests: 200, perSeconds: 1 },
  })),
  variant(
    'rate-limited-by-the-window',
    'A key may ask 300 times in a second of the clock, and is then refused until it ends.',
    () => ({
      rateLimit: { requests: 300, perSeconds: 1 },
      choices: { rateWindow: 'fixed' },
    }),
  ),
  variant(
    'terminated-vanish',
    'A terminated instance is neither listed nor readable any more.',
    () => ({ choices: { terminatedListed: 'when-asked', terminatedReadable: false } }),
  ),
  variant(
    'slow-and-busy',
    'Answers take 30 ms, transitions a second, and other people are at work.',
    () => ({
      latencyMs: 30,
      activity: { perSecond: 5 },
      timings: { stopping: 1_000, terminating: 1_000, teardown: 300 },
    }),
  ),
];
