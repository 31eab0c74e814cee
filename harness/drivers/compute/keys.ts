/** Invalid credentials in many forms, and a key that is brought to its rate limit. */

import { sendAtOnce } from '../../runner/retry.ts';
import { changed, type Secret } from '../../target/keys.ts';
import { randomBytes } from 'node:crypto';
import type { HeaderContent } from '../../exchange/outgoing.ts';
import { type Alteration, altered } from '../../generate/ids.ts';
import { pause } from '../../exchange/budget.ts';
import { type Exchange, headerValue } from '../../exchange/exchange.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import { type ComputeContext, lackOf } from './api.ts';
import { saysLimited } from '../../checks/compute/answers.ts';
import { experiment } from './standing.ts';

type CredentialForm =
  | 'header-missing'
  | 'scheme-alone'
  | 'scheme-wrong'
  | 'token-empty'
  | 'token-with-space'
  | 'token-unknown'
  | 'key-altered';

/** Credential headers that must be refused, and their form. */
export interface FalseCredential {
  readonly form: CredentialForm;
  readonly headers: readonly (readonly [string, HeaderContent])[];
}

/** Every form, some in several ways. `key` is valid, and must not be accepted in a wrong form. */
export function falseCredentials(key: Secret): readonly FalseCredential[] {
  const authorization = (form: CredentialForm, content: HeaderContent): FalseCredential => ({
    form,
    headers: [['Authorization', content]],
  });
  return [
    { form: 'header-missing', headers: [] },
    authorization('scheme-alone', 'Bearer'),
    authorization('scheme-wrong', ['Basic ', key]),
    authorization('scheme-wrong', ['Token ', key]),
    authorization('scheme-wrong', key),
    authorization('scheme-wrong', ['Bearer', key]),
    ...['KEY:', ':KEY'].flatMap((pair) => {
      const encoded = changed(key, (text) =>
        Buffer.from(pair.replace('KEY', () => text)).toString('base64'),
      );
      return encoded === undefined ? [] : [authorization('scheme-wrong', ['Basic ', encoded])];
    }),
    authorization('token-empty', 'Bearer '),
    authorization('token-with-space', 'Bearer no such key'),
    authorization('token-with-space', ['Bearer ', key, ' more']),
    authorization('token-with-space', ['Bearer more ', key]),
    authorization('token-unknown', `Bearer ${randomBytes(24).toString('hex')}`),
    authorization('token-unknown', ['Bearer ', key, 'x']),
    ...['null', 'undefined', '%'].map((text) => authorization('token-unknown', `Bearer ${text}`)),
  ];
}

/** A valid key with a change; empty when the change does not make another key. */
export function alteredCredential(key: Secret, how: Alteration): readonly FalseCredential[] {
  const wrong = changed(key, (text) => altered(text, how));
  if (wrong === undefined) return [];
  return [{ form: 'key-altered', headers: [['Authorization', ['Bearer ', wrong]]] }];
}

/** Calls at once, and calls altogether: a higher limit is not searched for. */
const AT_ONCE = 25;
const MAX_CALLS = 1_500;
const LONGEST_MS = 10_000;
const LONGEST_WAIT_S = 60;

export interface Exhaustion {
  readonly calls: readonly Exchange[];
  /** The first response that says that the limit was reached. */
  readonly limited: Exchange;
  readonly milliseconds: number;
  /** The next response to the other key, and after that the one to the key at its limit. */
  readonly other: Exchange;
  readonly still: Exchange;
}

/** The key that is brought to its limit: `second`, which other cases use little, if the target file has it. */
export function exhaustedKey(t: Pick<ComputeContext, 'target'>): 'primary' | 'second' {
  return t.target.keys.second === undefined ? 'primary' : 'second';
}

/** One cheap read that is not repeated. */
export async function touch(t: Pick<ComputeContext, 'api'>, as: string): Promise<Exchange> {
  return t.api.regions({ as, repeat: false });
}

/** Sends other operations with a key at its limit, with an id that does not exist: the checks of every exchange judge each 429. */
async function askElsewhere({ api, unknownInstanceId }: Limited, as: string): Promise<void> {
  const once = { as, repeat: false };
  const id = unknownInstanceId();
  await Promise.all([
    api.stop(id, once),
    api.get(id, once),
    api.list({}, once),
    api.presets({}, once),
  ]);
}

type Limited = Pick<ComputeContext, 'api' | 'target' | 'unknownInstanceId'>;

/** Reads the regions until one key meets its limit, then with the other key. Throws `NotExercised` when no limit is met. */
export async function exhaust(t: Limited): Promise<Exhaustion> {
  const key = exhaustedKey(t);
  const most = Math.min(MAX_CALLS, Math.floor(t.target.budget.requests / 5));
  const from = performance.now();
  const calls: Exchange[] = [];
  while (calls.length < most && performance.now() - from < LONGEST_MS) {
    const batch = await sendAtOnce(AT_ONCE, async () => touch(t, key));
    calls.push(...batch);
    const limited = batch.find(saysLimited);
    if (limited === undefined) continue;
    const milliseconds = performance.now() - from;
    const other = await touch(t, 'primary');
    const still = await touch(t, key);
    await askElsewhere(t, key);
    return { calls, limited, milliseconds, other, still };
  }
  const took = Math.round(performance.now() - from);
  const { requestsPerSecond: pace } = t.target.budget;
  const slowed = Number.isFinite(pace) ? `, at the pace of budget.requestsPerSecond: ${pace}` : '';
  throw new NotExercised(
    `no limit was met by ${calls.length} requests with one key in ${took} ms${slowed}`,
  );
}

/** `exhaust`, once in a session. */
export const exhaustion = experiment(exhaust);

/** Waits as long as a 429 asks; a second when it gives no number of seconds, or has rounded less than one down to 0. */
export async function waitAsAsked(limited: Exchange, signal: AbortSignal): Promise<number> {
  const retryAfter = headerValue(limited.response?.headers ?? [], 'retry-after') ?? '';
  const seconds = /^\d+$/u.test(retryAfter) ? Math.max(1, Number(retryAfter)) : 1;
  if (seconds > LONGEST_WAIT_S) {
    throw new Inconclusive(`the target asks to wait ${seconds} s, which is longer than we wait`);
  }
  // Some milliseconds more, since the wait is in whole seconds and counts from when the response was made.
  await pause(seconds * 1_000 + 20, signal);
  return seconds;
}

/** A key of the target file as a secret; throws `NotExercised` without it. */
export function requireSecret(t: Pick<ComputeContext, 'secret'>, name: 'primary' | 'second') {
  const secret = t.secret(name);
  if (secret !== undefined) return secret;
  if (name === 'primary') throw new Inconclusive('the target has no primary key');
  throw lackOf('keys.second');
}
