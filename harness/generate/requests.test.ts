import { assert, property, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readEventStream } from '../checks/router/event-stream.ts';
import { encodeEvents } from '../backend/sse.ts';
import { altered, alteration } from './altered-key.ts';
import { awkwardCuts, chatEvents, cutsIn, cutStream, messageEvents } from './chat-chunks.ts';
import { failingStream } from './failing-stream.ts';
import { foreignId, foreignIds } from './foreign-id.ts';
import { breakages, truncation } from './malformed-json.ts';
import { oddModelNames, unknownModelId, unknownModelName } from './unknown-model.ts';

describe('keys', () => {
  test('altered are another text, near the first', () => {
    assert(
      property(tuple(string({ minLength: 16 }), alteration), ([key, how]) => {
        const wrong = altered(key, how);
        return wrong === undefined || (wrong !== key && Math.abs(wrong.length - key.length) <= 2);
      }),
    );
  });

  test('that are short lose no character: what is left could be a key', () => {
    expect(altered('short', { kind: 'remove', at: 0 })).toBeUndefined();
    expect(altered('0123456789abcdef', { kind: 'remove', at: 0 })).toBe('123456789abcdef');
  });

  test('keep their case where there is none', () => {
    expect(altered('1', { kind: 'switch-case', at: 0 })).toBeUndefined();
    expect(altered('xY', { kind: 'switch-case', at: 500 })).toBe('xy');
  });
});

describe('bodies and ids', () => {
  test('broken JSON is none', () => {
    const whole = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
    for (const { of } of breakages) expect(() => JSON.parse(of(whole))).toThrow(SyntaxError);
    assert(
      property(truncation, ({ of }) => {
        expect(() => JSON.parse(of(whole))).toThrow(SyntaxError);
        return of(whole) !== '';
      }),
    );
  });

  test('unknown models can stand in a path as they are', () => {
    assert(
      property(
        unknownModelId,
        (id) =>
          id ===
            encodeURIComponent(id).replaceAll(/%3A|%40/gu, (code) => decodeURIComponent(code)) &&
          id.length <= 200,
      ),
    );
  });

  test('names of unknown models are within the length of an id by any count', () => {
    const examples = oddModelNames.map((id): [string] => [id]);
    assert(
      property(unknownModelName, (id) => Buffer.byteLength(id) <= 256 && id.trim() === id),
      { examples },
    );
  });

  test('foreign ids are no UUIDs', () => {
    const examples = foreignIds.map((id): [string] => [id]);
    assert(
      property(foreignId, (id) => !z.guid().safeParse(id).success && id.trim() === id),
      { examples },
    );
  });
});

describe('streams', () => {
  test('have an event for each piece', () => {
    assert(
      property(cutStream, ({ pieces, lineEnding }) => {
        const { body } = encodeEvents(chatEvents(pieces), lineEnding);
        return readEventStream(body.toString()).events.length === pieces.length;
      }),
    );
  });

  test('of messages have a beginning and an end', () => {
    const names = messageEvents(['a', 'b']).map(({ event }) => event);
    expect(names).toEqual([
      'message_start',
      'content_block_delta',
      'content_block_delta',
      'message_stop',
    ]);
  });

  test('are cut inside, in order', () => {
    expect(cutsIn(100, [999, 0, 500, 504])).toEqual([0, 50, 99]);
  });

  test('are cut inside characters and line endings', () => {
    expect(awkwardCuts(Buffer.from('aß\r\n🚀\n'))).toEqual([2, 4, 6, 7, 8]);
    expect(awkwardCuts(Buffer.from('é'.repeat(100))).length).toBeLessThanOrEqual(12);
    expect(awkwardCuts(Buffer.from('plain\n'))).toEqual([]);
    expect(awkwardCuts(Buffer.from('an event\n\n'))).toEqual([9]);
  });

  test('fail before their end', () => {
    assert(property(failingStream, ({ share, pieces }) => share < 1_000 && pieces.length > 0));
  });
});
