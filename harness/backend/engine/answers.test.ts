/** The ordinary response of every route, and the parts that a script can choose. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createParser } from 'eventsource-parser';

import { complete, type Complete, stall } from '../behaviour.ts';
import { markerOf } from '../body.ts';
import { startScriptedBackend, type ScriptedBackend } from '../scripted-backend.ts';

let backend: ScriptedBackend;

beforeAll(async () => {
  backend = await startScriptedBackend({ listen: ['127.0.0.1:0'], models: ['one', 'a/b'] });
});

afterAll(async () => backend.close());

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

/** The data of each event, parsed unless it is `[DONE]`. */
function eventsOf(text: string): { event: string | undefined; data: unknown }[] {
  const list: { event: string | undefined; data: unknown }[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) =>
      list.push({ event, data: data === '[DONE]' ? data : JSON.parse(data) }),
  });
  parser.feed(text);
  return list;
}

async function chosen(options: Omit<Complete, 'kind'>): Promise<string> {
  return markerOf(await backend.script([complete(options)]));
}

const hello = [{ role: 'user', content: 'hello' }];

describe('without a script', () => {
  test('chat completions', async () => {
    expect(await answer('/v1/chat/completions', { model: 'm', messages: hello })).toMatchObject({
      object: 'chat.completion',
      model: 'm',
      choices: [
        {
          message: { role: 'assistant', content: 'Hello from the scripted backend.' },
          finish_reason: 'stop',
        },
      ],
      usage: { completion_tokens: 5, prompt_tokens: expect.any(Number) },
    });
  });

  test('output is cut at the maximum asked for', async () => {
    const body = { messages: hello, max_completion_tokens: 2 };
    expect(await answer('/v1/chat/completions', body)).toMatchObject({
      choices: [{ message: { content: 'Hello from' }, finish_reason: 'length' }],
      usage: { completion_tokens: 2 },
    });
  });

  test('messages', async () => {
    expect(await answer('/v1/messages', { max_tokens: 1, messages: hello })).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'max_tokens',
      usage: { output_tokens: 1 },
    });
  });

  test('embeddings, of one text or several, the same for the same', async () => {
    const embedding = expect.arrayContaining([expect.any(Number)]);
    expect(await answer('/v1/embeddings', { input: ['a', 'b'] })).toMatchObject({
      data: [0, 1].map((index) => ({ index, embedding })),
    });
    expect(await answer('/v1/embeddings', { input: 'a' })).toMatchObject({ data: [{ index: 0 }] });
  });

  test.each(['/v1/rerank', '/rerank'])('%s', async (path) => {
    const body = { query: 'q', documents: ['a', 'b', 'c'], top_n: 2 };
    expect(await answer(path, body)).toMatchObject({
      results: [
        { index: 0, relevance_score: 1 },
        { index: 1, relevance_score: 0.5 },
      ],
    });
  });

  test('what is no JSON object is refused as an engine would', async () => {
    const { status, text } = await post('/v1/chat/completions', '{"cut');
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
    const body = { stream: true, messages: hello };
    const plain = eventsOf((await post('/v1/chat/completions', body)).text);
    expect(plain.at(0)?.data).toMatchObject({ choices: [{ delta: { role: 'assistant' } }] });
    expect(plain.at(-2)?.data).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    expect(plain.at(-1)?.data).toBe('[DONE]');
    expect(plain).toHaveLength(8);
    const asked = { ...body, stream_options: { include_usage: true } };
    const withUsage = eventsOf((await post('/v1/chat/completions', asked)).text);
    expect(withUsage.at(-2)?.data).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
  });

  test('messages: named events in their order, usage in the last but one', async () => {
    const body = { stream: true, max_tokens: 1, messages: hello };
    const list = eventsOf((await post('/v1/messages', body)).text);
    expect(list.map(({ event }) => event)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
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
    expect(await answer('/v1/chat/completions', body)).toMatchObject({
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
    const body = { stream: true, messages: [{ role: 'user', content }] };
    const list = eventsOf((await post('/v1/chat/completions', body)).text).map(({ data }) => data);
    expect(list).toMatchObject([
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
    const answered = post('/v1/chat/completions', body);
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
