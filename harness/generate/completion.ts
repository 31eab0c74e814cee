/** What an engine answers to a chat completion, and what such a request may carry. */

/** A completion with what a careless rewriting would lose: line ends, quotes, other scripts, lists in a choice. */
export function completion(model: string) {
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
export const LAST_WORDS = 'the last of all its words';

export function longCompletion(model: string) {
  const content = `${'longer and '.repeat(16_000)}${LAST_WORDS}`;
  const message = { role: 'assistant', content };
  return { ...completion(model), choices: [{ index: 0, message, finish_reason: 'stop' }] };
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

export type Fields = Readonly<Record<string, unknown>>;

/** The fields that the document names, each alone. */
export const plainFields: readonly Fields[] = [
  { temperature: 0.5 },
  { temperature: 0 },
  { messages: conversation },
  { top_p: 0.9 },
];

/** Those for which an engine needs a capability, or which only some models know. */
export const capabilityFields: readonly Fields[] = [
  { reasoning_effort: 'low' },
  { tools: [weather], tool_choice: 'auto' },
  { tools: [weather], messages: withTools },
  { response_format: { type: 'json_object' } },
  { top_k: 20 },
];
