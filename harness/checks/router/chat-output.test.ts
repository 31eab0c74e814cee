import { describe, expect, test } from 'vitest';
import { isBeginningOf, outputOf, sameChoices } from './event-stream.ts';
import { sampleError, sampleExchange } from './sample.test.support.ts';

const right = { seen: 1, violations: [] };
const chunk = (content: string, more: object = {}, reason: string | null = null) => ({
  event: undefined,
  data: JSON.stringify({
    id: 'engine',
    ...more,
    choices: [{ index: 0, delta: { content }, finish_reason: reason }],
  }),
});
const usage = { event: undefined, data: '{"choices":[],"usage":{"completion_tokens":2}}' };
const end = { event: undefined, data: '[DONE]' };

describe('the output of a stream', () => {
  const whole = outputOf([chunk('Grü'), chunk('ße', {}, 'stop'), end]);

  test.each([
    ['under another id', [chunk('Grü', { id: 'router' }), chunk('ße', { x: 1 }, 'stop'), end]],
    ['in fewer events', [chunk('Grüße', {}, 'stop'), end]],
    ['with usage of its own', [chunk('Grü'), chunk('ße', {}, 'stop'), usage, end]],
  ])('is the same %s', (_, events) => {
    const output = outputOf(events);
    expect([isBeginningOf(output, whole), isBeginningOf(whole, output)]).toEqual([true, true]);
  });

  test.each([
    ['text is lost', [chunk('Grü', {}, 'stop'), end]],
    ['the end is lost', [chunk('Grüße', {}, 'stop')]],
    ['the reason is lost', [chunk('Grüße'), end]],
  ])('is not the same where %s', (_, events) => {
    expect(isBeginningOf(whole, outputOf(events))).toBe(false);
  });

  test.each([
    ['another text', [chunk('Gru')]],
    [
      'a text of another choice',
      [{ event: undefined, data: '{"choices":[{"index":1,"delta":{"content":"a"}}]}' }],
    ],
    ['an end before its time', [chunk('Grü'), end]],
    ['an error', [{ event: undefined, data: '{"error":{}}' }]],
  ])('does not begin with %s', (_, events) => {
    expect(isBeginningOf(outputOf(events), whole)).toBe(false);
  });
});

describe('the choices of a completion', () => {
  const sent = {
    choices: [{ index: 0, message: { content: 'a\n', refusal: null }, list: [1, 2] }],
  };
  const answer = (choices: unknown, more: object = {}) =>
    sampleExchange({ body: JSON.stringify({ id: 'router', ...more, choices }) });

  test('may stand beside what the router adds, without what is null', () => {
    expect(sameChoices(answer(sent.choices), sent)).toEqual(right);
    const retold = [{ index: 0, message: { content: 'a\n', by: 'router' }, list: [1, 2] }];
    expect(sameChoices(answer(retold, { model: 'alias' }), sent)).toEqual(right);
  });

  test.each([
    ['are lost', undefined],
    ['are fewer', []],
    ['have another text', [{ index: 0, message: { content: 'a' }, list: [1, 2] }]],
    ['have a shorter list', [{ index: 0, message: { content: 'a\n' }, list: [1] }]],
    [
      'have a value for null',
      [{ index: 0, message: { content: 'a\n', refusal: 'no' }, list: [1, 2] }],
    ],
  ])('%s', (_, choices) => {
    expect(sameChoices(answer(choices), sent).violations).toHaveLength(1);
  });

  test('are looked for in whole successes alone', () => {
    expect(sameChoices(sampleExchange({ body: '{' }), sent).violations).toHaveLength(1);
    expect(sameChoices(sampleError(502, 'backend_error'), sent).seen).toBe(0);
    expect(sameChoices(sampleExchange({ ending: 'cut-short' }), sent).seen).toBe(0);
  });
});
