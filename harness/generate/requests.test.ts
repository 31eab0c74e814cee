import { assert, property, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readEventStream } from '../checks/router/event-stream.ts';
import { encodeEvents } from '../backend/engine/reply.ts';
import {
  almostUuids,
  alteration,
  altered,
  foreignId,
  foreignIds,
  nearlyUuids,
  oddModelNames,
  exampleAlterations,
  unknownModelId,
  unknownModelName,
} from './ids.ts';
import {
  inAwkwardPieces,
  chatEvents,
  cutsIn,
  cutStream,
  failingStream,
  messageEvents,
} from './streams.ts';
import { breakages, cutBodies, LONGEST_NOTE, noteOf, notes, truncation } from './bodies.ts';
import { ComputeGuard } from '../exchange/compute-guard.ts';

describe('bodies and ids', () => {
  test('broken JSON, and a body that is cut, is none', () => {
    const whole = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
    const expectBroken = (body: string): void => {
      expect(() => JSON.parse(body)).toThrow(SyntaxError);
    };
    for (const { of } of breakages) expectBroken(of(whole));
    assert(
      property(truncation, ({ of }) => {
        expectBroken(of(whole));
        return of(whole) !== '';
      }),
    );
    assert(property(cutBodies, expectBroken));
  });

  test('unknown models can stand in a path as they are', () => {
    const inPath = (id: string) =>
      encodeURIComponent(id).replaceAll(/%3A|%40/gu, (code) => decodeURIComponent(code));
    assert(property(unknownModelId, (id) => id === inPath(id) && id.length <= 200));
  });

  const alone = (ids: readonly string[]) => ({ examples: ids.map((id): [string] => [id]) });

  test('names of unknown models are within the length of an id by any count', () => {
    const isShort = (id: string) => Buffer.byteLength(id) <= 256 && id.trim() === id;
    assert(property(unknownModelName, isShort), alone(oddModelNames));
  });

  test('foreign ids are no UUIDs', () => {
    const isForeign = (id: string) => !z.guid().safeParse(id).success && id.trim() === id;
    assert(property(foreignId, isForeign), alone(foreignIds));
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

  test('of messages have a comment, a beginning and an end', () => {
    const names = messageEvents(['a', 'b']).map((one) => ('event' in one ? one.event : 'comment'));
    const deltas = ['content_block_delta', 'content_block_delta'];
    expect(names).toEqual(['comment', 'message_start', ...deltas, 'message_stop']);
  });

  test('are cut inside, in order', () => {
    expect(cutsIn([999, 0, 500, 504])(Buffer.alloc(100))).toEqual([0, 50, 99]);
  });

  test('are cut inside characters and line endings', () => {
    expect(inAwkwardPieces.cuts(Buffer.from('aß\r\n🚀\n'))).toEqual([2, 4, 6, 7, 8]);
    expect(inAwkwardPieces.cuts(Buffer.from('é'.repeat(100))).length).toBeLessThanOrEqual(12);
    expect(inAwkwardPieces.cuts(Buffer.from('plain\n'))).toEqual([]);
    expect(inAwkwardPieces.cuts(Buffer.from('an event\n\n'))).toEqual([9]);
  });

  test('fail before their end', () => {
    assert(property(failingStream, ({ share, pieces }) => share < 1_000 && pieces.length > 0));
  });
});

const key = 'plk_primary_0123456789abcxyz';

describe('a key that is altered', () => {
  test('is another text, near the first', () => {
    assert(
      property(tuple(string({ minLength: 16 }), alteration), ([text, how]) => {
        const wrong = altered(text, how);
        return wrong === undefined || (wrong !== text && Math.abs(wrong.length - text.length) <= 2);
      }),
    );
  });

  test.for([
    ['remove', 999, 'plk_primary_0123456789abcxy'],
    ['remove', 0, 'lk_primary_0123456789abcxyz'],
    ['insert', 0, `~${key}`],
    ['append', 0, `${key}~`],
    ['list', 0, `${key},~`],
    ['replace', 999, 'plk_primary_0123456789abcxy~'],
    ['switch-case', 0, 'Plk_primary_0123456789abcxyz'],
  ] as const)('%s at %d', ([kind, at, result]) => {
    expect(altered(key, { kind, at })).toBe(result);
  });

  test('may lose a character where it is long, and changes the case of letters alone', () => {
    expect(altered('0123456789abcdef', { kind: 'remove', at: 0 })).toBe('123456789abcdef');
    expect(altered('xY', { kind: 'switch-case', at: 500 })).toBe('xy');
  });

  test.for(exampleAlterations)('is another one by %o', (how) => {
    expect(altered(key, how)).not.toBe(key);
    expect(altered(key, how)).toBeTypeOf('string');
  });
});

describe('what could be a key after all is not made', () => {
  test.for([
    ['a short key without one of its characters', 'key-12', 'remove', 999],
    ['what has no other case', '1', 'switch-case', 0],
    ['a number in base 16 in the other case', '00ffa0-0123456789abc', 'switch-case', 200],
    ['such a number behind a prefix', 'key_00ffa00123456789', 'switch-case', 350],
    ['a number in base 32 in the other case', 'MFRGGZDFMZTWQ2LKNNWG23TP', 'switch-case', 0],
    ['one in small letters', 'mfrggzdfmztwq2lknnwg23tp', 'switch-case', 0],
    ['a digit in the other case', key, 'switch-case', 600],
    ['base 64 that lacks its padding alone', 'c29tZSBsb25nZXIgdGV4dA==', 'replace', 999],
  ] as const)('%s', ([, text, kind, at]) => {
    expect(altered(text, { kind, at })).toBeUndefined();
  });

  test('but what is one of no such number is', () => {
    expect(altered('key_00ffa0_zzzz', { kind: 'switch-case', at: 400 })).toBe('key_00Ffa0_zzzz');
    expect(altered('MfrGGzdFmzTwq2lknnWG23tp', { kind: 'switch-case', at: 0 })).toBeDefined();
    expect(altered('c29tZSBsb25nZXIgdGV4dA==', { kind: 'remove', at: 999 })).toBe(
      'c29tZSBsb25nZXIgdGV4d',
    );
  });
});

test('every id may leave as an id that exists nowhere, and names no sibling path', () => {
  const guard = new ComputeGuard({
    terminate: 'POST /instances/{id}/terminate',
    start: undefined,
    provision: undefined,
    consent: { stop: false, terminate: false },
  });
  const invented = guard.unknownInstanceId();
  assert(
    property(nearlyUuids(invented), (id) => {
      expect(id).not.toBe(invented);
      expect(id).not.toMatch(/[./\\?#]/u);
      guard.check('POST', `/instances/${encodeURIComponent(id)}/stop`);
      guard.check('POST', `/instances/${encodeURIComponent(id)}/terminate`);
    }),
    { numRuns: 1_000, examples: almostUuids(invented).map((id): [string] => [id]) },
  );
});

test('a note has so many characters in every unit', () => {
  const note = noteOf(LONGEST_NOTE);
  expect(note).toHaveLength(LONGEST_NOTE);
  expect(Buffer.byteLength(note)).toBe(LONGEST_NOTE);
});

test('short notes stay far from the limit and are never blank', () => {
  assert(
    property(notes, (note) => {
      expect(note.trim()).not.toBe('');
      expect(Buffer.byteLength(note)).toBeLessThan(LONGEST_NOTE);
    }),
  );
});
