import { describe, expect, it, test } from 'vitest';
import { terminalWidth, untilEnded } from './exit.ts';

test.each([
  [{ columns: 60 }, 60],
  [{ columns: 0 }, 80],
  [{ columns: undefined }, 80],
  [{}, 80],
])('%j has %i columns', (stream, expected) => {
  expect(terminalWidth(stream, 80)).toBe(expected);
});

describe('a command that serves', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends at %s, and then leaves signals to the process again',
    async (signal) => {
      const listeners = () => [process.listeners('SIGINT'), process.listeners('SIGTERM')].flat();
      const before = listeners();
      const ended = untilEnded();
      expect(listeners().length).toBe(before.length + 2);
      // Calls only our own listener, since those of the test runner would end it.
      const own = process.rawListeners(signal).at(-1);
      own?.(signal);
      await ended;
      expect(listeners()).toEqual(before);
    },
  );
});
