/** A thread that judges exchanges, so that the proxy never waits for a verdict. */

import { parentPort, workerData } from 'node:worker_threads';
import type { JudgingAnswer, JudgingOrder, JudgingThreadData } from './judging.ts';
import { unpacked } from './packed-exchange.ts';
import { TrafficJudge } from './traffic-judge.ts';

const { options, done }: JudgingThreadData = workerData;
const counters = new Int32Array(done);
const judge = new TrafficJudge(options);

function answer(order: Exclude<JudgingOrder, { kind: 'exchange' }>): JudgingAnswer {
  return order.kind === 'view'
    ? { kind: 'view', view: judge.view() }
    : { kind: 'finish', outcome: judge.outcome() };
}

parentPort?.on('message', (order: JudgingOrder) => {
  if (order.kind !== 'exchange') {
    parentPort?.postMessage(answer(order));
    return;
  }
  judge.take(unpacked(order.exchange));
  Atomics.add(counters, 0, 1);
  Atomics.add(counters, 1, order.kib);
});
