import { expect, test } from 'vitest';

import { replayCommand, shellWord } from './model/text.ts';

test('names the target file, the requirement and the seed', () => {
  expect(replayCommand('my targets/a.yaml', 'compute.a.b', 7)).toBe(
    "plumbline run 'my targets/a.yaml' --only compute.a.b --seed 7",
  );
});

test('needs no file for the embedded reference deployment', () => {
  expect(replayCommand(undefined, 'compute.a.b', 7)).toBe(
    'plumbline run --only compute.a.b --seed 7',
  );
});

test.for<[string, string]>([
  ['a.yaml', 'a.yaml'],
  ["it's", `'it'\\''s'`],
  ['$(x)', `'$(x)'`],
  ['', `''`],
])('quotes %j for a shell', ([word, quoted]) => {
  expect(shellWord(word)).toBe(quoted);
});
