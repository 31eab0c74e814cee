/** A conforming target behind a front that fails now and then: trouble on the way is no violation. */

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startCompute } from '../../harness/reference/compute/start.ts';
import { openSession } from '../../harness/session/open.ts';
import { fitting } from '../../harness/suite/fitting.ts';
import { runSections } from '../../harness/suite/run-all.ts';
import { parseTarget } from '../../harness/target/load.ts';
import { sections } from '../all.ts';
import { startFlakyFront } from './flaky-front.ts';

test('compute behind a flaky front is blamed for nothing', { timeout: 240_000 }, async () => {
  const reference = await startCompute();
  const front = await startFlakyFront(reference.port, { seed: 1, oneIn: 100 });
  const file = { ...reference.target(), baseUrl: `http://127.0.0.1:${front.port}/v1` };
  const { target, keys, folder } = parseTarget(JSON.stringify(file), 'flaky.yaml');
  const secrets = Object.fromEntries([...keys].map(([name, secret]) => [name, secret.reveal()]));
  const journal = path.join(tmpdir(), `plumbline-flaky-${randomUUID()}.ndjson`);
  const session = await openSession({ target, secrets, folder }, { runId: 'flaky', journal });
  try {
    const outcomes = await runSections(
      sections.filter(({ contract }) => contract === 'compute').map(fitting),
      session,
      { seed: 1, runs: 5, signal: new AbortController().signal },
    );
    expect(front.spoiled()).toBeGreaterThan(0);
    expect(
      outcomes.flatMap(({ findings }) =>
        findings.map(({ requirement, message, actual }) => `${requirement}: ${message} ${actual}`),
      ),
    ).toEqual([]);
    expect(outcomes.flatMap(({ errors }) => errors.map(({ message }) => message))).toEqual([]);
  } finally {
    await session.close();
    await front.close();
    await reference.close();
    rmSync(journal, { force: true });
  }
});
