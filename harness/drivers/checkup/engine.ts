/** Checks the scripted engine of a router target file: is it there, and does each model reach it? */

import type { RouterTarget } from '../../../schemas/router/target.ts';
import type { BackendControl } from '../../backend/control.ts';
import { connectScriptedBackend, ControlUnreachable } from '../../backend/control-client.ts';
import { startScriptedBackend } from '../../backend/scripted-backend.ts';
import { messageOf } from '../../exchange/exchange.ts';
import { sentence } from '../../target/draft.ts';
import type { Problem } from '../../target/problem.ts';
import type { RouterApi } from '../router/api.ts';
import {
  causeOf,
  isUnreached,
  findEngine,
  type Reach,
  reachOf,
  servedRoles,
  unservedRoles,
  waitLine,
} from '../router/reach.ts';
import { type CheckResult, fits, mismatch, type ReportResult, tell, untried } from './lines.ts';

interface EngineCheckup {
  readonly target: RouterTarget;
  readonly api: RouterApi;
  /** Name of the key that sends requests to models; undefined when the file has none. */
  readonly reader: string | undefined;
  readonly signal: AbortSignal;
}

/** Reports whether the engine is there, and for each model with a role whether a marked request reaches the engine. */
export async function checkEngine(checkup: EngineCheckup, report: ReportResult): Promise<void> {
  const { backend } = checkup.target;
  if (backend === undefined) return;
  const opened = await openEngine(backend);
  if ('mark' in opened) {
    report(lineOf(backend), opened);
    return;
  }
  try {
    const at = opened.listeners.join(', ');
    report(lineOf(backend), fits(`a scripted engine answers at ${at}`));
    await checkModels(checkup, opened, report);
  } finally {
    await opened.close();
  }
}

/** The line of the target file that says where the engine is. */
function lineOf(backend: NonNullable<RouterTarget['backend']>): string {
  return 'listen' in backend ? 'backend.listen' : 'backend.control';
}

/** Why the scripted engine cannot be controlled or cannot listen; undefined when it can. */
export async function engineProblem(
  backend: NonNullable<RouterTarget['backend']>,
): Promise<Problem | undefined> {
  const opened = await openEngine(backend);
  if (!('mark' in opened)) await opened.close();
  if (!('mark' in opened) || opened.mark !== 'wrong') return undefined;
  return { problem: `${lineOf(backend)}: ${opened.problem}`, hint: opened.hint };
}

async function openEngine(
  backend: NonNullable<RouterTarget['backend']>,
): Promise<BackendControl | CheckResult> {
  try {
    return 'listen' in backend
      ? await startScriptedBackend({ listen: backend.listen })
      : await connectScriptedBackend(backend.control, {
          token: process.env['PLUMBLINE_CONTROL_TOKEN'],
        });
  } catch (error) {
    if ('listen' in backend) {
      return mismatch(
        messageOf(error),
        'Free that address, or name another one at which the agents look for their engine.',
      );
    }
    if (!(error instanceof ControlUnreachable)) throw error;
    return mismatch(
      error.message,
      'Start it first: plumbline backend. When it has a token, set PLUMBLINE_CONTROL_TOKEN to the same.',
    );
  }
}

const subjectOf = (need: string): string => `${need} at the engine`;

async function checkModels(
  { target, api, reader, signal }: EngineCheckup,
  backend: BackendControl,
  report: ReportResult,
): Promise<void> {
  const served = servedRoles(target);
  if (reader === undefined) {
    for (const { need } of served) report(subjectOf(need), untried('it needs keys.client'));
    return;
  }
  const asking = { api, backend, signal, as: reader };
  const isNew = target.backend !== undefined && 'listen' in target.backend;
  const reaches = await findEngine({ ...asking, isNew }, served, (missing, forMs) => {
    if (isNew) report('agents', untried(waitLine(missing, forMs, backend.listeners)));
  });
  for (const reach of reaches) {
    report(subjectOf(reach.need), reachResult(reach, backend.listeners.length));
  }
  const { shed } = target.models ?? {};
  const overThreshold =
    shed === undefined || target.hooks?.shed !== undefined
      ? []
      : [{ name: 'shed', need: 'models.shed', model: shed }];
  for (const role of [...unservedRoles(target), ...overThreshold]) {
    await tell(report, subjectOf(role.need), async () =>
      unservedResult(await reachOf(asking, role)),
    );
  }
}

function reachResult(reach: Reach, addresses: number): CheckResult {
  const { model, listeners, answer } = reach;
  const hasSeveral = ['models.pair', 'models.bounded'].includes(reach.need);
  if (listeners.length === 1 && hasSeveral && addresses > 1) {
    return untried(
      `${model} reaches it at ${listeners[0]} alone. A router that fills one agent before the next shows no other; where all agents of the model look for their engine there, let one look at another address`,
    );
  }
  if (listeners.length === 1 && hasSeveral) {
    return mismatch(
      `Every request for ${model} comes in at ${listeners[0]}, so that its agents cannot be told apart.`,
      'Start the engine with two addresses, and let each agent look for it at one of them.',
    );
  }
  if (listeners.length > 0) {
    const agents = listeners.length === 1 ? 'an agent' : `${listeners.length} agents`;
    return fits(`${model} reaches it through ${agents}, at ${listeners.join(', ')}`);
  }
  return mismatch(
    isUnreached(reach)
      ? sentence(causeOf(reach))
      : `A request for ${model} was answered ${answer}, and did not reach the scripted engine.`,
    'What needs the engine behind this model is then not exercised: look at its agents, and where they look for their engine.',
  );
}

function unservedResult({ model, hits, answer }: Reach): CheckResult {
  if (hits === 0) return fits(`${model} does not reach it, as its role says: ${answer}`);
  return mismatch(
    `A request for ${model} reached the scripted engine, and its role is that it does not.`,
    'Look at the agents of the model, or leave the role out.',
  );
}
