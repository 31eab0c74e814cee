/** Real clients of the reference router, alone and through `plumbline observe`. */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, describe, expect, test } from 'vitest';
import { startScriptedRouter } from '../../harness/reference/router/start.ts';
import { parseTarget } from '../../harness/contracts/target-file.ts';
import { CHROMIUM, launchChromium } from '../../reports/chromium.test.support.ts';
import { observing } from './command.ts';

const CURL = ['/usr/bin/curl', '/usr/local/bin/curl'].find((file) => existsSync(file));

const MODEL = 'scripted-chat';
const UNKNOWN = 'sk-nobody-knows-this-key-4711';
const asked = { model: MODEL, messages: [{ role: 'user' as const, content: 'hello' }] };
const briefly = { ...asked, max_tokens: 50 };

const router = await startScriptedRouter({ limits: { maxRequestBytes: 200_000 } });
const { secrets } = parseTarget(JSON.stringify(router.target()), 'target.yaml');
const key = secrets['client'] ?? '';
const observed = await observing(router.target());
afterAll(async () => {
  observed.kill();
  await router.close();
});

describe('real clients of the reference router', () => {
  describe.for(['directly', 'through the proxy'] as const)('%s', (way) => {
    const origin = way === 'directly' ? router.baseUrl : observed.origin;
    const openai = (apiKey = key): OpenAI =>
      new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 });
    const anthropic = (authToken = key): Anthropic =>
      new Anthropic({ authToken, apiKey: null, baseURL: origin, maxRetries: 0 });

    test('the OpenAI SDK: a list, an answer, a stream, vectors', async () => {
      const client = openai();
      const models = await client.models.list();
      expect(models.data.map(({ id }) => id)).toContain(MODEL);
      const answer = await client.chat.completions.create(asked);
      expect(answer.choices[0]?.message.content).toBeTruthy();
      const stream = await client.chat.completions.create({ ...asked, stream: true });
      const pieces: string[] = [];
      for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? '');
      expect(pieces.join('')).toBe(answer.choices[0]?.message.content);
      const words = { model: 'scripted-embedding', input: 'hello' };
      const vectors = await client.embeddings.create(words);
      expect(vectors.data).toHaveLength(1);
    });

    test('the OpenAI SDK: what is refused', async () => {
      await expect(openai(UNKNOWN).models.list()).rejects.toMatchObject({ status: 401 });
      const unknown = openai().chat.completions.create({ ...asked, model: 'no-such-model' });
      await expect(unknown).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    });

    test('the Anthropic SDK: an answer and a stream', async () => {
      const client = anthropic();
      const answer = await client.messages.create(briefly);
      expect(answer.content).not.toHaveLength(0);
      const stream = client.messages.stream(briefly);
      const whole = await stream.finalMessage();
      expect(whole.content).toEqual(answer.content);
      const counted = await client.messages.countTokens(asked);
      expect(counted.input_tokens).toBeGreaterThan(0);
    });

    test('the Anthropic SDK: what is refused', async () => {
      const foreign = anthropic(UNKNOWN).messages.create(briefly);
      await expect(foreign).rejects.toMatchObject({ status: 401 });
      const unknown = anthropic().messages.create({ ...briefly, model: 'no-such-model' });
      const error = { error: { code: 'model_not_found' } };
      await expect(unknown).rejects.toMatchObject({ status: 404, error });
    });

    test('an SDK that leaves in the middle of a stream', async () => {
      const stream = await openai().chat.completions.create({ ...asked, stream: true });
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
    'a browser: a page behind it, and the live page',
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
    const { source, judged, clients } = target?.observed ?? {};
    expect({ source, judged, clients }).toEqual({
      source: 'proxy',
      judged: live.judged,
      clients: [],
    });
    const verdicts = report.requirements.map(({ id, verdict }) => [id, verdict]);
    expect(Object.fromEntries(verdicts)).toMatchObject({
      'router.streaming.content-type': 'passed',
      'router.authentication.refusal-code': 'passed',
      'router.codes.model_not_found-status': 'passed',
      'router.rate-limit-rules.exhausted-bucket': 'not-exercised',
    });
    const folder = path.join(observed.folder, 'conformance-observed');
    const written = readdirSync(folder).map((name) =>
      readFileSync(path.join(folder, name), 'utf8'),
    );
    expect(written.length).toBeGreaterThan(1);
    expect(written.filter((text) => text.includes(key) || text.includes(UNKNOWN))).toEqual([]);
  });
});
