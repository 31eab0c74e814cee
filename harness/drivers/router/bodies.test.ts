import { expect, test } from 'vitest';
import { chunked, inPieces, sizedBody, wideBody } from './bodies.ts';

test('a body has exactly the size and is still the request', () => {
  const body = sizedBody(500, 'chat', 'some-model');
  expect(body.length).toBe(500);
  expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ model: 'some-model' });
});

test('a body of wide characters has about half as many of them as bytes', () => {
  const text = Buffer.from(wideBody(2_001, 'chat', 'some-model')).toString();
  expect(Buffer.byteLength(text)).toBe(2_001);
  expect(text.length).toBeLessThan(1_200);
  expect(JSON.parse(text)).toMatchObject({ model: 'some-model' });
});

test('a body cannot be smaller than the request', () => {
  expect(() => sizedBody(5, 'chat', 'some-model')).toThrow('not 5');
});

test('chunks and pieces hold the whole body', () => {
  const body = sizedBody(40_000, 'chat', 'some-model');
  expect(Buffer.concat(inPieces(body)).equals(body)).toBe(true);
  const text = Buffer.concat(chunked(body)).toString();
  expect(text.startsWith('4000\r\n{')).toBe(true);
  expect(text.endsWith('\r\n0\r\n\r\n')).toBe(true);
  expect(text.replaceAll(/\r\n(?:[\da-f]+\r\n)?|^[\da-f]+\r\n/gu, '')).toHaveLength(40_000);
});
