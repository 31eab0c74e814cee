import { expect, test } from 'vitest';
import { JobThread } from './threads.ts';

test('a thread that dies leaves no job unanswered, whether it was asked before or after', async () => {
  const thread = new JobThread<number, number>(new URL('data:text/javascript,'), undefined);
  await expect(thread.ask(1)).rejects.toThrow('a thread ended with 0');
  await expect(thread.ask(2)).rejects.toThrow('a thread ended with 0');
});
