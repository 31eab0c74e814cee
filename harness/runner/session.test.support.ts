/** A session without a target: its cases see only what they judge themselves. */

import { Semaphore } from '../exchange/semaphore.ts';
import { Redactor } from '../exchange/redaction.ts';
import type { TestContext } from './case.ts';
import { Locks } from './locks.ts';
import type { RecorderTools } from './recorder.ts';
import type { SuiteSession } from './run-case.ts';

/** Recorder tools without universal checks. */
export function recorderTools(): RecorderTools {
  return {
    contract: 'compute',
    target: 'here',
    redactor: new Redactor([]),
    universal: () => [],
    operation: () => undefined,
    code: () => '',
    sampled: new Set(),
  };
}

/** A session that runs four cases at once and has no missing needs. */
export function emptySession(): SuiteSession<TestContext<string>> {
  return {
    tools: recorderTools(),
    locks: new Locks(),
    permits: new Semaphore({ short: 4 }),
    missing: () => [],
    context: (_evidence, witness) => witness,
  };
}
