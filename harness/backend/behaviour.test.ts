/** Which scripts are taken, and what is said of the others. */

import { expect, test } from 'vitest';

import { parseScript } from './behaviour.ts';

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
