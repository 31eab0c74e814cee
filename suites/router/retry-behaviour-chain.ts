/** Internal retry behaviour: the steps of a routing policy, its provider, full queues, and agents that come back. */

import { complete, drop } from '../../harness/backend/behaviour.ts';
import { type Judgement, together, notObserved } from '../../harness/checks/judgement.ts';
import { codeOf, isInternalFailure } from '../../harness/checks/router/envelope.ts';
import { endedWith, isSuccess, succeeded } from '../../harness/checks/router/outcome.ts';
import { noForgedEnd, sameOutput } from '../../harness/checks/router/stream-delivery.ts';
import { triesWithin } from '../../harness/checks/router/tries.ts';
import { servedAfterReturn } from '../../harness/drivers/router/agents.ts';
import type { CallOptions } from '../../harness/drivers/router/api.ts';
import { FEW_TOKENS } from '../../harness/drivers/router/client-routes.ts';
import { requireFixture } from '../../harness/drivers/router/fixtures.ts';
import { whileHeld } from '../../harness/drivers/router/hold.ts';
import { firstAnswer, provoke } from '../../harness/drivers/router/provoke.ts';
import { failing, inTheEnd, unavailable } from '../../harness/drivers/router/ejection.ts';
import {
  afterProviderFailed,
  agentsBeforeProvider,
  allFailed,
  answeredAfter,
  asksOnce,
  providerNotAskedAgain,
  servedByNextStep,
  servedByNextStepOnMessages,
  stopsAfterFailure,
  streamLostByProvider,
  triedSoOften,
} from '../../harness/drivers/router/retries.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { lostEvents } from '../../harness/generate/streams.ts';
import { judgeOrLack, NotExercised } from '../../harness/runner/case.ts';

const ID = 'router.retry-behaviour';

const onMessages = { route: 'messages' } as const;
const asStream = { stream: true } as const;

/** The fixture of cases whose agents fail before the provider is asked; a router may rest these agents for a while. */
const PROVIDER = ['models.provider'] as const;

const WAITED =
  'no further request was answered while the slots of the first step were held, as where it lets requests wait for one';

export default routerSection('retry-behaviour', (test) => {
  test(
    'a step that cannot serve is followed by one that can',
    { judges: [`${ID}.fallback-step`, `${ID}.fallback-step-on-proxy`] },
    async (t) => {
      const model = requireFixture(t, 'fallback');
      for (const stream of [false, true]) {
        const served = await servedByNextStep(t, model, stream);
        t.judge(`${ID}.fallback-step`, served);
      }
      judgeOrLack(
        t,
        `${ID}.fallback-step-on-proxy`,
        await servedByNextStepOnMessages(t, model),
        `the messages route serves no model of this kind`,
      );
    },
  );

  test(
    'a step whose agents failed is followed by the next',
    { judges: [`${ID}.failed-step-advances`], isolation: 'target' },
    async (t) => {
      const { id: model } = requireFixture(t, 'overflow');
      for (const [failure, stream] of [
        [unavailable, false],
        [drop('close'), true],
        [failing(500), true],
        [failing(404), false],
        [drop('reset'), false],
      ] as const) {
        const judgement = await answeredAfter(t, { model, failure, stream });
        t.judge(`${ID}.failed-step-advances`, judgement);
      }
    },
  );

  test(
    'an error of the request itself ends it in the first of several steps',
    {
      judges: [`${ID}.context-length-stops`, `${ID}.invalid-parameter-stops`],
      needs: ['models.overflow'],
      isolation: { fixtures: ['models.overflow'] },
    },
    async (t) => {
      const { id: model } = requireFixture(t, 'overflow');
      for (const [slug, code] of [
        ['context-length-stops', 'context_length_exceeded'],
        ['invalid-parameter-stops', 'invalid_parameter'],
      ] as const) {
        const errorOf = (status: number) => failing(status, { type: code });
        t.judge(`${ID}.${slug}`, await asksOnce(t, model, [400, 500].map(errorOf)));
        for (const stream of [false, true]) {
          // By its status alone, a 500 is tried elsewhere.
          const last = errorOf(stream ? 500 : 400);
          const judgement = await stopsAfterFailure(t, last, { model, stream, code });
          t.judge(`${ID}.${slug}`, judgement);
        }
      }
    },
  );

  test(
    'a step whose slots are full is followed by the next',
    { judges: [`${ID}.full-step-advances`], isolation: 'target' },
    async (t) => {
      const overflow = requireFixture(t, 'overflow');
      await whileHeld(t, { count: overflow.capacity, full: overflow.id }, async ({ script }) => {
        const judged: Judgement[] = [];
        for (const stream of [false, true]) {
          const asked = { model: overflow.id, stream };
          let whileTaken: Judgement = notObserved;
          const judgement = await inTheEnd(t, overflow.id, async () => {
            const served = succeeded((await provoke(t, complete(), asked)).exchange);
            // The response counts only if the slots are still held, since only then the step is full.
            const { held } = await t.backend.counts(script);
            if (held >= overflow.capacity) whileTaken = served;
            return whileTaken;
          });
          judged.push(judgement);
        }
        const advanced = together(...judged);
        if (advanced.seen > 0) t.judge(`${ID}.full-step-advances`, advanced);
        else t.inconclusive(`${ID}.full-step-advances`, WAITED);
      });
    },
  );

  test(
    'the full queue of one model is not the full queue of the router',
    { judges: [`${ID}.full-model-queue`], isolation: { fixtures: ['models.singleSlot'] } },
    async (t) => {
      const model = requireFixture(t, 'singleSlot');
      await whileHeld(t, { count: model.capacity, full: model.id }, async ({ script }) => {
        const once = async (call: CallOptions) =>
          t.api.chat(model.id, { ...call, script, unbounded: true });
        const further = await t.yieldTarget(async () => firstAnswer(once));
        // A router that lets requests wait for the slot ends them at the deadline, so no queue was full, or hands it on.
        const { hits } = await t.backend.counts(script);
        const waited =
          isSuccess(further) || hits > model.capacity || codeOf(further) === 'request_timeout';
        t.judge(
          `${ID}.full-model-queue`,
          waited || isInternalFailure(further)
            ? notObserved
            : endedWith(further, ['no_capacity', 'no_agents_available']),
        );
      });
    },
  );

  test(
    'the provider is asked when no agent can serve',
    {
      judges: [`${ID}.provider-fallback`, `${ID}.provider-failure`],
      isolation: { fixtures: PROVIDER },
    },
    async (t) => {
      const { model, exchange, hits } = await allFailed.of(t);
      t.judge(`${ID}.provider-fallback`, triesWithin(exchange, hits, { least: 2, most: Infinity }));
      t.judge(
        `${ID}.provider-failure`,
        hits < 2 ? notObserved : endedWith(exchange, ['backend_error']),
      );
      for (const [failure, asked] of [
        [unavailable, {}],
        [drop('close'), {}],
        [drop('close'), asStream],
        [failing(500), asStream],
        [failing(404), {}],
        [failing(429), { maxTokens: FEW_TOKENS }],
      ] as const) {
        const times = Math.max(1, hits - 1);
        const failed = { ...asked, model, failure, times };
        const judgement = await answeredAfter(t, failed, { tries: hits });
        t.judge(`${ID}.provider-fallback`, judgement);
      }
    },
  );

  test(
    'the provider is asked also on a proxy route',
    { judges: [`${ID}.provider-fallback-on-proxy`], isolation: { fixtures: PROVIDER } },
    async (t) => {
      const { model, agents } = await agentsBeforeProvider(t);
      const failed = { ...onMessages, model, failure: drop('close'), times: agents };
      const whole = await answeredAfter(t, failed, { tries: agents + 1 });
      const stream = await answeredAfter(t, { ...failed, ...asStream }, { tries: agents + 1 });
      judgeOrLack(
        t,
        `${ID}.provider-fallback-on-proxy`,
        together(whole, stream),
        `no engine was asked for ${model} on the messages route`,
      );
    },
  );

  test(
    'a provider that failed is not asked again',
    { judges: [`${ID}.provider-asked-once`], isolation: { fixtures: PROVIDER } },
    async (t) => {
      judgeOrLack(
        t,
        `${ID}.provider-asked-once`,
        together(await providerNotAskedAgain(t, false), await providerNotAskedAgain(t, true)),
        'not as many agents were asked as a moment before',
      );
    },
  );

  test(
    'what agents classify comes from the provider as one code, whatever it says',
    {
      judges: [`${ID}.provider-failure`, `${ID}.provider-fallback`],
      isolation: { fixtures: PROVIDER },
    },
    async (t) => {
      const { model, agents } = await agentsBeforeProvider(t);
      const tried = { least: agents + 1, most: Infinity };
      const ends = await afterProviderFailed(t);
      for (const [at, { exchange, hits, asked, stream }] of ends.entries()) {
        const ended = asked ? endedWith(exchange, ['backend_error']) : notObserved;
        t.judge(`${ID}.provider-failure`, ended);
        // A stream counts only between two requests that reached the provider, since the agents were not resting then.
        if (!stream || ends[at - 1]?.asked !== true || ends[at + 1]?.asked !== true) continue;
        const first = triesWithin(exchange, hits, tried);
        const failed = { ...asStream, model, failure: unavailable };
        t.judge(
          `${ID}.provider-fallback`,
          first.violations.length === 0
            ? first
            : await triedSoOften(t, failed, tried, { tries: agents + 1 }),
        );
      }
    },
  );

  test(
    'a stream that the provider loses has no end of the router',
    {
      judges: ['router.streaming.failure-keeps-delivered', 'router.streaming.no-forged-end'],
      needs: PROVIDER,
      isolation: { fixtures: PROVIDER },
    },
    async (t) => {
      const { exchange, bytes, asked } = await streamLostByProvider(t, lostEvents);
      const [kept, open] = [sameOutput(exchange, bytes, 0), noForgedEnd(exchange, bytes)];
      t.judge('router.streaming.failure-keeps-delivered', asked ? kept : notObserved);
      t.judge('router.streaming.no-forged-end', asked ? open : notObserved);
    },
  );

  test(
    'an agent that went away and came back serves again',
    {
      judges: [`${ID}.stale-connection-redialled`],
      needs: ['hooks.disconnectAgent'],
      isolation: 'target',
    },
    async (t) => {
      const model = requireFixture(t, 'chat');
      const judgements: Judgement[] = [];
      const shapes = [{ route: 'chat' }, { route: 'chat', ...asStream }, onMessages] as const;
      for (const shape of shapes) {
        judgements.push(await servedAfterReturn(t, model, shape));
        if (together(...judgements).violations.length > 0) break;
      }
      judgeOrLack(
        t,
        `${ID}.stale-connection-redialled`,
        together(...judgements),
        `${model} is not served to begin with`,
      );
    },
  );

  test(
    'dialling an agent again costs no try',
    { judges: [`${ID}.redial-is-free`], needs: ['hooks.disconnectAgent'], isolation: 'target' },
    async (t) => {
      const { id: model, maxTries } = requireFixture(t, 'bounded');
      if (maxTries > 1) throw new NotExercised(`a step of ${model} tries ${maxTries} times`);
      const served = await servedAfterReturn(t, model, { route: 'chat' });
      const why = `${model} is not served to begin with`;
      judgeOrLack(t, `${ID}.redial-is-free`, served, why);
    },
  );
});
