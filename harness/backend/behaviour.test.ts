import { expect, test } from 'vitest';
import { parseScript, Refused } from './behaviour.ts';
import type { Hit } from './control.ts';
import { ScriptRegistry } from './scripts.ts';
import { findScript, markerOf, routeOf } from './engine/request.ts';

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
  ['a place that is none', [{ kind: 'complete', hold: 'somewhere' }], /at \[0\]\.hold/],
  ['a drop without its place', [{ kind: 'complete', drop: { how: 'reset' } }], /drop\.at/],
  ['a later behaviour', [{ kind: 'complete' }, { kind: 'drop', how: 'softly' }], /at \[1\]\.how/],
])('refuses %s and names it', (_, script, message) => {
  expect(() => parseScript(script)).toThrow(message);
});

const limits = { scripts: 2, hits: 3, bodyBytes: 40 };

function hit(body: string): Hit {
  const bytes = Buffer.from(body);
  const ends = { at: 0, endedAt: null, end: 'open' } as const;
  return { ...ends, path: '/', listener: '', headers: [], body: bytes, bodyLength: bytes.length };
}

test('the oldest hits make room for new ones, and a long body is cut', () => {
  const registry = new ScriptRegistry(limits);
  const script = registry.get(registry.add([{ kind: 'complete' }]));
  const hits = ['a', 'b', 'c', 'd'].map(hit);
  for (const one of hits) registry.began(one, script);
  expect([...script.kept]).toEqual(hits.slice(1));
  expect(script.counts).toMatchObject({ hits: 4 });
  for (let more = 0; more < 5; more += 1) registry.began(hit('x'.repeat(25)), script);
  expect(Array.from(script.kept, ({ body }) => body.length)).toEqual([10, 10, 10]);
});

test('the oldest script makes room for a new one, with its hits', () => {
  const registry = new ScriptRegistry(limits);
  const [first = '', second = '', third = ''] = [1, 2, 3].map(() => {
    const id = registry.add([{ kind: 'complete' }]);
    registry.began(hit(''), registry.get(id));
    return id;
  });
  expect(() => registry.get(first)).toThrow(Refused);
  expect([registry.has(second), registry.has(third)]).toEqual([true, true]);
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
