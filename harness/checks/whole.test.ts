import { expect, test } from 'vitest';
import type { Ending } from '../exchange/exchange.ts';
import { History } from './universal.ts';
import { exchangeOf } from './compute/exchange.test.support.ts';
import { comesWhole, tried } from './whole.ts';

/** One response: its ending, the start of its request in milliseconds, and other differences from the usual one. */
type Answer = readonly [ending: Ending, atMs: number, status?: number];

/** Whether each response to one operation is found broken. */
function found(answers: readonly Answer[]) {
  const history = new History(
    [comesWhole('compute.media.success-json')],
    tried(() => 'regions'),
  );
  return answers.map(([ending, startedAt, status = 200]) => {
    const exchange = { ...exchangeOf({ ending, status, body: '{"codes":["U' }), startedAt };
    const answer = status === 0 ? { ...exchange, response: undefined } : exchange;
    const [told] = history.judge(answer);
    return (told?.judgement.violations.length ?? 0) > 0;
  });
}

/** So many equal responses, in equal steps. */
const row = (count: number, ending: Ending, status = 200, stepMs = 100): readonly Answer[] =>
  Array.from({ length: count }, (_, at): Answer => [ending, at * stepMs, status]);

const eight = row(8, 'cut-short');

test.for<readonly [name: string, answers: readonly Answer[], broken: boolean]>([
  ['nine successes in a row that are cut', row(9, 'cut-short'), true],
  ['nine that are no HTTP', row(9, 'malformed', 0), true],
  ['nine that are no HTTP at their end', row(9, 'malformed'), true],
  ['eight of them', eight, false],
  ['nine at one moment, as when a front is restarted', row(9, 'cut-short', 200, 10), false],
  ['a whole one between', [...eight, ['complete', 850], ['cut-short', 900]], false],
  [
    'a refusal between, which is no success',
    [...eight, ['complete', 850, 429], ['cut-short', 900]],
    true,
  ],
  ['errors that are cut', row(20, 'cut-short', 500), false],
  ['connections that end without a word', row(20, 'cut-short', 0), false],
  ['connections that are reset', row(20, 'reset'), false],
  ['answers that stand still', row(20, 'timeout'), false],
  ['answers that pass our limit, where they may', row(20, 'too-large'), false],
])('%s', ([, answers, broken]) => {
  expect(found(answers).at(-1)).toBe(broken);
});

test('what the contract does not speak of is not judged', () => {
  const history = new History(
    [comesWhole('compute.media.success-json')],
    tried(() => undefined),
  );
  expect(history.judge(exchangeOf({ ending: 'cut-short' }))).toEqual([]);
});

test('the finding tells how it ended, and what came', () => {
  const fold = comesWhole('compute.media.success-json');
  const exchange = {
    ...exchangeOf({ ending: 'cut-short', body: '{"codes":["U' }),
    cause: 'other side closed',
    startedAt: 1_000,
  };
  const { judgement } = fold.judge(
    { exchange, operation: 'regions' },
    new Map([['regions', { tries: 11, since: 0 }]]),
  );
  expect(judgement.violations).toMatchObject([
    {
      message: 'Of 12 answers in a row none came whole.',
      actual: 'cut-short (other side closed); of the body came: {"codes":["U',
    },
  ]);
});
