/** Real clients of the reference router, alone and through `plumbline observe`. */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedRouter, startScriptedRouter } from '../../harness/reference/router/start.ts';
import { parseTarget } from '../../harness/contracts/target-file.ts';
import { CHROMIUM, launchChromium } from '../../reports/chromium.test.support.ts';
import { type Observing, observing } from './observing.ts';

const CURL = ['/usr/bin/curl', '/usr/local/bin/curl'].find((file) => existsSync(file));

const MODEL = 'scripted-chat';
const UNKNOWN = 'sk-nobody-knows-this-key-4711';
const hello = [{ role: 'user' as const, content: 'hello' }];

describe('real clients of the reference router', () => {
  let router: ScriptedRouter;
  let observed: Observing;
  let key = '';
  beforeAll(async () => {
    router = await startScriptedRouter({ limits: { maxRequestBytes: 200_000 } });
    const { secrets } = parseTarget(JSON.stringify(router.target()), 'target.yaml');
    key = secrets['client'] ?? '';
    observed = await observing(router.target());
  });
  afterAll(async () => {
    observed.kill();
    await router.close();
  });

  describe.for(['directly', 'through the proxy'] as const)('%s', (way) => {
    const origin = (): string => (way === 'directly' ? router.baseUrl : observed.origin);
    const openai = (apiKey = key): OpenAI =>
      new OpenAI({ apiKey, baseURL: `${origin()}/v1`, maxRetries: 0 });
    const anthropic = (authToken = key): Anthropic =>
      new Anthropic({ authToken, apiKey: null, baseURL: origin(), maxRetries: 0 });

    test('the OpenAI SDK: a list, an answer, a stream, vectors', async () => {
      const client = openai();
      const models = await client.models.list();
      expect(models.data.map(({ id }) => id)).toContain(MODEL);
      const answer = await client.chat.completions.create({ model: MODEL, messages: hello });
      expect(answer.choices[0]?.message.content).toBeTruthy();
      const stream = await client.chat.completions.create({
        model: MODEL,
        messages: hello,
        stream: true,
      });
      const pieces: string[] = [];
      for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? '');
      expect(pieces.join('')).toBe(answer.choices[0]?.message.content);
      const vectors = await client.embeddings.create({
        model: 'scripted-embedding',
        input: 'hello',
      });
      expect(vectors.data).toHaveLength(1);
    });

    test('the OpenAI SDK: what is refused', async () => {
      await expect(openai(UNKNOWN).models.list()).rejects.toMatchObject({ status: 401 });
      await expect(
        openai().chat.completions.create({ model: 'no-such-model', messages: hello }),
      ).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    });

    test('the Anthropic SDK: an answer and a stream', async () => {
      const client = anthropic();
      const asked = { model: MODEL, max_tokens: 50, messages: hello };
      const answer = await client.messages.create(asked);
      expect(answer.content).not.toHaveLength(0);
      const stream = client.messages.stream(asked);
      const whole = await stream.finalMessage();
      expect(whole.content).toEqual(answer.content);
      const counted = await client.messages.countTokens({ model: MODEL, messages: hello });
      expect(counted.input_tokens).toBeGreaterThan(0);
    });

    test('the Anthropic SDK: what is refused', async () => {
      const asked = { model: MODEL, max_tokens: 50, messages: hello };
      await expect(anthropic(UNKNOWN).messages.create(asked)).rejects.toMatchObject({
        status: 401,
      });
      await expect(
        anthropic().messages.create({ ...asked, model: 'no-such-model' }),
      ).rejects.toMatchObject({ status: 404, error: { error: { code: 'model_not_found' } } });
    });

    test('an SDK that leaves in the middle of a stream', async () => {
      const stream = await openai().chat.completions.create({
        model: MODEL,
        messages: hello,
        stream: true,
      });
      for await (const _ of stream) break;
      expect(stream.controller.signal.aborted).toBe(true);
    });
  });

  test.skipIf(CURL === undefined)('curl: an upload over the limit gets its answer', async () => {
    const body = JSON.stringify({
      model: MODEL,
      messages: [{ role: 'user', content: 'x'.repeat(400_000) }],
    });
    const status = await new Promise<string>((done) => {
      const child = execFile(
        CURL ?? '',
        `-s -o /dev/null -w %{http_code} --data-binary @- -H`
          .split(' ')
          .concat(`Authorization: Bearer ${key}`, `${observed.origin}/v1/chat/completions`),
        (_error, stdout) => done(stdout),
      );
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(body);
    });
    expect(status).toBe('413');
  });

  test.skipIf(CHROMIUM === undefined)(
    'a browser: a page of the proxied origin, and the live page',
    async () => {
      const browser = await launchChromium();
      try {
        const page = await browser.newPage();
        await page.goto(`${observed.origin}/v1/models?token=<img src=x onerror=window.pwned=1>`);
        const listed = await page.evaluate(
          `fetch('/v1/models', { headers: { Authorization: 'Bearer ${key}' } }).then((answer) => answer.json())`,
        );
        expect(JSON.stringify(listed)).toContain(MODEL);

        const complaints: string[] = [];
        page.on('console', (message) => complaints.push(message.text()));
        page.on('pageerror', (error) => complaints.push(error.message));
        await page.goto(`${observed.page}?still`);
        expect(await page.locator('h1').textContent()).toBe('No violation so far');
        const held = page.locator('section', { has: page.locator('#held') }).locator('tbody tr');
        expect(await held.count()).toBeGreaterThan(5);
        expect(await page.evaluate('window.pwned')).toBeUndefined();
        expect(await page.locator('img, script').count()).toBe(0);
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );

  test('the report: the router kept its contract, and no key is in it', async () => {
    const live = await observed.live();
    const { code, report, output } = await observed.end();
    expect(report.requirements.flatMap(({ findings }) => findings)).toEqual([]);
    expect(code, output).toBe(0);
    const [target] = report.targets;
    expect(target?.observed?.source).toBe('proxy');
    expect(target?.observed?.judged).toBe(live.judged);
    expect(target?.observed?.clients).toEqual([]);
    const verdictOf = (id: string) => report.requirements.find((one) => one.id === id)?.verdict;
    expect(verdictOf('router.streaming.content-type')).toBe('passed');
    expect(verdictOf('router.authentication.refusal-code')).toBe('passed');
    expect(verdictOf('router.codes.model_not_found-status')).toBe('passed');
    expect(verdictOf('router.rate-limit-rules.exhausted-bucket')).toBe('not-exercised');
    const folder = path.join(observed.folder, 'conformance-observed');
    const written = readdirSync(folder).map((name) =>
      readFileSync(path.join(folder, name), 'utf8'),
    );
    expect(written.length).toBeGreaterThan(1);
    expect(written.filter((text) => text.includes(key) || text.includes(UNKNOWN))).toEqual([]);
  });
});
