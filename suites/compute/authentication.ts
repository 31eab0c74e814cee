/** Authentication: every operation, including those that change something, with every form of invalid credential. */

import { stillIn } from '../../harness/checks/compute/actions.ts';
import { answeredWith, notAccepted, refusedWith } from '../../harness/checks/compute/answers.ts';
import { instances } from './collections.ts';
import { wholeOf } from '../../harness/drivers/collection/collection.ts';
import { emptyForEmptyAccount, keptOut } from '../../harness/checks/compute/scoping.ts';
import { nextCursor } from '../../harness/checks/collection/bounds.ts';
import { type Exchange, headerValue } from '../../harness/exchange/exchange.ts';
import { type Alteration, alteration, exampleAlterations } from '../../harness/generate/ids.ts';
import type { ActionOptions, CallOptions } from '../../harness/drivers/compute/api.ts';
import {
  type FalseCredential,
  alteredCredential,
  falseCredentials,
  requireSecret,
} from '../../harness/drivers/compute/keys.ts';
import { likeUnknownInstance, NOTED } from '../../harness/drivers/compute/actions.ts';
import { narrowed } from '../../harness/drivers/compute/accounts.ts';
import { readInstances } from '../../harness/drivers/collection/reading.ts';
import {
  type ComputeContext,
  computeSection,
  idsIn,
} from '../../harness/drivers/compute/session.ts';
import { requireItems } from '../../harness/drivers/collection/whole-list.ts';
import { NotExercised } from '../../harness/runner/case.ts';

type Call = (t: ComputeContext, call: CallOptions, body: ActionOptions) => Promise<Exchange>;

/** Calls by the slug of their requirement, except the instance list. Calls that would change something use an unknown id. */
const operations = [
  ['get-instance', async (t, call) => t.api.get(t.unknownInstanceId(), call)],
  [
    'stop-instance',
    async (t, call, body) => t.api.stop(t.unknownInstanceId(), { ...call, ...body }),
  ],
  [
    'terminate-instance',
    async (t, call, body) => t.api.terminate(t.unknownInstanceId(), { ...call, ...body }),
  ],
  ['start-instance', async (t, call) => t.api.start(t.unknownInstanceId(), call)],
  ['regions', async (t, call) => t.api.regions(call)],
  ['presets', async (t, call) => t.api.presets({}, call)],
] as const satisfies readonly (readonly [slug: string, call: Call])[];

const of = idsIn('authentication');

function credentialText(form: string): string {
  return form === 'header-missing' ? 'without a key' : `with a false key (${form})`;
}

const UNKNOWN_KEY = 'nobody-was-ever-given-this-key';
const KEY_HEADERS = ['X-API-Key', 'Api-Key'] as const;

/** An altered key that a prefix comparison would accept. */
const APPENDED: Alteration = { kind: 'append', at: 0 };

export default computeSection('authentication', (test) => {
  for (const [index, [slug, call]] of operations.entries()) {
    const id = of(slug);
    test(`${slug} refuses every form of a missing or false key`, { judges: [id] }, async (t) => {
      const key = requireSecret(t, 'primary');
      const every = [
        ...falseCredentials(key),
        ...exampleAlterations.flatMap((how) => alteredCredential(key, how)),
      ];
      // One credential of each form, a different one for each operation.
      const ofEach = [...new Set(every.map(({ form }) => form))].flatMap((form) => {
        const ways = every.filter((one) => one.form === form);
        return ways[index % ways.length] ?? [];
      });
      for (const [at, { form, headers }] of t.some(t.thorough ? every : ofEach, 3).entries()) {
        // A server may read the body before the key, so every second call has one.
        const answer = await call(t, { as: null, headers }, at % 2 === 1 ? NOTED : {});
        const judgement = refusedWith(answer, 401, `A call of ${slug} ${credentialText(form)}`);
        t.judge(id, judgement);
        t.judge(of(form), judgement);
      }
    });
  }

  test(
    'a key is asked for whatever the query says',
    { judges: [of('list-instances'), of('presets')] },
    async (t) => {
      const cursor = nextCursor(await t.api.list({ size: 1 })) ?? undefined;
      const presetCursor = nextCursor(await t.api.presets({ size: 1 })) ?? undefined;
      for (const [slug, call, query] of [
        ['list-instances', 'list', { size: 1, cursor }],
        ['list-instances', 'list', { status: 'running' }],
        ['list-instances', 'list', { free_text_search: 'a' }],
        ['list-instances', 'list', { sort_field: 'NAME' }],
        ['presets', 'presets', { size: 1, cursor: presetCursor }],
        ['presets', 'presets', { region: 'US' }],
      ] as const) {
        const answer = await t.api[call](query, { as: null });
        t.judge(of(slug), refusedWith(answer, 401, `A call of ${slug} without a key`));
      }
    },
  );

  test(
    'a key is asked for whatever became of the instance',
    {
      judges: [of('get-instance'), of('stop-instance')],
      needs: ['instances.terminated', 'consent.stop'],
    },
    async (t) => {
      const id = await t.terminated();
      for (const [slug, call] of [
        ['get-instance', 'get'],
        ['stop-instance', 'stop'],
      ] as const) {
        const answer = await t.api[call](id, { as: null });
        t.judge(of(slug), refusedWith(answer, 401, `A ${call} of a terminated instance, no key`));
      }
    },
  );

  test(
    'each form of a missing or false key is refused',
    {
      judges: [
        of('header-missing'),
        of('scheme-alone'),
        of('scheme-wrong'),
        of('token-empty'),
        of('token-with-space'),
        of('token-unknown'),
        of('challenge'),
        of('list-instances'),
      ],
    },
    async (t) => {
      const key = requireSecret(t, 'primary');
      const altered = exampleAlterations.slice(0, 1).flatMap((how) => alteredCredential(key, how));
      for (const { form, headers } of [...falseCredentials(key), ...altered]) {
        const answer = await t.api.list({ size: 1 }, { as: null, headers });
        const judgement = refusedWith(answer, 401, `A list ${credentialText(form)}`);
        t.judge(of(form), judgement);
        t.judge(of('list-instances'), judgement);
        const challenge = headerValue(answer.response?.headers ?? [], 'www-authenticate');
        t.record(of('challenge'), `${form}: ${challenge ?? 'none'}`, answer);
      }
    },
  );

  test(
    'a key with one character changed is refused',
    { judges: [of('key-altered')] },
    async (t) => {
      const id = of('key-altered');
      const key = requireSecret(t, 'primary');
      const refused = async ({ headers }: FalseCredential) =>
        refusedWith(
          await t.api.list({ size: 1 }, { as: null, headers }),
          401,
          'A list with an altered key',
        );
      // The server may compare different kinds of keys in different ways.
      const others = t.target.keys.second === undefined ? [] : [requireSecret(t, 'second')];
      for (const credential of others.flatMap((other) => alteredCredential(other, APPENDED)))
        t.judge(id, await refused(credential));
      await t.property(
        'altered keys',
        alteration,
        async (how, judge) => {
          for (const credential of alteredCredential(key, how))
            judge(id, await refused(credential));
        },
        { weight: 0.4, examples: exampleAlterations },
      );
    },
  );

  test(
    'a key that policy keeps out is refused, and not as unknown',
    { judges: [of('policy-refusal')] },
    async (t) => {
      const as = 'forbidden';
      const answers: readonly Exchange[] = [
        await t.api.list({}, { as }),
        await t.api.get(t.unknownInstanceId(), { as }),
        await t.api.regions({ as }),
        await t.api.presets({}, { as }),
      ];
      for (const answer of answers) t.judge(of('policy-refusal'), keptOut(answer));
      if (answers.some((answer) => keptOut(answer).seen > 0)) return;
      throw new NotExercised('no operation that was tried refuses the forbidden key');
    },
  );

  for (const [action, ...bodies] of [
    ['stop', {}, NOTED],
    ['start', {}],
    ['terminate', {}, NOTED],
  ] as const) {
    const id = of(`policy-refuses-${action}`);
    test(
      `a key that may read and not act is refused a ${action} of its own instance`,
      {
        judges: [id],
        needs: ['keys.forbidden.instance'],
        isolation: { fixtures: ['keys.forbidden'] },
      },
      async (t) => {
        const { forbidden } = t.target.keys;
        if (typeof forbidden !== 'object') return;
        const { instance } = forbidden;
        const as = 'forbidden';
        // The least harmful action goes first, and the case ends once an action is not refused or has had an effect.
        if (action !== 'stop' && (await t.api.stop(instance, { as })).response?.status !== 403) {
          throw new NotExercised('a stop, which was asked for first, was not refused with 403');
        }
        for (const body of bodies) {
          const answer = await t.api[action](instance, { as, ...body });
          t.judge(id, answeredWith(answer, 403, `A ${action} that policy forbids`));
          if (answer.response?.status !== 403) break;
          const after = action !== 'stop' && (await t.observe(instance, as));
          if (after) t.judge(id, stillIn(after, ['STOPPED'], answer, `A refused ${action}`));
          if (after && after.status !== 'STOPPED') break;
        }
      },
    );
  }

  test(
    'a key of an account without instances gets an empty list',
    { judges: [of('empty-account')] },
    async (t) => {
      const { ids, records } = await readInstances(t.api, {}, { mostPages: 1 });
      for (const query of [{}, ...records.slice(0, 1).flatMap((newest) => narrowed(newest))]) {
        const answer = await t.api.list(query, { as: 'empty' });
        // The server may reject a GPU model that no instance of the account has.
        if ('gpu_type' in query && answer.response?.status === 400) continue;
        t.judge(of('empty-account'), emptyForEmptyAccount(answer, ids));
      }
    },
  );

  test(
    'without a key, what exists is not told from what does not',
    { judges: [of('tells-nothing')] },
    async (t) => {
      const { records } = await requireItems(
        wholeOf(t, instances, {}, { mostPages: 1 }),
        1,
        'instances',
      );
      const id = String(records[0]?.['instance_id']);
      t.judge(
        of('tells-nothing'),
        await likeUnknownInstance(
          t,
          await t.api.get(id, { as: null }),
          async () => t.api.get(id, { as: null }),
          async () => t.api.get(t.unknownInstanceId(), { as: null }),
        ),
      );
    },
  );

  test(
    'a key that nobody knows does not stand in for the header when it comes under another name',
    { judges: [of('header-missing')] },
    async (t) => {
      for (const name of KEY_HEADERS) {
        const answer = await t.api.list({}, { as: null, headers: [[name, UNKNOWN_KEY]] });
        t.judge(
          of('header-missing'),
          refusedWith(answer, 401, `A list with an unknown key as ${name} alone`),
        );
      }
    },
  );

  test(
    'a valid key lets nobody in under another name, and what it does in another case is recorded',
    { judges: [of('scheme-case'), of('key-elsewhere')] },
    async (t) => {
      const key = requireSecret(t, 'primary');
      for (const scheme of ['bearer', 'BEARER']) {
        const headers = [['Authorization', [`${scheme} `, key]]] as const;
        const answer = await t.api.list({ size: 1 }, { as: null, headers });
        t.record(of('scheme-case'), `${scheme}: ${answer.response?.status}`, answer);
      }
      for (const name of KEY_HEADERS) {
        const answer = await t.api.list({ size: 1 }, { as: null, headers: [[name, key]] });
        t.judge(of('key-elsewhere'), notAccepted(answer, `A valid key as ${name} alone`));
      }
      // The key must be valid, otherwise the judgements above prove nothing.
      const plain = await t.api.list({ size: 1 });
      t.judge('compute.list-instances.answers-200', answeredWith(plain, 200, 'A list'));
    },
  );
});
