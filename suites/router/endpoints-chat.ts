/** Endpoints: chat completions that an engine answers, plain and with the fields that they may carry. */

import { expectThat, notObserved } from '../../harness/checks/judgement.ts';
import { answeredWith } from '../../harness/checks/router/answer-text.ts';
import { whenReached } from '../../harness/checks/router/engine-hits.ts';
import { lostAnswerNotWhole } from '../../harness/checks/router/lost-answer.ts';
import { outcomeText } from '../../harness/checks/router/final-codes.ts';
import { sameChoices } from '../../harness/checks/router/chat-output.ts';
import { isSuccess, succeeded } from '../../harness/checks/router/success.ts';
import { complete, respond, respondText } from '../../harness/backend/behaviours.ts';
import type { InferenceOptions } from '../../harness/drivers/router/api.ts';
import { provoke, scriptedModel } from '../../harness/drivers/router/provoke.ts';
import { foundNoRoom } from '../../harness/checks/router/passing.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { Inconclusive } from '../../harness/runner/signals.ts';

/** A completion with what a careless rewriting would lose: line ends, quotes, other scripts, lists in a choice. */
function completion(model: string) {
  return {
    id: 'chatcmpl-plumbline',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Grüße, 世界 🚀 "quoted" \\ \n', refusal: null },
        logprobs: {
          content: [{ token: 'Grüße', logprob: -0.25, bytes: [71, 114], top_logprobs: [] }],
        },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  };
}

/** The end of a completion that is longer than any usual buffer. */
const LAST_WORDS = 'the last of all its words';

function longCompletion(model: string) {
  const content = `${'longer and '.repeat(16_000)}${LAST_WORDS}`;
  const message = { role: 'assistant', content };
  return { ...completion(model), choices: [{ index: 0, message, finish_reason: 'stop' }] };
}

/** Bytes of an answer after which its engine is lost: a body that has begun, and is no JSON yet. */
const LOST_AFTER = 26;

/** How often so many requests are sent at once, so that some are answered at the same moment. */
const ROUNDS = 4;
const AT_ONCE = 4;

/** Sends the request with and without what it may carry; the plain one must be served before and after. */
async function accepted(t: RouterContext, carried: InferenceOptions) {
  const before = await provoke(t, complete());
  const { exchange } = await provoke(t, complete(), carried);
  const after = await provoke(t, complete());
  if (!isSuccess(before.exchange) || !isSuccess(after.exchange)) {
    throw new Inconclusive('a plain chat completion is not served, so that no field can be blamed');
  }
  if (exchange.response === undefined || foundNoRoom(exchange)) return notObserved;
  const carries = Object.keys(carried.extra ?? carried).join(', ');
  return expectThat(
    isSuccess(exchange),
    `A chat completion with ${carries} was not served.`,
    { expected: 'a success, as without', actual: outcomeText(exchange) },
    exchange,
    after.exchange,
  );
}

/** A tool as clients write them: with numbers, truth values and null among the texts. */
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: { days: { type: 'integer', minimum: 1, default: null } },
      additionalProperties: false,
    },
  },
};

/** Every role and content in parts, as clients write them. */
const conversation = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Say hello.' }] },
  { role: 'assistant', content: 'Hello.' },
  { role: 'user', content: 'Again.' },
];

/** The fields that the document names, each alone. */
const parameters: readonly Readonly<Record<string, unknown>>[] = [
  { temperature: 0.5 },
  { temperature: 0 },
  { messages: conversation },
  { top_p: 0.9 },
  { reasoning_effort: 'low' },
  { tools: [weather], tool_choice: 'auto' },
  { response_format: { type: 'json_object' } },
];

export default routerSection('endpoints', (test) => {
  test(
    'a chat completion that the engine answers is a success with what the engine wrote',
    {
      judges: [
        'router.endpoints.chat-completions-answer',
        'router.endpoints.chat-completions-body',
      ],
    },
    async (t) => {
      const sent = completion(scriptedModel(t, 'chat'));
      const { exchange, hits } = await provoke(t, respond(200, sent));
      t.judge(
        'router.endpoints.chat-completions-answer',
        whenReached(hits, () => succeeded(exchange)),
      );
      t.judge('router.endpoints.chat-completions-body', sameChoices(exchange, sent));
    },
  );

  test(
    'a long chat completion is answered whole',
    {
      judges: [
        'router.endpoints.chat-completions-answer',
        'router.endpoints.chat-completions-body',
      ],
    },
    async (t) => {
      const sent = longCompletion(scriptedModel(t, 'chat'));
      const { exchange, hits } = await provoke(t, respond(200, sent));
      t.judge(
        'router.endpoints.chat-completions-answer',
        whenReached(hits, () => answeredWith(exchange, LAST_WORDS)),
      );
      t.judge('router.endpoints.chat-completions-body', sameChoices(exchange, sent));
    },
  );

  test(
    'the beginning of an answer whose engine is lost is no whole answer',
    { judges: ['router.endpoints.lost-answer-not-whole'] },
    async (t) => {
      const text = JSON.stringify(completion(scriptedModel(t, 'chat')));
      for (const route of ['chat', 'messages'] as const) {
        for (const framing of ['length', 'chunked'] as const) {
          const drop = { at: { afterBytes: LOST_AFTER }, how: 'close' } as const;
          const lost = respondText(200, text, { framing, drop });
          const { exchange, hits } = await provoke(t, lost, { route });
          t.judge(
            'router.endpoints.lost-answer-not-whole',
            whenReached(hits, () => lostAnswerNotWhole(exchange, text)),
          );
        }
      }
    },
  );

  test(
    'each of several chat completions at once gets the answer to its own request',
    { judges: ['router.endpoints.chat-completions-answer'], requests: ROUNDS * AT_ONCE },
    async (t) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const texts = Array.from({ length: AT_ONCE }, (_, index) => `Answer ${round}-${index}.`);
        const answers = await Promise.all(
          texts.map(async (text) => ({ text, ...(await provoke(t, complete({ text }))) })),
        );
        for (const { text, exchange, hits } of answers) {
          t.judge(
            'router.endpoints.chat-completions-answer',
            hits === 0 || !isSuccess(exchange) ? notObserved : answeredWith(exchange, text),
          );
        }
      }
    },
  );

  test(
    'a chat completion may carry max_tokens',
    { judges: ['router.endpoints.max-tokens-accepted'] },
    async (t) => {
      t.judge('router.endpoints.max-tokens-accepted', await accepted(t, { maxTokens: 16 }));
    },
  );

  test(
    'a chat completion may carry max_completion_tokens',
    { judges: ['router.endpoints.max-completion-tokens-accepted'] },
    async (t) => {
      t.judge(
        'router.endpoints.max-completion-tokens-accepted',
        await accepted(t, { maxCompletionTokens: 16 }),
      );
    },
  );

  test(
    'a chat completion may carry the other named fields',
    { judges: ['router.endpoints.parameters-accepted'], requests: 24 },
    async (t) => {
      for (const extra of parameters) {
        t.judge('router.endpoints.parameters-accepted', await accepted(t, { extra }));
      }
    },
  );
});
