import { describe, expect, test } from 'vitest';
import type { Ending } from '../../exchange/exchange.ts';
import { testVerdicts } from '../verdict.test.support.ts';
import {
  endMarkers,
  isBeginningOf,
  outputOf,
  readEventStream,
  sameChoices,
} from './event-stream.ts';
import {
  id,
  json,
  judged,
  sampleError,
  sampleExchange,
  type SampleParts,
  testAnswers,
  testUniversal,
} from './sample.test.support.ts';
import {
  brokeOff,
  cameWhileOpen,
  deliveredWhole,
  earlyEnd,
  endsLikeItsEngine,
  jsonError,
  noForgedEnd,
  sameOutput,
  wholeText,
} from './stream-delivery.ts';

test('a stream of which every line ends in a carriage return is read within a second', () => {
  const before = process.cpuUsage();
  expect(readEventStream('data: a\r'.repeat(400_000)).events).toEqual([]);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000_000).toBeLessThan(1);
});

test.for([
  ['as the last event', 'data: {"a":1}\n\ndata: [DONE]\n\n', 1],
  ['as an event that was not finished', 'data: {"a":1}\n\ndata: [DONE]\n', 1],
  ['without the blank', 'data:[DONE]', 1],
  ['twice', 'data: [DONE]\n\ndata: [DONE]\n\n', 2],
  ['not at all', 'data: {"a":1}\n\n', 0],
  ['as text of a delta', 'data: {"content":"[DONE]"}\n\n', 0],
  ['as text of a delta that was cut off', 'data: {"content":"[DONE]', 0],
  ['only begun', 'data: [DON', 0],
] as const)('the end marker %s', ([, text, count]) => {
  expect(endMarkers(readEventStream(text))).toBe(count);
});

describe('reading an event stream', () => {
  test.each(['\n', '\r\n', '\r'])('line ends %j', (end) => {
    const read = readEventStream(`: c${end}data: a${end}data: b${end}${end}`);
    expect(read).toEqual({ events: [event('a\nb')], rest: '', strayLines: [] });
  });

  test('keeps what was not finished apart', () => {
    const read = readEventStream('data: 1\n\ndata: 2\n');
    expect(read).toMatchObject({ events: [{ data: '1' }], rest: 'data: 2\n' });
  });

  test('tells fields from what is none', () => {
    const { strayLines } = readEventStream('data: 1\nx-note: 2\n\nid\n<html>\n{"a":1}');
    expect(strayLines).toEqual(['<html>', '{"a":1}']);
  });
});

const event = (data: string) => ({ event: undefined, data });
const chunk = (content: string, more: object = {}, finish_reason: string | null = null) => {
  const choices = [{ index: 0, delta: { content }, finish_reason }];
  return event(JSON.stringify({ id: 'engine', ...more, choices }));
};
const usage = event('{"choices":[],"usage":{"completion_tokens":2}}');
const end = event('[DONE]');

describe('the output of a stream', () => {
  const whole = outputOf([chunk('Grü'), chunk('ße', {}, 'stop'), end]);
  const otherChoice = event('{"choices":[{"index":1,"delta":{"content":"a"}}]}');

  test.each([
    ['another id', [chunk('Grü', { id: 'x' }), chunk('ße', { x: 1 }, 'stop'), end], true, true],
    ['fewer events', [chunk('Grüße', {}, 'stop'), end], true, true],
    ['usage of its own', [chunk('Grü'), chunk('ße', {}, 'stop'), usage, end], true, true],
    ['text lost', [chunk('Grü', {}, 'stop'), end], true, false],
    ['its end lost', [chunk('Grüße', {}, 'stop')], true, false],
    ['its reason lost', [chunk('Grüße'), end], false, false],
    ['another text', [chunk('Gru')], false, false],
    ['a text of another choice', [otherChoice], false, false],
    ['an end before its time', [chunk('Grü'), end], false, false],
    ['an error', [event('{"error":{}}')], false, false],
  ])('with %s: is its beginning, and is all of it', (_, events, begins, isAll) => {
    const output = outputOf(events);
    expect([isBeginningOf(output, whole), isBeginningOf(whole, output)]).toEqual([begins, isAll]);
  });
});

describe('the choices of a completion', () => {
  const message = { content: 'a\n', refusal: null };
  const sent = { choices: [{ index: 0, message, list: [1, 2] }] };
  const [choice] = sent.choices;
  const got = (choices: unknown, more: object = {}) =>
    sameChoices(sampleExchange({ body: { id: 'router', ...more, choices } }), sent);
  const retold = [{ ...choice, message: { content: 'a\n', by: 'router' } }];
  testVerdicts([
    ['as they were sent', 'held', got(sent.choices)],
    ['beside what the router adds, without what is null', 'held', got(retold, { model: 'alias' })],
    ['lost, or fewer', 'broken', got(undefined), got([])],
    ['of another text', 'broken', got([{ ...choice, message: { content: 'a' } }])],
    ['of a shorter list', 'broken', got([{ ...choice, list: [1] }])],
    ['a value for null', 'broken', got([{ ...choice, message: { ...message, refusal: 'no' } }])],
    ['no JSON', 'broken', sameChoices(sampleExchange({ body: '{' }), sent)],
    ['an error', 'unseen', sameChoices(sampleError(502, 'backend_error'), sent)],
    ['cut short', 'unseen', sameChoices(sampleExchange({ ending: 'cut-short' }), sent)],
  ]);
});

describe('a chat stream', () => {
  const asked = { request: { stream: true } };
  const labelled = [['Content-Type', 'text/event-stream'], id] as const;
  const stream = (body: string, parts: SampleParts = {}) =>
    sampleExchange({ ...asked, headers: labelled, body, ...parts });
  const LABEL = 'streaming.content-type';
  const PARSE = 'streaming.events-parse';
  const NONE = 'streaming.no-envelope-in-stream';
  const envelope = JSON.stringify({ error: { code: 'c', message: 'm', source: 'backend' } });
  const whole = stream(': hi\n\ndata: {"a":1}\r\n\r\ndata: [DONE]\n\n');
  const early = stream('data: {"a":1}\n\ndata: {"b', { ending: 'reset' });
  const proxied = sampleExchange({ path: '/v1/messages', ...asked });
  testUniversal([
    ['is whole', whole, [], [LABEL, PARSE]],
    ['ends early, inside an event', early, [], [NONE]],
    ['has another label', stream('{}', { headers: [json, id] }), [LABEL]],
    ['has bare JSON inside', stream('data: 1\n\n{"a":1}\n'), [PARSE]],
    ['has an envelope inside', stream(`data: 1\n\ndata: ${envelope}\n\n`), [NONE]],
    ['ends with an envelope', stream(`data: 1\n\ndata: ${envelope}`), [NONE]],
    ['is that of another route', proxied, []],
    ['was not begun', sampleError(503, 'no_capacity', 'router', asked), []],
    ['was not asked for', sampleExchange({ request: { stream: false } }), []],
  ]);

  test('that ended well had no error to put inside', () => {
    expect(judged(whole).held).not.toContain(`router.${NONE}`);
  });
});

describe('what is delivered of a stream', () => {
  const engine = Buffer.from('data: {"t":"ä"}\n\nevent: delta\ndata: 2\n\ndata: [DONE]\n\n');
  const cut = Buffer.from('data: {"t":"ä"}\n\ndata: 2');
  const first = 'data: {"t":"ä"}\n\n';
  const streamed = (body: string, parts: SampleParts = {}) =>
    sampleExchange({
      request: { stream: true },
      headers: [['Content-Type', 'text/event-stream']],
      body,
      ...parts,
    });
  const whole = streamed(engine.toString());

  describe('what the client saw of a stream', () => {
    const framed = ': hi\r\ndata:{"t":"ä"}\r\n\r\ndata: 2\nevent: delta\n\ndata: [DONE]\n\n';
    const unnamed = `${first}data: 2\n\ndata: [DONE]\n\n`;
    const wrote = Buffer.from('data: {"t":"w w"}\n\ndata: {"t":"w"}\n\n');
    const began = (body: string) => sameOutput(streamed(body), cut, 1);
    testVerdicts([
      ['the same, whatever the framing', 'held', sameOutput(streamed(framed), engine)],
      ['less', 'broken', sameOutput(streamed(first), engine), sameOutput(streamed(''), engine)],
      ['another event', 'broken', sameOutput(streamed(unnamed), engine)],
      ['of a silent engine', 'unseen', sameOutput(streamed(''), Buffer.from(': hi\n\n'))],
      ['all words', 'held', wholeText(streamed('data: {"t":"w"}\n\ndata: w w\n\n'), wrote, 'w')],
      ['too few words', 'broken', wholeText(streamed('data: w w\n\n'), wrote, 'w')],
      ['no word of it sent', 'unseen', wholeText(streamed('data: w\n\n'), wrote, 'other')],
      ['the beginning', 'held', began(first)],
      ['nothing of it, or another', 'broken', began(''), began('data: other\n\n')],
      ['more than its beginning', 'broken', began(`${first}data: 2\n\n`)],
      ['no end of its own', 'held', noForgedEnd(streamed(first), cut)],
      ['the end of its engine', 'held', noForgedEnd(streamed('data: [DONE]\n\n'), engine)],
      ['a forged end', 'broken', noForgedEnd(streamed(`${first}data: [DONE]\n\n`), cut)],
    ]);
  });

  const short = streamed(engine.toString(), { ending: 'cut-short' });
  const ended = (ending: Ending, status = 200) => streamed('data: 1\n\n', { ending, status });
  const insideAStream = 'data: {"error":{"code":"c","message":"m","source":"router"}}\n\n';
  testAnswers(
    [
      ['all of it', deliveredWhole, 'whole | empty short refused | lost left'],
      ['the end of its engine', (one) => endsLikeItsEngine(one, engine), 'whole | begun | refused'],
      ['while it is open', (one) => cameWhileOpen(one, true), 'begun'],
      ['held back while it is open', (one) => cameWhileOpen(one, false), '| begun | refused left'],
      ['an error before it, as JSON', jsonError, 'noCapacity | inside labelled page | lost'],
      ['an early end', earlyEnd, 'reset complete | timedOut changed | aborted'],
      [
        'a stream broken off',
        (one) => brokeOff(one, cut),
        'reset nothingWrong | timedOut telling inAWord byName | refused left',
      ],
    ],
    {
      whole,
      empty: streamed(''),
      short,
      begun: streamed(first),
      left: streamed(first, { ending: 'aborted' }),
      refused: sampleError(502, 'backend_error'),
      inside: streamed(insideAStream),
      labelled: streamed(insideAStream, { status: 503 }),
      page: sampleExchange({ status: 502, body: 'bad gateway' }),
      reset: ended('reset'),
      complete: ended('complete'),
      timedOut: ended('timeout'),
      changed: ended('complete', 502),
      aborted: ended('aborted'),
      telling: streamed('data: {"error":{"message":"lost"}}\n\n'),
      inAWord: streamed('data: {"error":"lost"}\n\n'),
      byName: streamed('event: error\ndata: {"code":"lost"}\n\n'),
      nothingWrong: streamed('data: {"error":null}\n\n'),
    },
  );
});
