import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Caller, answered, codeOf, deploy, object } from './caller.test.support.ts';

const unknownInstanceId = '00000000-0000-4000-8000-000000000000';
const operations = [
  ['GET', '/instances'],
  ['GET', `/instances/${unknownInstanceId}`],
  ['POST', `/instances/${unknownInstanceId}/stop`],
  ['POST', `/instances/${unknownInstanceId}/terminate`],
  ['POST', `/instances/${unknownInstanceId}/start`],
  ['GET', '/regions'],
  ['GET', '/presets'],
  ['POST', '/_provision'],
  ['GET', '/ssh-keys'],
] as const;

describe('a credential', () => {
  test.for(operations)('is needed for %s %s', async ([method, path]) => {
    const reference = await deploy();
    const answer = await answered(await fetch(`${reference.baseUrl}${path}`, { method }));
    expect([answer.status, codeOf(answer)]).toEqual([401, 'UNAUTHORIZED']);
  });

  test('is refused in every wrong form, and accepted in the right one', async () => {
    const reference = await deploy();
    const key = reference.target().keys.primary;
    const status = async (headers: Record<string, string>, query = ''): Promise<number> =>
      (await fetch(`${reference.baseUrl}/instances${query}`, { headers })).status;
    for (const Authorization of [
      'Bearer',
      'Bearer ',
      `Bearer  ${key}`,
      `Bearer ${key} x`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key}x`,
      `Basic ${key}`,
      `Token ${key}`,
      key,
      '',
    ]) {
      expect(await status({ Authorization })).toBe(401);
    }
    expect(await status({ 'X-Api-Key': key })).toBe(401);
    expect(await status({}, `?api_key=${key}`)).toBe(401);
    expect(await status({ Authorization: `Bearer ${key}` })).toBe(200);
    expect(await status({ authorization: `bearer ${key}` })).toBe(200);
  });

  test('that policy forbids is 403, and an account without instances an empty page', async () => {
    const reference = await deploy();
    const forbidden = await new Caller(reference, 'forbidden').get('/instances');
    expect([forbidden.status, codeOf(forbidden)]).toEqual([403, 'FORBIDDEN']);
    const empty = await new Caller(reference, 'empty').get('/instances');
    expect([empty.status, empty.json]).toEqual([
      200,
      { data: [], pagination: { next: null, size: 50 } },
    ]);
  });
});

describe('errors', () => {
  test('have one envelope with a fresh request id, for unknown paths and methods too', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const answers = [
      await caller.get('/nothing'),
      await caller.send('PUT', '/instances'),
      await caller.get(`/instances/${unknownInstanceId}`),
    ];
    expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual(
      answers.map(() => [404, 'NOT_FOUND']),
    );
    const ids = answers.map(({ json }) => object(json['error'])['request_id']);
    expect(new Set(ids).size).toBe(3);
  });

  test('tell of bytes that are not HTTP in the same envelope', async () => {
    const reference = await deploy();
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(reference.port, '127.0.0.1');
      const pieces: Buffer[] = [];
      socket.on('data', (piece) => pieces.push(Buffer.from(piece)));
      socket.on('error', reject);
      socket.on('close', () => {
        resolve(Buffer.concat(pieces).toString());
      });
      socket.write('GET\r\n\r\n');
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 .*"code":"VALIDATION_ERROR".*"request_id"/su);
  });

  test('of our own making are 500 in the envelope, and are told to whoever started the server', async () => {
    const errors: unknown[] = [];
    const reference = await deploy({
      onError: (error) => errors.push(error),
      patch: (rules) => ({
        ...rules,
        regionsBody: () => {
          throw new TypeError('broken');
        },
      }),
    });
    const answer = await new Caller(reference).get('/regions');
    expect([answer.status, codeOf(answer)]).toEqual([500, 'INTERNAL_ERROR']);
    expect(errors).toEqual([new TypeError('broken')]);
  });
});

describe('the rate limit', () => {
  test.for(['bucket', 'fixed'] as const)(
    'is per key, says how long to wait, and is over then (%s)',
    async (rateWindow) => {
      const reference = await deploy({
        rateLimit: { requests: 3, perSeconds: 2 },
        choices: { rateWindow },
      });
      const caller = new Caller(reference);
      for (const _ of [1, 2, 3]) expect((await caller.get('/regions')).status).toBe(200);
      const refused = await caller.get('/regions');
      expect([refused.status, codeOf(refused)]).toEqual([429, 'TOO_MANY_REQUESTS']);
      expect(refused.headers.get('retry-after')).toMatch(/^[12]$/u);
      expect((await new Caller(reference, 'second').get('/regions')).status).toBe(200);
      // The meter goes by the time of each request: set the clock of the key back instead of waiting.
      const seconds = Number(refused.headers.get('retry-after'));
      const usage = reference.deployment.usage.get(reference.target().keys.primary);
      if (usage !== undefined) usage.since -= seconds * 1000;
      expect((await caller.get('/regions')).status).toBe(200);
    },
  );
});
