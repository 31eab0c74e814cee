import { assert, property } from 'fast-check';
import { expect, test } from 'vitest';
import { LONGEST_NOTE, cutBodies, noteOf, notes } from './reason-note.ts';

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

test('no cut body is JSON', () => {
  assert(
    property(cutBodies, (body) => {
      expect(() => {
        JSON.parse(body);
      }).toThrow(SyntaxError);
    }),
  );
});
