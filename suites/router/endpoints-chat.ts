/** Endpoints: chat completions that an engine answers, plain and with the fields that they may carry. */

import { notObserved } from '../../harness/checks/judgement.ts';
import { answeredWith } from '../../harness/checks/router/answer-text.ts';
import { whenReached } from '../../harness/checks/router/engine-hits.ts';
import { lostAnswerNotWhole } from '../../harness/checks/router/lost-answer.ts';
import { sameChoices } from '../../harness/checks/router/chat-output.ts';
import { isSuccess, succeeded } from '../../harness/checks/router/success.ts';
import { complete, respond, respondText } from '../../harness/backend/behaviours.ts';
import { servedRoutes } from '../../harness/drivers/router/client-routes.ts';
import { provoke, scriptedModel } from '../../harness/drivers/router/provoke.ts';
import {
  accepted,
  acceptedOrUnable,
  arrivedAtItsPath,
  arrivedWith,
} from '../../harness/checks/router/forwarded.ts';
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

/**
 * Sends the request with and without what it may carry; the plain one must be served before and after. What asks for a
 * capability may be refused for want of it.
 */
async function carried(t: RouterContext, fields: Fields, asksForCapability = false) {
  const before = await provoke(t, complete());
  const { exchange, script } = await provoke(t, complete(), { extra: fields });
  const after = await provoke(t, complete());
  if (!isSuccess(before.exchange) || !isSuccess(after.exchange)) {
    throw new Inconclusive('a plain chat completion is not served, so that no field can be blamed');
  }
  const { messages: _written, ...named } = fields;
  return {
    accepted: asksForCapability ? acceptedOrUnable(exchange) : accepted(exchange),
    forwarded: arrivedWith(exchange, await t.backend.hits(script), named),
  };
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

/** A conversation with the roles of tools and developers. */
const withTools = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: 'What is the weather?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call-1', content: 'Sunny.' },
];

type Fields = Readonly<Record<string, unknown>>;

/** The fields that the document names, each alone. */
const plainFields: readonly Fields[] = [
  { temperature: 0.5 },
  { temperature: 0 },
  { messages: conversation },
  { top_p: 0.9 },
];

/** Those for which an engine needs a capability, or which only some models know. */
const capabilityFields: readonly Fields[] = [
  { reasoning_effort: 'low' },
  { tools: [weather], tool_choice: 'auto' },
  { tools: [weather], messages: withTools },
  { response_format: { type: 'json_object' } },
  { top_k: 20 },
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

  for (const [name, slug] of [
    ['max_tokens', 'max-tokens-accepted'],
    ['max_completion_tokens', 'max-completion-tokens-accepted'],
  ] as const) {
    const id = `router.endpoints.${slug}` as const;
    test(
      `a chat completion may carry ${name}, which reaches the engine`,
      { judges: [id, 'router.endpoints.forwarded-fields'] },
      async (t) => {
        const { accepted: judgement, forwarded } = await carried(t, { [name]: 16 });
        t.judge(id, judgement);
        t.judge('router.endpoints.forwarded-fields', forwarded);
      },
    );
  }

  test(
    'a chat completion may carry the other named fields, which reach the engine',
    {
      judges: ['router.endpoints.parameters-accepted', 'router.endpoints.forwarded-fields'],
      requests: 27,
    },
    async (t) => {
      for (const fields of [...plainFields, ...capabilityFields]) {
        const one = await carried(t, fields, capabilityFields.includes(fields));
        t.judge('router.endpoints.parameters-accepted', one.accepted);
        t.judge('router.endpoints.forwarded-fields', one.forwarded);
      }
    },
  );

  test(
    'a request of each inference route reaches the engine at its path',
    { judges: ['router.endpoints.forwarded-path'], requests: 5 },
    async (t) => {
      for (const route of servedRoutes(t)) {
        const { exchange, script } = await provoke(t, complete(), { route });
        const judgement = arrivedAtItsPath(exchange, await t.backend.hits(script));
        t.judge('router.endpoints.forwarded-path', judgement);
      }
    },
  );
});
