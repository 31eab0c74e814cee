import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ComputeGuard, ConsentMissing, literalPattern, RequestRefused } from './compute-guard.ts';

const someone = '3f0c2f52-7f5e-4d0a-9a55-0d9b6a3a1f10';
const ours = 'a1b2c3d4-0000-4000-8000-00000000abcd';

function guard(consent = { stop: true, terminate: true }): ComputeGuard {
  return new ComputeGuard({
    terminate: 'POST /instances/{id}/terminate',
    start: 'POST /instances/{id}/start',
    provision: 'POST /_provision',
    consent,
  });
}

describe('a request that changes nothing', () => {
  test('always leaves', () => {
    expect(() => guard().check('GET', `/instances/${someone}`)).not.toThrow();
  });
});

describe('an instance that is not ours', () => {
  test.for([
    ['POST', `/instances/${someone}/stop`],
    ['POST', `/instances/${someone}/terminate`],
    ['POST', `/instances/${someone.toUpperCase()}/stop`],
    ['POST', `/instances/%7B${someone}%7D/stop`],
    ['POST', `/instances/${someone.replaceAll('-', '')}/terminate`],
    ['DELETE', `/instances/${someone}`],
    ['POST', '/instances'],
  ])('%s %s is refused', ([method = '', path = '']) => {
    expect(() => guard().check(method, path)).toThrow(RequestRefused);
  });
});

describe('an instance that is ours', () => {
  test('may be changed as far as it was declared', () => {
    const httpClient = guard();
    httpClient.allow(ours, 'stop');
    expect(() => httpClient.check('POST', `/instances/${ours}/stop`)).not.toThrow();
    expect(() => httpClient.check('POST', `/instances/${ours}/terminate`)).toThrow(
      'not ours to terminate',
    );
  });

  test('may not be changed without consent', () => {
    const httpClient = guard({ stop: false, terminate: false });
    httpClient.allow(ours, 'stop', 'terminate', 'start');
    expect(() => httpClient.check('POST', `/instances/${ours}/stop`)).toThrow('consent.stop');
    expect(() => httpClient.check('POST', `/instances/${ours}/start`)).toThrow('consent.stop');
    expect(() => httpClient.check('POST', `/instances/${ours}/terminate`)).toThrow(
      'consent.terminate',
    );
    expect(() => httpClient.check('POST', `/instances/${ours}/stop`)).toThrow(ConsentMissing);
    expect(() => httpClient.check('POST', '/_provision')).toThrow('consent.terminate');
  });
});

describe('an id that exists nowhere', () => {
  test('may be probed with every operation, whole or mangled', () => {
    const httpClient = guard({ stop: false, terminate: false });
    const id = httpClient.unknownInstanceId();
    expect(() => httpClient.check('POST', `/instances/${id}/terminate`)).not.toThrow();
    expect(() => httpClient.check('POST', `/instances/${id.toUpperCase()}/stop`)).not.toThrow();
    expect(() => httpClient.check('POST', `/instances/${id.slice(0, 20)}/stop`)).not.toThrow();
    expect(() => httpClient.check('POST', '/instances/not-an-id/stop')).not.toThrow();
  });
});

test('a path matches as it is written, whatever signs it has', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      fc.pre(!text.includes('{id}'));
      expect(text).toMatch(new RegExp(`^${literalPattern(text, '')}$`, 'u'));
    }),
  );
});

test('a sign stands for itself alone, and the place of the id for its segment', () => {
  const pattern = new RegExp(`^${literalPattern('/v1.0/m/{id}/power-on', '([^/]+)')}$`, 'u');
  expect(pattern.exec('/v1.0/m/abc/power-on')?.[1]).toBe('abc');
  expect(pattern.test('/v1x0/m/abc/power-on')).toBe(false);
  expect(pattern.test('/v1.0/m/a/b/power-on')).toBe(false);
});
