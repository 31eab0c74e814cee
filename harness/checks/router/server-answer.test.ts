import { mayBeFrontAnswer, mayBeServerAnswer } from './envelope.ts';
import { expect, test } from 'vitest';
import { Secret } from '../../target/keys.ts';
import { sampleExchange } from './sample.test.support.ts';

const answered = (status: number, name = 'X-Note', value = 'plain') =>
  mayBeServerAnswer(sampleExchange({ status, requestHeaders: [[name, value]] }));

test('a plain request is answered by the router, also when it is refused', () => {
  expect(answered(400)).toBe(false);
  expect(answered(200)).toBe(false);
});

test('a credential is recorded by its name, which makes no request odd', () => {
  const value = `Bearer ${String(new Secret('key:client', 'secret'))}`;
  expect(answered(400, 'Authorization', value)).toBe(false);
});

test.each([
  ['X-Note', 'é'],
  ['X-Note', 'a\u0001b'],
  ['X Note', 'plain'],
  ['Transfer-Encoding', 'chunked'],
  ['Content-Length', '7'],
])('a 400 after the header %j: %j may be that of the server', (name, value) => {
  expect(answered(400, name, value)).toBe(true);
});

test.each([408, 411, 414, 431])('a %i may always be that of the server', (status) => {
  expect(answered(status)).toBe(true);
});

const page = { status: 502, headers: [], body: '<h1>Bad Gateway</h1>' } as const;

test('a 502 without request id and envelope may be that of a proxy in front', () => {
  expect(mayBeFrontAnswer(sampleExchange(page))).toBe(true);
  expect(mayBeServerAnswer(sampleExchange(page))).toBe(true);
});

test("what has a mark of the router is the router's own", () => {
  const headers = [['X-Request-ID', 'b3c1']] as const;
  expect(mayBeFrontAnswer(sampleExchange({ ...page, headers }))).toBe(false);
  const body = '{"error":{"code":"backend_error"}}';
  expect(mayBeFrontAnswer(sampleExchange({ ...page, body }))).toBe(false);
  expect(mayBeFrontAnswer(sampleExchange({ ...page, status: 500 }))).toBe(false);
});

test("what a proxy might have answered is the deployment's own the third time in a row", () => {
  const again = (retries: number) => ({ ...sampleExchange(page), retries });
  expect(mayBeServerAnswer(again(1))).toBe(true);
  expect(mayBeServerAnswer(again(2))).toBe(false);
});
