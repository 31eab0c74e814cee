import { describe, expect, test } from 'vitest';
import { endMarkers, readEventStream } from './event-stream.ts';
import { sampleExchange } from './sample.test.support.ts';
import {
  beginningOfOutput,
  earlyEnd,
  noForgedEnd,
  sameOutput,
  wholeText,
} from './stream-delivery.ts';

const engine = Buffer.from('data: {"t":"ä"}\n\nevent: delta\ndata: 2\n\ndata: [DONE]\n\n');
const cut = Buffer.from('data: {"t":"ä"}\n\ndata: 2');
const got = (body: string) =>
  sampleExchange({ headers: [['Content-Type', 'text/event-stream']], body });
const right = { seen: 1, violations: [] };

describe('reading an event stream', () => {
  test.each(['\n', '\r\n', '\r'])('line ends %j', (end) => {
    const { events, rest, strayLines } = readEventStream(
      `: c${end}data: a${end}data: b${end}${end}`,
    );
    expect(events).toEqual([{ event: undefined, data: 'a\nb' }]);
    expect([rest, strayLines]).toEqual(['', []]);
  });

  test('keeps what was not finished apart', () => {
    expect(readEventStream('data: 1\n\ndata: 2\n')).toMatchObject({
      events: [{ data: '1' }],
      rest: 'data: 2\n',
    });
  });

  test('tells fields from what is none', () => {
    expect(readEventStream('data: 1\nx-note: 2\n\nid\n<html>\n{"a":1}').strayLines).toEqual([
      '<html>',
      '{"a":1}',
    ]);
  });

  test('counts end markers, the unfinished one too', () => {
    expect(endMarkers(readEventStream('data: [DONE]\n\ndata: [DONE]'))).toBe(2);
    expect(endMarkers(readEventStream('data: "[DONE] is text"\n\n'))).toBe(0);
  });
});

describe('what the client saw of a stream', () => {
  test('is what the engine sent, whatever the framing', () => {
    expect(
      sameOutput(
        got(': hi\r\ndata:{"t":"ä"}\r\n\r\ndata: 2\nevent: delta\n\ndata: [DONE]\n\n'),
        engine,
      ),
    ).toEqual(right);
  });

  test.each(['data: {"t":"ä"}\n\n', 'data: {"t":"ä"}\n\ndata: 2\n\ndata: [DONE]\n\n', ''])(
    'is not the same: %j',
    (body) => {
      expect(sameOutput(got(body), engine).violations).toHaveLength(1);
    },
  );

  test('has all the words of the engine, however the router writes its events', () => {
    const wrote = Buffer.from('data: {"t":"w w"}\n\ndata: {"t":"w"}\n\n');
    expect(wholeText(got('data: {"by":1,"t":"w"}\n\ndata: w w\n\n'), wrote, 'w')).toEqual(right);
    expect(wholeText(got('data: w w\n\n'), wrote, 'w').violations).toHaveLength(1);
    expect(wholeText(got('data: w\n\n'), wrote, 'other').seen).toBe(0);
  });

  test('says nothing when the engine sent no event', () => {
    expect(sameOutput(got(''), Buffer.from(': hi\n\n')).seen).toBe(0);
  });

  test('of a failed stream is its beginning', () => {
    expect(beginningOfOutput(got('data: {"t":"ä"}\n\n'), cut, 1)).toEqual(right);
    expect(beginningOfOutput(got(''), cut, 1).violations).toHaveLength(1);
    expect(beginningOfOutput(got('data: other\n\n'), cut, 1).violations).toHaveLength(1);
    expect(
      beginningOfOutput(got('data: {"t":"ä"}\n\ndata: 2\n\n'), cut, 1).violations,
    ).toHaveLength(1);
  });

  test('has no end marker of its own making', () => {
    expect(noForgedEnd(got('data: {"t":"ä"}\n\n'), cut)).toEqual(right);
    expect(noForgedEnd(got('data: [DONE]\n\n'), engine)).toEqual(right);
    expect(noForgedEnd(got('data: {"t":"ä"}\n\ndata: [DONE]\n\n'), cut).violations).toHaveLength(1);
  });
});

test('a failed stream ends early with its status', () => {
  expect(earlyEnd(sampleExchange({ ending: 'reset' }))).toEqual(right);
  expect(earlyEnd(sampleExchange({ ending: 'complete' }))).toEqual(right);
  expect(earlyEnd(sampleExchange({ ending: 'timeout' })).violations).toHaveLength(1);
  expect(earlyEnd(sampleExchange({ status: 502 })).violations).toHaveLength(1);
  expect(earlyEnd(sampleExchange({ ending: 'aborted' })).seen).toBe(0);
});
