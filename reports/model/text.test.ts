import { expect, test } from 'vitest';
import { duration, plural, replayCommand, shellWord, visibleLine, visibleText } from './text.ts';
import { countsSentence, verdictSentence } from './wording.ts';
import { badge } from '../formats/badge.ts';
import { sampleFinding, sampleGap, sampleReport } from '../sample.test.support.ts';

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

test('repeats the options of the run', () => {
  expect(replayCommand('a.yaml', 'compute.a.b', 7, undefined, ['--header', 'Gate: ${T}'])).toBe(
    "plumbline run a.yaml --only compute.a.b --seed 7 --header 'Gate: ${T}'",
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

test.for<[string, string]>([
  ['plain äöü 漢字 🙂\n\ttext', 'plain äöü 漢字 🙂\n\ttext'],
  ['\u001b[31m', '\\u{1B}[31m'],
  ['a\u202Eb', 'a\\u{202E}b'],
  ['a\u200bb\ufeff', 'a\\u{200B}b\\u{FEFF}'],
  ['\u009b\u007f\r', '\\u{9B}\\u{7F}\\u{D}'],
  ['lone \ud800 half', 'lone \\u{D800} half'],
  ['tag \u{e0041}', 'tag \\u{E0041}'],
])('shows %j as %j', ([text, shown]) => {
  expect(visibleText(text)).toBe(shown);
});

test('a line has no breaks and an end', () => {
  expect(visibleLine(' a\n\n b ', 10)).toBe('a b');
  expect(visibleLine('abcdef', 4)).toBe('abc…');
});

test('every verdict is told', () => {
  const counts = {
    total: 7,
    passed: 1,
    failed: 0,
    warned: 2,
    notExercised: 1,
    inconclusive: 1,
    waived: 1,
    error: 1,
  };
  expect(countsSentence(counts, 'implied')).toBe(
    '1 of 7 implied requirements held, 2 broken, 1 suite error, 1 inconclusive, 1 waived, 1 not exercised',
  );
});

test.for<[number, string]>([
  [0, '0 ms'],
  [850.4, '850 ms'],
  [4_200, '4.2 s'],
  [59_960, '1 min 00 s'],
  [185_000, '3 min 05 s'],
  [7_620_000, '2 h 07 min'],
])('%i milliseconds read as %s', ([milliseconds, text]) => {
  expect(duration(milliseconds)).toBe(text);
});

test('one is singular', () => {
  expect([plural(0, 'case'), plural(1, 'case'), plural(2, 'case')]).toEqual([
    '0 cases',
    '1 case',
    '2 cases',
  ]);
});

test('what is broken, and waived, is not kept', () => {
  const [kept, broken] = ['compute.list.kept', 'compute.list.broken'];
  const report = sampleReport({
    catalogue: [kept, broken],
    outcomes: [{ seen: { [kept]: 1 }, findings: [sampleFinding(broken)] }],
    deviations: [{ requirement: broken, reason: 'known', expires: '2999-12-31' }],
  });
  const [target] = report.targets;
  if (target === undefined) throw new Error('a target');
  expect(verdictSentence(report, target)).toBe(
    `${target.name} breaks the compute contract only where that is waived, as far as it was exercised.`,
  );
  expect(badge(report, target)).toContain('1 of 2 held, 1 waived');
});

test('what could not be told is told with the verdict', () => {
  const kept = 'compute.list.kept';
  const doubted = ['compute.list.one', 'compute.list.two'];
  const sentenceWith = (gaps: readonly string[], decided = 0) => {
    const report = sampleReport({
      run: { decided },
      catalogue: [kept, ...gaps],
      outcomes: [
        {
          judges: [kept, ...gaps],
          seen: { [kept]: 1 },
          gaps: gaps.map((requirement) =>
            sampleGap(requirement, { kind: 'inconclusive', reason: 'busy' }),
          ),
        },
      ],
    });
    return report.targets.map((target) => verdictSentence(report, target).split(' contract ')[1]);
  };
  expect(sentenceWith(doubted.slice(0, 1))).toEqual([
    'as far as it was exercised; 1 stated requirement is inconclusive.',
  ]);
  expect(sentenceWith(doubted)).toEqual([
    'as far as it was exercised; 2 stated requirements are inconclusive.',
  ]);
  expect(sentenceWith(doubted, 90)).toEqual([
    'is undecided: of 3 stated requirements that it lets a run exercise, 1 was decided, fewer than 90 %.',
  ]);
});
