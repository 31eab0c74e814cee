/** What is kept, and what makes room for what. */

import { expect, test } from 'vitest';

import { UnknownScript } from './control.ts';
import { HitLog, type HitRecord } from './hit-log.ts';
import { findScript, markerOf } from './marker.ts';
import { routeOf } from './route.ts';
import { ScriptRegistry } from './script-registry.ts';

const limits = { scripts: 2, hits: 3, bodyBytes: 40 };

function record(body: string, script: string | null = null): HitRecord {
  return {
    script,
    behaviour: null,
    at: 0,
    endedAt: null,
    end: 'open',
    method: 'POST',
    route: 'chat',
    path: '/',
    listener: '',
    headers: [],
    body: Buffer.from(body),
    bodyLength: body.length,
  };
}

test('the oldest hits make room for new ones', () => {
  const dropped: HitRecord[] = [];
  const log = new HitLog(limits, (gone) => dropped.push(gone));
  const records = ['a', 'b', 'c', 'd'].map((body) => record(body));
  for (const one of records) log.add(one);
  expect([...log.records]).toEqual(records.slice(1));
  expect(dropped).toEqual(records.slice(0, 1));
});

test('bodies have a budget: the oldest are emptied, a long one is cut, lengths stay', () => {
  const log = new HitLog({ ...limits, hits: 100 }, () => {});
  const records = Array.from({ length: 5 }, () => record('x'.repeat(25)));
  for (const one of records) log.add(one);
  expect(records.map(({ body }) => body.length)).toEqual([0, 10, 10, 10, 10]);
  expect(records.map(({ bodyLength }) => bodyLength)).toEqual([25, 25, 25, 25, 25]);
});

test('a script counts hits that are no longer kept', () => {
  const registry = new ScriptRegistry(limits);
  const script = registry.get(registry.add([{ kind: 'complete' }]));
  for (let i = 0; i < 5; i += 1) registry.began(record('', script.id), script);
  expect(script.counts).toMatchObject({ hits: 5, open: 5 });
  expect(script.kept.size).toBe(3);
});

test('the oldest script makes room for a new one, with its hits', () => {
  const registry = new ScriptRegistry(limits);
  const [first = '', second = '', third = ''] = [1, 2, 3].map(() => {
    const id = registry.add([{ kind: 'complete' }]);
    registry.began(record('', id), registry.get(id));
    return id;
  });
  expect(() => registry.get(first)).toThrow(UnknownScript);
  expect([registry.has(second), registry.has(third)]).toEqual([true, true]);
  expect(Array.from(registry.log.records, ({ script }) => script)).toEqual([second, third]);
});

test.each([
  ['a mark', `{"content":"hi ${markerOf('ab')}!"}`, 'ab'],
  ['the first known of several', `${markerOf('old')} ${markerOf('ab')} ${markerOf('cd')}`, 'ab'],
  ['a mark after one that never ends', `[[plumbline:${'x'.repeat(99)} ${markerOf('cd')}`, 'cd'],
  ['none that is unknown', markerOf('old'), null],
  ['none that is cut', '[[plumbline:ab', null],
  ['none where there is none', 'ab', null],
])('finds %s', (_, body, expected) => {
  expect(findScript(Buffer.from(body), (id) => ['ab', 'cd'].includes(id))).toBe(expected);
});

test.each([
  ['POST', '/v1/chat/completions', 'chat'],
  ['POST', '/v1/completions?x=/v1/messages', 'completions'],
  ['POST', '/some/prefix/v1/messages/count_tokens', 'countTokens'],
  ['POST', '/rerank', 'rerank'],
  ['POST', '/v1/responses', 'other'],
  ['GET', '/v1/chat/completions', 'other'],
  ['GET', '/health', 'health'],
  ['GET', '/v1/models/a', 'models'],
  ['POST', '/health', 'other'],
  ['POST', '/tokenize', 'tokenize'],
  ['GET', '/tokenize', 'other'],
])('%s %s is the route %s', (method, target, expected) => {
  expect(routeOf(method, target)).toBe(expected);
});
