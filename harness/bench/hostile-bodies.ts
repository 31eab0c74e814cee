/** The cost of hostile bodies: each step of the suite with the largest body that it accepts. */

import { gzipSync } from 'node:zlib';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { exchangeOf } from '../cli/library/exchanges.ts';
import { reportOf } from '../cli/report-of-run.ts';
import { writeForms } from '../cli/write-report.ts';
import { parseTarget } from '../contracts/target-file.ts';
import { MAX_BYTES } from '../drivers/connection.ts';
import { bodyText, jsonBody } from '../exchange/body.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { ReceivedBody } from '../exchange/received-body.ts';
import { Redactor, reported } from '../exchange/redaction.ts';
import { trafficJudgeOf } from '../contracts/index.ts';
import type { PlannedTarget } from '../runner/selection.ts';
import { Secret } from '../target/keys.ts';
import { type Benchmark, ratio, whole } from './tables.ts';

const KEYS = ['sk-live-a1b2c3d4e5f6a7b8c9', 'sk-live-0f9e8d7c6b5a493827'] as const;
const BASE = 'http://127.0.0.1:1/v1';
/** Bytes of each piece in which a body arrives. */
const PIECE = 64 * 1024;
/** The best of this many runs counts. The first one warms up, and a busy machine may slow the others down. */
const TURNS = 3;
/** Maximum milliseconds of a step, and maximum ratio to an ordinary body of the same size. */
const MAX_MS = 1_000;
const MAX_TIMES = 10;

interface HostileBody {
  readonly name: string;
  readonly body: Uint8Array;
  readonly headers?: readonly (readonly [string, string])[];
  readonly status?: number;
}

const id = '6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11';
const instance = `{"instance_id":"${id}","name":"n","status":"RUNNING","created_at":"2026-01-01T00:00:00Z","region":"r"}`;

/** Repeats a text up to the maximum size of a body, between a beginning and an end. */
function filled(
  name: string,
  text: string,
  [begin = '', end = '']: readonly string[] = [],
  unlike: Partial<HostileBody> = {},
): HostileBody {
  const room = MAX_BYTES - Buffer.byteLength(begin + end);
  const times = Math.floor(room / Buffer.byteLength(text));
  return { name, body: Buffer.from(`${begin}${text.repeat(times)}${end}`), ...unlike };
}

const inText = ['{"data":[{"name":"', '"}],"pagination":{"next":null}}'] as const;
const inList = ['{"data":[', 'null],"pagination":{"next":null}}'] as const;
const inError = ['{"error":{"code":"', '","message":"m","request_id":"r"}}'] as const;
const stream = { headers: [['Content-Type', 'text/event-stream']] } as const;

const bodies: readonly HostileBody[] = [
  // The reference for the others.
  filled('a page of instances', `${instance},`, inList),
  filled('percent signs, escaped again and again', '%2525', inText),
  filled('one percent sign, escaped a million times', '25', [`${inText[0]}%`, inText[1]]),
  filled('quotes, escaped again and again', String.raw`\\\\\\\"`, inText),
  filled('names of characters, escaped again', '&amp;amp;amp;', inText),
  filled('line breaks of mail', String.raw`=\r\n`, inText),
  filled('the beginning of a key', 'sk-live-a1b2c3d4', inText),
  filled('a key with blanks between', 's k - l i v e - a 1 b 2 ', inText),
  filled('keys', `${KEYS[0]} `, inText),
  filled('one text', 'a', inText),
  filled('one code of an error', 'A', inError, { status: 400 }),
  filled('spaces', ' ', ['', '{}']),
  filled('controls', '\u0001'),
  filled('characters of four bytes', '😀', inText),
  { name: 'no UTF-8', body: Buffer.alloc(MAX_BYTES, 0xff) },
  filled('a number without end', '9', ['{"data":', '}']),
  filled('lists in lists', '[', ['{"data":']),
  filled('objects in objects', '{"a":'),
  filled('empty items', '{},', inList),
  filled('items of every kind', '1,"a",null,[],{},true,', inList),
  filled('a member that repeats', '"data":[],', ['{', '"pagination":{"next":null}}']),
  {
    name: 'members without number',
    body: Buffer.from(`{${Array.from({ length: 300_000 }, (_, at) => `"m${at}":1`).join(',')}}`),
  },
  filled('a text that does not end', String.raw`\"`, ['{"data":["']),
  { ...filled('a stream of small events', 'data: {"choices":[]}\n\n'), ...stream },
  { ...filled('a stream of empty lines', '\n'), ...stream },
  { ...filled('a stream of one event', 'a', ['data: ', '\n\n']), ...stream },
  {
    name: 'a gzip bomb',
    body: gzipSync(Buffer.alloc(100 * MAX_BYTES)),
    headers: [
      ['Content-Type', 'application/json'],
      ['Content-Encoding', 'gzip'],
    ],
  },
];

const targets = {
  compute: parseTarget(
    JSON.stringify({
      contract: 'compute',
      baseUrl: BASE,
      keys: { primary: KEYS[0], second: KEYS[1] },
    }),
    'compute.json',
  ),
  router: parseTarget(
    JSON.stringify({
      contract: 'router',
      baseUrl: BASE.replace('/v1', ''),
      keys: { client: KEYS[0], admin: KEYS[1] },
    }),
    'router.json',
  ),
} as const;
const requests = {
  compute: { baseUrl: BASE, method: 'GET', url: `${BASE}/instances` },
  router: { baseUrl: BASE.replace('/v1', ''), method: 'POST', url: `${BASE}/chat/completions` },
} as const;

const steps = ['received and redacted', 'parsed', 'judged', 'reported'] as const;
type Step = (typeof steps)[number];
type Cost = Record<Step, number>;

function noCost(): Cost {
  return { 'received and redacted': 0, parsed: 0, judged: 0, reported: 0 };
}

/** Processor milliseconds of each step, for the contract that needs more. */
async function costOf(hostile: HostileBody, scratch: string): Promise<Cost> {
  const cost = noCost();
  const take = async <T>(step: Step, act: () => T | Promise<T>): Promise<T> => {
    const from = process.cpuUsage();
    const done = await act();
    const { user, system } = process.cpuUsage(from);
    cost[step] = Math.max(cost[step], (user + system) / 1_000);
    return done;
  };
  const redactor = new Redactor(KEYS.map((key, at) => new Secret(`key${at}`, key)));
  for (const contract of ['compute', 'router'] as const) {
    const exchange = await take('received and redacted', () => {
      const made = arrived(contract, hostile);
      reported(made, 'GET /instances', redactor);
      redactor.text(bodyText(made));
      return made;
    });
    await take('parsed', () => jsonBody(exchange));
    const planned = targets[contract];
    const judge = await trafficJudgeOf({ planned, source: 'recording', exclusive: true });
    await take('judged', () => judge.take(exchange));
    await take('reported', () => write(planned, judge.outcome(), scratch));
  }
  return cost;
}

/** An exchange whose body arrived in pieces. */
function arrived(contract: keyof typeof requests, hostile: HostileBody): Exchange {
  const { body, status = 200, headers = [['Content-Type', 'application/json']] } = hostile;
  const received = new ReceivedBody(MAX_BYTES);
  for (let at = 0; at < body.length; at += PIECE) received.add(body.subarray(at, at + PIECE), at);
  const made = exchangeOf({ ...requests[contract], contract, status, headers });
  return { ...made, response: { status, headers, ...received.taken() } };
}

/** Folds the outcome and writes the report in several formats. */
async function write(planned: PlannedTarget, outcome: CaseOutcome, out: string): Promise<void> {
  const report = reportOf({
    plan: { runId: 'bench', targets: [planned], seed: 1, runs: 1, only: [] },
    startedAt: new Date(),
    outcomes: [outcome],
  });
  await writeForms(report, { out, reporter: ['html', 'markdown', 'junit', 'ctrf', 'har'] });
}

/** Milliseconds of all steps per byte of the body. */
function perByte({ hostile, cost }: Costly): number {
  return steps.reduce((all, step) => all + cost[step], 0) / hostile.body.length;
}

interface Costly {
  readonly hostile: HostileBody;
  readonly cost: Cost;
}

export const hostileBodies: Benchmark = {
  name: 'hostile-bodies',
  measure: async ({ scratch, progress }) => {
    const costs: Costly[] = [];
    for (const hostile of bodies) {
      progress(hostile.name);
      const turns: Cost[] = [];
      for (let turn = 0; turn < TURNS; turn += 1) turns.push(await costOf(hostile, scratch));
      const cost = noCost();
      for (const step of steps) cost[step] = Math.min(...turns.map((one) => one[step]));
      costs.push({ hostile, cost });
    }
    const usual = costs.slice(0, 1).map(perByte)[0] ?? 0;
    const dear = costs.filter(
      (one) => steps.some((step) => one.cost[step] > MAX_MS) || perByte(one) > MAX_TIMES * usual,
    );
    return [
      {
        title: 'Bodies made to cost',
        columns: ['body', 'bytes', ...steps, 'a byte, that of a page = 1'],
        rows: costs.map((one) => [
          one.hostile.name,
          whole(one.hostile.body.length),
          ...steps.map((step) => ms(one.cost[step])),
          ratio(perByte(one), usual),
        ]),
        notes: [
          `Processor time of one exchange with that body, of the contract that takes more, the best of ${TURNS} turns.`,
          `More than ${MAX_MS} ms in a step, or ${MAX_TIMES} times what a page costs for as many bytes: ${dear.map(({ hostile }) => hostile.name).join(', ') || 'none'}.`,
        ],
      },
    ];
  },
};

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}
