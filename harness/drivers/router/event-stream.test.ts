/** Reading event streams against the engine that writes them. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeEvents } from '../../backend/engine/reply.ts';
import { readEventStream } from '../../checks/router/event-stream.ts';

/** Text of one or several lines, without lone carriage returns, which the standard takes for line ends. */
const data = fc
  .array(fc.string({ unit: 'grapheme', maxLength: 12 }), { minLength: 1, maxLength: 3 })
  .map((lines) => lines.map((line) => line.replaceAll(/[\r\n]/gu, '')).join('\n'));

const event = fc.record(
  { data, event: fc.constantFrom('message_start', 'ping'), comment: fc.constant('') },
  { requiredKeys: ['data'] },
);
const ending = fc.constantFrom('lf', 'crlf', 'cr' as const);

test('what an engine writes is what a client reads, whatever its line ends', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 6 }), ending, (events, lineEnding) => {
      const sent = events.map(({ data: text, event: type }) => ({
        data: text,
        ...(type === undefined ? {} : { event: type }),
      }));
      const { body } = encodeEvents(sent, lineEnding);
      const read = readEventStream(body.toString());
      expect(read.events.map(({ event: type, data: text }) => [type, text])).toEqual(
        sent.map(({ event: type, data: text }) => [type, text]),
      );
      expect({ rest: read.rest, strayLines: read.strayLines }).toEqual({
        rest: '',
        strayLines: [],
      });
    }),
  );
});

test('a byte order mark at the start takes nothing from the first event', () => {
  const read = readEventStream('\uFEFFdata: one\n\ndata: two\n\n');
  expect(read.events.map(({ data: text }) => text)).toEqual(['one', 'two']);
  expect(read.strayLines).toEqual([]);
});

test('a stream that is cut anywhere has a beginning of its events, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 4 }), fc.nat(), (events, place) => {
      const { body, eventEnds } = encodeEvents(events.map(({ data: text }) => ({ data: text })));
      const at = place % body.length;
      const { events: read } = readEventStream(body.subarray(0, at).toString());
      const whole = eventEnds.filter((end) => end <= at).length;
      expect(read.map(({ data: text }) => text)).toEqual(
        events.slice(0, read.length).map(({ data: text }) => text),
      );
      // An empty line completes an event, and the first of two line feeds may already be one.
      expect(read.length - whole).toBeGreaterThanOrEqual(0);
      expect(read.length - whole).toBeLessThanOrEqual(1);
    }),
  );
});

test('no text makes it throw, and none of it is lost', () => {
  const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
  const piece = fc.oneof(
    fc.constantFrom('data', ': ', 'event:', '\r', '\n', '\r\n', '\uFEFF', '{"error":1}', '[DONE]'),
    fc.string({ unit, maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      const { events, rest, strayLines } = readEventStream(text);
      const isSilent = events.length === 0 && strayLines.length === 0 && rest === '';
      // Comments, unknown fields and blank lines alone give no event.
      const hasData = text.split(/[\r\n]/u).some((line) => /^data(?::|$)/u.test(line));
      expect(isSilent && hasData).toBe(false);
    }),
  );
});
