/** A session with nothing behind it: its cases see what they judge themselves. */

import { Semaphore } from '../exchange/semaphore.ts';
import { Redactor } from '../exchange/redaction.ts';
import type { TestContext } from './case.ts';
import { Locks } from './locks.ts';
import type { RecorderTools } from './recorder.ts';
import type { SuiteSession } from './run-case.ts';

/** Tools of a recorder that knows no universal check. */
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

/** A session of four cases at once, in which nothing is missing. */
export function emptySession(): SuiteSession<TestContext<string>> {
  return {
    tools: recorderTools(),
    locks: new Locks(),
    permits: new Semaphore({ short: 4 }),
    missing: () => [],
    context: (_evidence, witness) => witness,
  };
}
