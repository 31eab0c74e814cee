/** The ordinary response of every route, and the parts that a script can choose. */

import { afterAll, describe, expect, test } from 'vitest';
import { createParser } from 'eventsource-parser';

import { complete, type Complete, stall } from '../behaviour.ts';
import { markerOf } from './request.ts';
import { startScriptedBackend } from '../scripted-backend.ts';

const backend = await startScriptedBackend({ listen: ['127.0.0.1:0'], models: ['one', 'a/b'] });
afterAll(async () => backend.close());

const CHAT = '/v1/chat/completions';

async function post(path: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(new URL(path, backend.listeners[0]), {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

async function answer(path: string, body: unknown): Promise<unknown> {
  return JSON.parse((await post(path, body)).text);
}

/** The events of a stream with their data, parsed unless it is `[DONE]`. */
async function eventsOf(path: string, body: object) {
  const list: { event: string | undefined; data: unknown }[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) =>
      list.push({ event, data: data === '[DONE]' ? data : JSON.parse(data) }),
  });
  parser.feed((await post(path, { ...body, stream: true })).text);
  return list;
}

async function chosen(options: Omit<Complete, 'kind'>): Promise<string> {
  return markerOf(await backend.script([complete(options)]));
}

const hello = [{ role: 'user', content: 'hello' }];

describe('without a script', () => {
  const embedding = expect.arrayContaining([expect.any(Number)]);
  const ranked = { query: 'q', documents: ['a', 'b', 'c'], top_n: 2 };
  const results = [1, 0.5].map((relevance_score, index) => ({ index, relevance_score }));
  const message = { role: 'assistant', content: 'Hello from the scripted backend.' };
  const cut = { message: { content: 'Hello from' }, finish_reason: 'length' };

  test.each([
    [
      'chat completions',
      CHAT,
      { model: 'm', messages: hello },
      {
        object: 'chat.completion',
        model: 'm',
        choices: [{ message, finish_reason: 'stop' }],
        usage: { completion_tokens: 5, prompt_tokens: expect.any(Number) },
      },
    ],
    [
      'output that is cut at the maximum asked for',
      CHAT,
      { messages: hello, max_completion_tokens: 2 },
      { choices: [cut], usage: { completion_tokens: 2 } },
    ],
    [
      'messages',
      '/v1/messages',
      { max_tokens: 1, messages: hello },
      {
        type: 'message',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'max_tokens',
        usage: { output_tokens: 1 },
      },
    ],
    [
      'embeddings of several texts',
      '/v1/embeddings',
      { input: ['a', 'b'] },
      { data: [0, 1].map((index) => ({ index, embedding })) },
    ],
    ['embeddings of one text', '/v1/embeddings', { input: 'a' }, { data: [{ index: 0 }] }],
    ['a ranking', '/v1/rerank', ranked, { results }],
    ['a ranking by its short path', '/rerank', ranked, { results }],
  ])('%s', async (_, path, body, expected) => {
    expect(await answer(path, body)).toMatchObject(expected);
  });

  test('what is no JSON object is refused as an engine would', async () => {
    const { status, text } = await post(CHAT, '{"cut');
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  test('an unknown path or method is a 404', async () => {
    expect((await post('/v1/responses', {})).status).toBe(404);
    expect((await fetch(new URL('/v1/messages', backend.listeners[0]))).status).toBe(404);
  });
});

describe('streams', () => {
  test('chat: role, words, end, [DONE], and usage only if asked', async () => {
    const plain = await eventsOf(CHAT, { messages: hello });
    expect(plain.at(0)?.data).toMatchObject({ choices: [{ delta: { role: 'assistant' } }] });
    expect(plain.at(-2)?.data).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    expect(plain.at(-1)?.data).toBe('[DONE]');
    expect(plain).toHaveLength(8);
    const asked = { messages: hello, stream_options: { include_usage: true } };
    const withUsage = await eventsOf(CHAT, asked);
    expect(withUsage.at(-2)?.data).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
  });

  test('messages: named events in their order, usage in the last but one', async () => {
    const list = await eventsOf('/v1/messages', { max_tokens: 1, messages: hello });
    const block = ['start', 'delta', 'stop'].map((part) => `content_block_${part}`);
    const names = ['message_start', ...block, 'message_delta', 'message_stop'];
    expect(list.map(({ event }) => event)).toEqual(names);
    expect(list.at(-2)?.data).toMatchObject({ usage: { output_tokens: 1 } });
  });
});

describe('a script chooses', () => {
  test('text and usage', async () => {
    const content = await chosen({
      text: 'chosen words',
      usage: { inputTokens: 123, outputTokens: 45_678 },
    });
    const body = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content }] };
    expect(await answer(CHAT, body)).toMatchObject({
      choices: [{ message: { content: 'chosen words' } }],
      usage: { prompt_tokens: 123, completion_tokens: 45_678, total_tokens: 45_801 },
    });
  });

  test('the pieces of a stream, its usage unasked, and no [DONE]', async () => {
    const content = await chosen({
      text: ['ab', 'c'],
      usage: { inputTokens: 1, outputTokens: 2 },
      done: false,
    });
    const list = await eventsOf(CHAT, { messages: [{ role: 'user', content }] });
    expect(list.map(({ data }) => data)).toMatchObject([
      {},
      { choices: [{ delta: { content: 'ab' } }] },
      { choices: [{ delta: { content: 'c' } }] },
      { choices: [{ finish_reason: 'stop' }] },
      { usage: { completion_tokens: 2 } },
    ]);
  });
});

describe('what agents ask', () => {
  const get = async (path: string) => fetch(new URL(path, backend.listeners[0]));

  test('the list of models, and one of them', async () => {
    expect(await (await get('/v1/models')).json()).toMatchObject({
      object: 'list',
      data: [{ id: 'one' }, { id: 'a/b' }],
    });
    expect(await (await get('/v1/models/a%2Fb')).json()).toMatchObject({ id: 'a/b' });
    expect((await get('/v1/models/two')).status).toBe(404);
  });

  test('metrics that follow the requests in flight', async () => {
    const id = await backend.script([stall()]);
    const body = { messages: [{ role: 'user', content: markerOf(id) }] };
    const answered = post(CHAT, body);
    await backend.waitFor(id, { held: 1 });
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toContain('vllm:num_requests_running{model_name="one"} 1\n');
    await backend.release(id);
    await answered;
    await backend.waitFor(id, { ended: 1 });
    expect((await backend.totals())[0]).toMatchObject({ inFlight: 0 });
  });
});
