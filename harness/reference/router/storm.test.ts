/** Many concurrent requests with every kind of ending. Afterwards everything is released. */

import { expect, test } from 'vitest';
import type { Behaviour } from '../../backend/behaviour.ts';
import { running } from './running.test.support.ts';

const models = [
  'scripted-chat',
  'scripted-slot',
  'scripted-inflight',
  'scripted-occupancy',
  'scripted-pair',
  'scripted-provider',
  'scripted-serverless',
] as const;

const behaviours: readonly Behaviour[] = [
  { kind: 'complete' },
  { kind: 'complete', hold: 'before-head' },
  { kind: 'complete', stream: true, delayChunkMs: 3 },
  { kind: 'complete', drop: { at: 'before-head', how: 'reset' } },
  { kind: 'complete', stream: true, drop: { at: { insideEvent: 1 }, how: 'reset' } },
  { kind: 'respond', status: 503, text: 'busy' },
];

const limits = {
  requestTimeoutMs: 1_000,
  parkTimeoutMs: 20,
  maxConcurrent: 6,
  queueSize: 3,
  queueFullMs: 60,
};

test('a storm leaves nothing behind', async () => {
  const system = await running({ limits });
  const scripts = await Promise.all(behaviours.map(async (one) => system.script(one)));
  const requests = models.flatMap((model, row) =>
    scripts.flatMap((script, column) =>
      [0, 1].map(async (leaves) => {
        // Every other client disconnects, each after another delay.
        const signal = leaves === 1 ? AbortSignal.timeout(row * 9 + column * 5) : undefined;
        const asking = { script, extra: { max_tokens: 300 }, as: 'unlimited' };
        return system.ask(model, signal === undefined ? asking : { ...asking, signal });
      }),
    ),
  );
  const codes = (await Promise.allSettled(requests)).map((result) =>
    result.status === 'fulfilled' ? (result.value.code ?? 'served') : 'cut or left',
  );
  expect(new Set(codes)).toEqual(new Set([...codes, 'served', 'cut or left']));
  for (const model of models) {
    const { status } = await system.ask(model, { as: 'unlimited', extra: { max_tokens: 900 } });
    expect([model, status]).toEqual([model, 200]);
  }
});
