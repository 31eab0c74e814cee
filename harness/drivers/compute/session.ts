/** A session with one compute target: what its cases share, and the context of each case. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { type ComputeTarget, isIdList, type Provision } from '../../../schemas/compute/target.ts';
import { computeFolds } from '../../checks/compute/history.ts';
import { operationOf, shownBy } from '../../checks/compute/operation.ts';
import { computeUniversal } from '../../checks/compute/universal.ts';
import { brokenOff, comesWhole, tried } from '../../checks/whole.ts';
import { envelopeCode } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { ComputeGuard, ConsentMissing } from '../../exchange/compute-guard.ts';
import { sectionsOf, type TestContext } from '../../runner/case.ts';
import { History } from '../../checks/universal.ts';
import type { CaseRecorder } from '../../runner/recorder.ts';
import type { PlannedTarget, RunPlan } from '../../runner/selection.ts';
import { connect, missingOf } from '../connection.ts';
import { Journal, journalIn } from '../journal.ts';
import { ComputeApi, type ComputeContext, computeRepeat, lackOf } from './api.ts';
import { Disposables } from './disposables.ts';
import { observe, observeInList } from './instances.ts';
import { instancesChange } from '../collection/whole-list.ts';
import { fittingBindings, misboundPresets, withMisbound } from './misbound.ts';
import { StandingInstances } from './standing.ts';
import type { RunnableSession } from '../../runner/run-case.ts';

export type { ComputeContext } from './api.ts';

/** Defines a section of the compute suites. */
export const computeSection = sectionsOf<ComputeContext, ComputeRequirementId>('compute');

/** The ids of the requirements of one section, by their slugs. */
export const idsIn =
  <Section extends string>(section: Section) =>
  <Slug extends string>(slug: Slug) =>
    `compute.${section}.${slug}` as const;

export interface ComputeSession extends RunnableSession {
  readonly contract: 'compute';
}

/** Throws `NotExercised` for a request that lacks consent, with the line to add to the target file. */
function checked(guard: ComputeGuard, method: string, path: string): void {
  try {
    guard.check(method, path);
  } catch (error) {
    throw error instanceof ConsentMissing ? lackOf(error.need) : error;
  }
}

/** Opens a session. Reads the presets once; bindings that fit none of them count as missing. */
export async function openComputeSession(
  planned: PlannedTarget & { readonly target: ComputeTarget },
  run: Pick<RunPlan, 'runId' | 'journal' | 'shard'>,
): Promise<ComputeSession> {
  const { target } = planned;
  const stated = target.bindings ?? {};
  const provision = shareOf(target.instances?.provision, run.shard);
  const guard = new ComputeGuard({
    terminate: stated.terminate,
    start: stated.start,
    provision: provision !== undefined && 'request' in provision ? provision.request : undefined,
    consent: target.consent,
  });
  for (const id of target.instances?.stopped ?? []) guard.allow(id, 'stop');
  for (const id of target.instances?.terminated ?? [])
    guard.allow(id, 'stop', 'start', 'terminate');
  const { forbidden } = target.keys;
  // The suite sends what the policy must refuse, so the guard must let it through.
  if (typeof forbidden === 'object') guard.allow(forbidden.instance, 'stop', 'start', 'terminate');

  const standing = new StandingInstances();
  const rules = {
    check: (method: string, path: string) => checked(guard, method, path),
    repeat: computeRepeat(stated),
  };
  const connection = connect(planned, rules);
  const reading = new ComputeApi(connection.httpClient, () => {}, stated);
  const misbound = await misboundPresets(reading, stated);
  const bindings = fittingBindings(stated, misbound);
  const disposables = new Disposables({
    provision,
    keepFirst: target.consent.stop && target.instances?.stopped === undefined,
    consent: target.consent,
    guard,
    journal: new Journal(run.journal ?? journalIn(planned.folder)),
    target,
    bindings,
    runId: run.runId,
    folder: planned.folder,
    signal: connection.signal,
  });
  const history = new History(computeFolds, (exchange) => shownBy(exchange, bindings));
  const operation = (exchange: Exchange) => operationOf(exchange, bindings)?.operation;
  // No page comes near our size limit, so a body that exceeds it time after time has no end.
  const whole = new History(
    [comesWhole('compute.media.success-json', new Set([...brokenOff, 'too-large']))],
    tried(operation),
  );

  const bound = { ...target, bindings };
  const stops = new Set(target.instances?.stopped?.map((id) => `/instances/${id}/stop`));
  return {
    contract: 'compute',
    tools: {
      contract: 'compute',
      target: target.name,
      redactor: connection.redactor,
      universal: (exchange) => [
        ...computeUniversal(exchange, { bindings }),
        ...history.judge(exchange),
        ...whole.judge(exchange),
      ],
      operation,
      code: envelopeCode,
      sampled: new Set(),
    },
    locks: connection.locks,
    permits: connection.permits,
    requestsLeft: () => connection.budget.requestsLeft,
    missing: (requirements, needs) =>
      missingOf(bound, requirements, needs).map((one) => withMisbound(one, misbound)),
    context: (evidence: CaseRecorder, testContext: TestContext<string>): ComputeContext => {
      const onExchange = (exchange: Exchange): void => {
        // A refused request changes nothing, and neither does a stop of a stopped instance. A failed or lost one may.
        const { status = 0 } = exchange.response ?? {};
        const isIdle = stops.has(exchange.request.path) || (status >= 400 && status < 500);
        if (exchange.request.method !== 'GET' && !isIdle) instancesChange(standing);
        evidence.exchange(exchange);
      };
      const api = new ComputeApi(connection.httpClient, onExchange, bindings);
      const made = async (...until: readonly [TestContext<string>?]): Promise<string> => {
        instancesChange(standing);
        return disposables.take(api, ...until);
      };
      const context: ComputeContext = {
        ...testContext,
        api,
        target,
        bindings,
        session: standing,
        secret: (name) => connection.keys.get(name),
        unknownInstanceId: () => guard.unknownInstanceId(),
        disposable: async () => made(testContext),
        lasting: () => ({ ...context, disposable: async () => made() }),
        stopped: async (index) =>
          standing.stopped(
            { ...context, disposable: async () => disposables.take(api, { kept: true }) },
            index,
          ),
        stoppedAtFirst: async () => {
          await context.stopped();
          return standing.stoppedAtFirst;
        },
        terminated: async () => standing.terminated(context.lasting()),
        shared: async (name) => standing.shared(context.lasting(), name),
        observe: async (id, as = 'primary', soon = false) =>
          observe(api, bindings, id, { as, unbounded: soon }),
        observeInList: async (id, as = 'primary') => observeInList(api, id, { as }),
      };
      return context;
    },
    abort: connection.abort,
    close: async () => {
      connection.abort();
      if (disposables.hasLeft) {
        // The session's connection may be ended already, so the sweep gets one of its own.
        const { budget } = target;
        const minutes = Math.max(connection.budget.leftMs, SWEEP_MS) / 60_000;
        const last = connect(
          { ...planned, target: { ...target, budget: { ...budget, minutes } } },
          rules,
        );
        await disposables.sweep(new ComputeApi(last.httpClient, () => {}, bindings));
        await last.close();
      }
      await connection.close();
    },
  };
}

/** Milliseconds for removing what the run made when it has no time left; a later sweep does the rest. */
const SWEEP_MS = 10_000;

/** A case uses up a listed instance, so each shard gets its own part of the list. */
function shareOf(provision: Provision | undefined, shard: RunPlan['shard']) {
  if (shard === undefined || !isIdList(provision)) return provision;
  return provision.filter((_, at) => at % shard.count === shard.index - 1);
}
