/** The suites as tests of somebody else's Vitest project, for instance against a server in the same process. */

import { randomInt, randomUUID } from 'node:crypto';
import path from 'node:path';
import { requirementsOf } from '../../../schemas/catalogues.ts';
import type { Contract } from '../../../schemas/requirement.ts';
import type { TargetFileInput } from '../../../schemas/target.ts';
import { openSession } from '../../drivers/open.ts';
import { plannedSelection } from '../../runner/selection.ts';
import {
  closeAtEnd,
  registerSections,
  type RunnableSession,
  type VitestFunctions,
} from '../../runner/vitest-sections.ts';
import { requireKnownSelection } from '../asked.ts';
import { loadSections } from '../sections.ts';
import { plannedFrom, requireReady } from './planned.ts';
import type { ConformanceOptions } from './run-conformance.ts';

export interface SuiteOptions extends Omit<ConformanceOptions, 'signal'> {
  readonly contract: Contract;
  /**
   * The target, in the form of a target file. A function is called once, when the first test runs: by then a
   * `beforeAll` of yours has started the server and knows its port.
   */
  readonly target: TargetFileInput | (() => TargetFileInput | Promise<TargetFileInput>);
  /** Stands before the names of the sections; the contract unless told. */
  readonly name?: string;
  /** True to let broken implied requirements fail a test, too. */
  readonly strict?: boolean;
}

const USUAL_RUNS = 20;

/**
 * Registers a test for each case. Hand in `describe`, `test` and `afterAll` of your own Vitest, and await it at the
 * top of a test file. A test fails when a stated requirement is broken, and is skipped, with the line to add, when the
 * target does not offer what it needs.
 *
 * ```ts
 * import { afterAll, beforeAll, describe, test } from 'vitest';
 * import { defineConformanceSuite } from 'plumbline';
 *
 * let server;
 * beforeAll(async () => { server = await startMyServer(); });
 * afterAll(async () => server.close());
 *
 * await defineConformanceSuite(
 *   { afterAll, describe, test },
 *   {
 *     contract: 'compute',
 *     target: () => ({ contract: 'compute', baseUrl: server.url, keys: { primary: 'test-key' } }),
 *   },
 * );
 * ```
 */
export async function defineConformanceSuite(
  vitest: VitestFunctions,
  options: SuiteOptions,
): Promise<void> {
  const { contract, seed = randomInt(0x7fffffff), runs = USUAL_RUNS, strict = false } = options;
  const { only = [], section, profile } = options;
  requireKnownSelection({ only, section, profile });
  const stated = new Set(
    requirementsOf(contract).flatMap(({ id, strength }) => (strength === 'stated' ? [id] : [])),
  );
  let session: Promise<RunnableSession> | undefined;
  const open = async (): Promise<RunnableSession> => {
    const { target } = options;
    const planned = plannedFrom(
      typeof target === 'function' ? await target() : target,
      options.folder,
    );
    if (planned.target.contract !== contract) {
      throw new TypeError(
        `The target keeps ${planned.target.contract}, and the suite is ${contract}.`,
      );
    }
    await requireReady(planned);
    const journal = path.resolve('.plumbline', 'journal.ndjson');
    return openSession(planned, { runId: randomUUID().slice(0, 8), journal });
  };
  const run = {
    session: () => (session ??= open()),
    targetName: options.name ?? contract,
    selection: plannedSelection(contract, { only, section, profile }),
    seed,
    runs,
    tells: false,
    counts: strict
      ? undefined
      : ({ requirement }: { readonly requirement: string }) => stated.has(requirement),
  };
  const sections = await loadSections();
  registerSections(
    sections.filter((one) => one.contract === contract),
    run,
    vitest,
  );
  // Why it did not open is told by every test.
  closeAtEnd(() => session?.catch(() => undefined), vitest);
}
