import { expect, test } from 'vitest';
import { parseScript } from './behaviour.ts';
import { UnknownScript } from './control.ts';
import { HitLog, type HitRecord, ScriptRegistry } from './scripts.ts';
import { findScript, markerOf } from './body.ts';
import { routeOf } from './engine/request.ts';

test.each([
  [
    'every member of an answer and of its delivery',
    {
      kind: 'complete',
      text: ['a'],
      hold: { insideEvent: 0 },
      drop: { at: 'before-end', how: 'reset' },
      splitAt: [1],
      delayChunkMs: 1,
    },
  ],
  ['a status at the upper bound', { kind: 'respond', status: 599, base64: '' }],
  ['a null body', { kind: 'respond', json: null }],
])('takes %s', (_, behaviour) => {
  expect(parseScript([behaviour])).toEqual([behaviour]);
});

test.each([
  ['no list', { kind: 'complete' }, /array/],
  ['an empty list', [], /Too small/],
  ['an unknown kind', [{ kind: 'explode' }], /at \[0\]\.kind/],
  ['a misspelt member', [{ kind: 'complete', txt: 'a' }], /"txt"/],
  ['a status that is none', [{ kind: 'respond', status: 600 }], /at \[0\]\.status/],
  ['an interim status', [{ kind: 'respond', status: 100 }], /at \[0\]\.status/],
  ['two bodies', [{ kind: 'respond', text: 'a', json: 1 }], /one body/],
  ['a header that cannot be sent', [{ kind: 'respond', headers: [['a', 'b\nc']] }], /\["a"\]/],
  ['a place that is none', [{ kind: 'hang', at: 'somewhere' }], /at \[0\]\.at/],
  ['a drop without its place', [{ kind: 'complete', drop: { how: 'reset' } }], /drop\.at/],
  ['a chunk of no bytes', [{ kind: 'complete', splitEvery: 0 }], /splitEvery/],
  ['a later behaviour', [{ kind: 'complete' }, { kind: 'drop', how: 'softly' }], /at \[1\]\.how/],
])('refuses %s and names it', (_, script, message) => {
  expect(() => parseScript(script)).toThrow(message);
});

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
