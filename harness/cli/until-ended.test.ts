import { describe, expect, it } from 'vitest';
import { untilEnded } from './until-ended.ts';

describe('a command that serves', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends at %s, and then leaves signals to the process again',
    async (signal) => {
      const listeners = () => [process.listeners('SIGINT'), process.listeners('SIGTERM')].flat();
      const before = listeners();
      const ended = untilEnded();
      expect(listeners().length).toBe(before.length + 2);
      // Only our own listener is called: those of the test runner would end it.
      const own = process.listeners(signal).find((listener) => !before.includes(listener));
      own?.(signal);
      await ended;
      expect(listeners()).toEqual(before);
    },
  );
});
