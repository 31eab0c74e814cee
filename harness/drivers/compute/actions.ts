/** What stop, terminate and start share: request bodies, retried starts, refusals of unknown ids, and meters at rest. */

import { brokenBodies, LONGEST_NOTE, noteOf, exampleNotes } from '../../generate/bodies.ts';
import type { ActionOptions, ComputeContext } from './api.ts';
import { accepted, isInformative } from '../../checks/compute/answers.ts';
import type { Shown } from '../../checks/compute/actions.ts';
import type { InstanceState } from '../../../schemas/compute/states.ts';
import { NotExercised } from '../../runner/case.ts';
import { isSuccess } from '../../checks/compute/records.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { eventually, retry, type Waiting } from '../../runner/retry.ts';
import { type Wait, waits } from '../../runner/waits.ts';
import { foreignNotFound, sameRefusal } from '../../checks/compute/scoping.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { type RuntimeReading, runtimeRests } from '../../checks/compute/runs.ts';

/** An operation on one instance. */
export interface Action {
  readonly call: 'stop' | 'terminate' | 'start' | 'get';
  /** As the subject of a sentence. */
  readonly what: string;
}

export const actions = {
  'stop-instance': { call: 'stop', what: 'A stop' },
  'terminate-instance': { call: 'terminate', what: 'A terminate' },
  'start-instance': { call: 'start', what: 'A start' },
  'get-instance': { call: 'get', what: 'Reading' },
} as const satisfies Readonly<Record<string, Action>>;

/** A body as clients send it. */
export const NOTED = { json: { reason_note: 'not needed any more' } };

/** The shortest note that says something. */
export const BRIEF = { json: { reason_note: 'x' } };

/** Just above common sizes of database columns, and just below the bound. */
const lengths = [256, 1_025, 4_097, LONGEST_NOTE - 1] as const;
const shortNotes = ['maintenance', ...exampleNotes, ...lengths.map((one) => noteOf(one))];

/** Bodies that a stop accepts. A quotation mark is one character, however JSON escapes it. */
export const rightBodies = [
  ['body-absent', 'no body', {}],
  ['body-empty-object', 'an empty object', { json: {} }],
  ...shortNotes.map((note) => {
    const what = `the note ${JSON.stringify(note.slice(0, 40))}`;
    return ['reason-note-accepted', what, { json: { reason_note: note } }] as const;
  }),
  [
    'reason-note-accepted',
    'a note in escapes, among white space',
    {
      body: String.raw`
      { "reason_note" : "\u0074ext \ud83d\ude80" }
    `,
    },
  ],
  [
    'reason-note-accepted',
    'a note whose label names its charset',
    { ...NOTED, headers: [['Content-Type', 'application/json; charset=utf-8']] },
  ],
  ...[noteOf(LONGEST_NOTE), '"'.repeat(LONGEST_NOTE)].map((note) => {
    const what = `a note of ${LONGEST_NOTE} characters`;
    return ['reason-note-maximum', what, { json: { reason_note: note } }] as const;
  }),
] as const;

/** Characters that count differently in bytes, UTF-16 units and code points: 40, 20 and 10 kB of them. */
const emoji = [1, 2, 4].map((part) => '🙂'.repeat(LONGEST_NOTE / part));

/** Bodies for which the contract does not state the response of a stop. */
export const openBodies = [
  ['reason-note-null', 'a null note', { json: { reason_note: null } }],
  ['reason-note-null', 'null as the body', { json: null }],
  ['body-extra-members', 'another member', { json: { reason_note: 'text', other: 1 } }],
  [
    'body-content-type',
    'a body labelled as text',
    { body: '{}', headers: [['Content-Type', 'text/plain']] },
  ],
  ['body-content-type', 'the label of JSON on an empty body', { body: '' }],
  ...emoji.map((note) => {
    const what = `a note of ${note.length / 2} emoji`;
    return ['reason-note-length-unit', what, { json: { reason_note: note } }] as const;
  }),
] as const;

/** A body that is refused: the slug of the requirement, a description, and the body itself. */
export interface WrongBody {
  readonly slug:
    | 'reason-note-too-long'
    | 'malformed-json'
    | 'reason-note-wrong-type'
    | 'body-not-object';
  readonly what: string;
  readonly options: ActionOptions;
}

/** Bodies that stop and terminate refuse; the one with a note that is just too long comes first. */
export const wrongBodies: readonly WrongBody[] = [
  ...[
    noteOf(LONGEST_NOTE + 1),
    // Too long in every unit of length. None ends in a blank, which a server may trim first.
    'ß'.repeat(LONGEST_NOTE + 1),
    noteOf(5 * LONGEST_NOTE),
  ].map((note) => ({
    slug: 'reason-note-too-long' as const,
    what: `a note of ${note.length} characters like ${note.slice(0, 1)}`,
    options: { json: { reason_note: note } },
  })),
  ...brokenBodies.map((body) => ({
    slug: 'malformed-json' as const,
    what: `the body ${body}`,
    options: { body },
  })),
  ...[0, 1.5, true, false, ['text'], [], { text: 'text' }, {}].map((note) => ({
    slug: 'reason-note-wrong-type' as const,
    what: `the note ${JSON.stringify(note)}`,
    options: { json: { reason_note: note } },
  })),
  ...[[], [{ reason_note: 'text' }], 'text', '', 7, 0, true, false].map((json) => ({
    slug: 'body-not-object' as const,
    what: `the body ${JSON.stringify(json)}`,
    options: { json },
  })),
];

/** One body for each way of being wrong. */
export const oneWrongBodyOfEachKind: readonly WrongBody[] = [
  ...new Map(wrongBodies.toReversed().map((body) => [body.slug, body])).values(),
].toReversed();

interface Starter {
  readonly api: { readonly start: (id: string) => Promise<Exchange> };
  readonly signal: AbortSignal;
}

export interface Started {
  readonly answer: Exchange;
  /** Whether an earlier try failed on the side of the service, and may have started the instance all the same. */
  readonly mayHaveStarted: boolean;
}

/**
 * Starts an instance. A refusal does not prove that stopped instances cannot be started, so it is retried for a few
 * seconds, and the last response counts. A 403 is final: the account is not allowed to start instances.
 */
export async function startWithRetries(t: Starter, id: string): Promise<Started> {
  let failed = false;
  const answer = await retry(
    t,
    'hostFree',
    async () => {
      const tried = await t.api.start(id);
      failed ||= tried.retries > 0 || (tried.response?.status ?? 0) >= 500;
      return tried;
    },
    (tried) => !mayPass(tried),
  );
  return { answer, mayHaveStarted: failed };
}

function mayPass(answer: Exchange): boolean {
  return isInformative(answer) && !isSuccess(answer) && answer.response?.status !== 403;
}

/** Judges a reading of a foreign instance. Only a refusal by policy has to be compared with that of an unknown id. */
export async function foreignReading(
  { api, unknownInstanceId }: Pick<ComputeContext, 'api' | 'unknownInstanceId'>,
  foreign: Exchange,
  as: string,
  what: string,
): Promise<Judgement> {
  const isPolicy = foreign.response?.status === 403;
  const unknown = isPolicy ? await api.get(unknownInstanceId(), { as }) : undefined;
  return foreignNotFound(foreign, unknown, what);
}

/** Compares the refusal of a foreign resource with that of an unknown one; requests both again while they differ. */
export async function likeUnknownInstance(
  t: Waiting,
  first: Exchange,
  askForeign: () => Promise<Exchange>,
  askUnknown: () => Promise<Exchange>,
): Promise<Judgement> {
  const unknown: Exchange[] = [];
  return eventually(t, 'alikeAgain', async () => {
    unknown.push(await askUnknown());
    return sameRefusal(unknown.length === 1 ? first : await askForeign(), ...unknown);
  });
}

/** Reads the runtimes again while they grow, until any meter must have caught up with the stop. */
export async function restsInTheEnd(
  t: Waiting,
  read: () => Promise<readonly RuntimeReading[]>,
  wait: Wait = waits.meterStops,
): Promise<Judgement> {
  return eventually(t, wait, async () => runtimeRests(await read()));
}

interface Called {
  readonly id: string;
  readonly observeFresh: (...states: readonly InstanceState[]) => Promise<Shown | undefined>;
}

type Calling = Pick<ComputeContext, 'judge' | 'session'> & {
  readonly api: Pick<ComputeContext['api'], 'stop' | 'terminate'>;
};

/** Bodies for the stops of a session, each in its turn. */
const bodies = [
  ['body-absent', {}],
  ['body-empty-object', { json: {} }],
  ['reason-note-accepted', BRIEF],
  ['reason-note-accepted', NOTED],
  ['reason-note-maximum', { json: { reason_note: noteOf(LONGEST_NOTE) } }],
] as const;
const turns = new WeakMap<object, number>();

/** Stops a running instance with the body whose turn it is. No such body is refused with 400 while the instance runs. */
export async function stopInTurn(t: Calling, probe: Called): Promise<Exchange> {
  const turn = turns.get(t.session) ?? 0;
  turns.set(t.session, turn + 1);
  const [slug, body] = bodies[turn % bodies.length] ?? bodies[0];
  const answer = await t.api.stop(probe.id, body);
  if (answer.response?.status === 400 && (await probe.observeFresh())?.status === 'RUNNING') {
    const what = `A stop of a running instance with ${JSON.stringify(body).slice(0, 60)}`;
    t.judge(`compute.stop-instance.${slug}`, accepted(answer, what));
  }
  return answer;
}

/** Terminates an instance of the run that erred before it could be used, which must be accepted; then throws `NotExercised`. */
export async function terminateErred(t: Calling, probe: Called): Promise<never> {
  const answer = await t.api.terminate(probe.id);
  const isAccepted = isSuccess(answer);
  const after = isAccepted ? undefined : await probe.observeFresh('TERMINATING', 'TERMINATED');
  if (isAccepted || after?.status === 'ERRORED') {
    const judgement = accepted(answer, 'A terminate of an instance that is ERRORED');
    t.judge('compute.terminate-instance.early-accepted', judgement);
  }
  throw new NotExercised(`the disposable instance ${probe.id} is ERRORED`);
}
