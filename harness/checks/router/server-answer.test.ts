import { expect, test } from 'vitest';
import { Secret } from '../../target/secret.ts';
import { sampleExchange } from './sample-exchange.ts';
import { mayBeServerAnswer } from './server-answer.ts';

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
