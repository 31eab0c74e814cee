/** The error envelope: cases provoke one error of each kind, and the universal checks judge it. */

import { sendAtOnce } from '../../harness/runner/retry.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import { pause } from '../../harness/exchange/budget.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { bodyText } from '../../harness/exchange/body.ts';
import { codeOf } from '../../harness/checks/compute/envelope.ts';
import { failsByChanceAlone } from '../../harness/checks/compute/answers.ts';
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';
import { SOON } from '../../harness/drivers/compute/standing.ts';
import { NotExercised } from '../../harness/runner/case.ts';

const of = idsIn('errors');

/** Rounds of ordinary reads that meet a failure of one in twenty; further rounds then tell whether it is chance. */
const READ_ROUNDS = 8;
const ROUNDS_AFTER_A_FAILURE = 16;

/** The most instances to terminate in search of a repeated terminate that fails with 500. */
const INSTANCES = 3;

export default computeSection('errors', (test) => {
  test(
    'refusals of every common kind carry the envelope',
    {
      judges: [
        of('envelope'),
        of('code-known'),
        of('message-text'),
        of('request-id-text'),
        of('request-id-fresh'),
        of('status-400'),
        of('status-401'),
        of('status-404'),
        of('code-validation-error'),
        of('code-unauthorized'),
        of('code-not-found'),
      ],
    },
    async (t) => {
      // The same request twice: a server may derive the request id from the request.
      for (let twice = 0; twice < 2; twice += 1) await t.api.list({ size: 201 });
      await t.api.presets({ size: 201 });
      await t.api.list({}, { as: null });
      await t.api.get(t.unknownInstanceId());
    },
  );

  test(
    'a key that policy keeps out is told so in the envelope',
    { judges: [of('status-403'), of('code-forbidden')] },
    async (t) => {
      const as = 'forbidden';
      const answers = [
        await t.api.list({}, { as }),
        await t.api.regions({ as }),
        await t.api.presets({}, { as }),
        await t.api.get(t.unknownInstanceId(), { as }),
      ];
      const isKeptOut = (answer: Exchange) => answer.response?.status === 403;
      if (answers.some(isKeptOut)) return;
      // The key may be allowed to read everything and change nothing.
      if (isKeptOut(await t.api.stop(t.unknownInstanceId(), { as }))) return;
      throw new NotExercised('no operation refuses the forbidden key with 403');
    },
  );

  test(
    'a conflict carries some code',
    { judges: [of('status-409'), of('conflict-code')] },
    async (t) => {
      const answer = await t.api.stop(await t.terminated());
      t.record(of('conflict-code'), codeOf(answer) ?? 'none', answer);
    },
  );

  test(
    'a terminate that is repeated before it settles may be a 500, in the envelope',
    { judges: [of('status-500'), of('code-internal-error')], waitsLong: true },
    async (t) => {
      for (let instance = 0; instance < INSTANCES; instance += 1) {
        const id = await t.disposable();
        await t.api.terminate(id);
        // Repeats until the instance is TERMINATED, which gives a conflict, or the rounds are used up.
        for (let round = 0; round < 40; round += 1) {
          // The state is short, so these calls do not wait for requests of other cases.
          const call = { ...SOON, repeat: false };
          const answers = await sendAtOnce(3, async () => t.api.terminate(id, call));
          const statuses = new Set(answers.map((answer) => answer.response?.status));
          if (statuses.has(500)) return;
          if (statuses.has(409) || statuses.has(404)) break;
          await pause(Math.min(1_000, 4 * round ** 2), t.signal);
        }
      }
      throw new NotExercised('no call was answered with 500, not even a repeated terminate');
    },
  );

  test(
    'ordinary reads end in no 500, but for a failure that passes',
    { judges: [of('no-internal-error')] },
    async (t) => {
      const once = { repeat: false };
      const ofRegions = async (read: (region: string) => Promise<Exchange>) =>
        Promise.all(regionCodes.map(read));
      const reads = [
        async () => ofRegions(async (region) => t.api.presets({ region, size: 5 }, once)),
        async () => ofRegions(async (region) => t.api.list({ region, size: 1 }, once)),
        async () => [await t.api.regions(once)],
        async () => [await t.api.get(t.unknownInstanceId(), once)],
      ];
      const readTimes = async (times: number, read: () => Promise<readonly Exchange[]>) =>
        (await sendAtOnce(times, read)).flat();
      const rounds = t.some(Array.from({ length: READ_ROUNDS }), 4).length;
      for (const read of reads) {
        const answers = await readTimes(rounds, read);
        const hasFailed = answers.some((answer) => (answer.response?.status ?? 0) >= 500);
        const further = hasFailed ? await readTimes(ROUNDS_AFTER_A_FAILURE, read) : [];
        t.judge(of('no-internal-error'), failsByChanceAlone([...answers, ...further]));
      }
    },
  );

  test(
    'answers that the contract does not know are recorded',
    { judges: [of('unknown-route'), of('wrong-method'), of('other-statuses')] },
    async (t) => {
      const answerText = (answer: Exchange) =>
        `${answer.response?.status ?? 'no answer'}: ${bodyText(answer).slice(0, 200)}`;
      const send = async (method: string, path: string) =>
        t.api.send({ method, path, as: 'primary' });
      const unknown = await send('GET', '/plumbline-no-such-path');
      t.record(of('unknown-route'), answerText(unknown), unknown);
      const wrong = [
        await send('GET', `/instances/${t.unknownInstanceId()}/stop`),
        await send('OPTIONS', '/regions'),
      ];
      for (const answer of wrong) {
        const note = `${answer.request.method}: ${answerText(answer)}`;
        t.record(of('wrong-method'), note, answer);
      }
      const others = [unknown, ...wrong].map((answer) => answer.response?.status ?? 0);
      const known = new Set([400, 401, 403, 404, 409, 429, 500]);
      const beyond = others.filter((status) => status >= 400 && !known.has(status));
      t.record(
        of('other-statuses'),
        beyond.length === 0 ? 'none on unknown paths and methods' : beyond.join(', '),
        unknown,
      );
    },
  );

  test('which error comes first is recorded', { judges: [of('precedence')] }, async (t) => {
    for (const [what, answer] of [
      ['no key and a bad size', await t.api.list({ size: 0 }, { as: null })],
      [
        'no key and an id that exists nowhere',
        await t.api.get(t.unknownInstanceId(), { as: null }),
      ],
      [
        'a bad body and an id that exists nowhere',
        await t.api.stop(t.unknownInstanceId(), { json: { reason_note: 7 } }),
      ],
    ] as const) {
      t.record(of('precedence'), `${what}: ${answer.response?.status}`, answer);
    }
  });
});
