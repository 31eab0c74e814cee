/** A session with one router target: what its cases share, and the context of each case. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type RouterNeed, routerNeeds } from '../../../schemas/router/needs.ts';
import type { RouterTarget } from '../../../schemas/router/target.ts';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { BackendControl } from '../../backend/control.ts';
import { connectScriptedBackend } from '../../backend/control-client.ts';
import { startScriptedBackend } from '../../backend/scripted-backend.ts';
import { envelopeCode, isObject, jsonBody } from '../../exchange/body.ts';
import { routeOf } from '../../checks/router/route.ts';
import { mayBeProxyAnswer } from '../../checks/router/envelope.ts';
import { routerUniversal } from '../../checks/router/universal.ts';
import { comesWhole, tried } from '../../checks/whole.ts';
import { Inconclusive, NotExercised, sectionsOf, type TestContext } from '../../runner/case.ts';
import { History } from '../../checks/universal.ts';
import type { CaseRecorder } from '../../runner/recorder.ts';
import type { Semaphore } from '../../exchange/semaphore.ts';
import type { PlannedTarget, RunPlan } from '../../runner/selection.ts';
import type { RunnableSession } from '../../runner/run-case.ts';
import type { Secret } from '../../target/keys.ts';
import { connect, needsOf } from '../connection.ts';
import { EngineWatch } from './reach.ts';
import { markedScript, RouterApi } from './api.ts';
import { tooSlow } from './pace.ts';
import { routerRepeat } from './repeat.ts';
import { ServingWatch } from './serving-watch.ts';
import { TokenKeys } from './token-keys.ts';
import { TurnLocks } from './turns.ts';

type HookName = keyof NonNullable<RouterTarget['hooks']>;

/** What every case of a router section gets. */
export interface RouterContext extends TestContext<RouterRequirementId> {
  readonly api: RouterApi;
  /** Identifies what the cases of this run share, such as experiments. */
  readonly session: object;
  readonly target: RouterTarget;
  readonly models: NonNullable<RouterTarget['models']>;
  readonly limits: NonNullable<RouterTarget['limits']>;
  /** The scripted backend; throws `NotExercised` when the target file names none. */
  readonly backend: BackendControl;
  /** Tells the universal checks that an engine may answer this script with the router's envelope, which a proxy keeps. */
  mayForwardEnvelope(script: string): void;
  /** The secret of a key, for headers that are wrong on purpose; throws `NotExercised` without that key. */
  secret(name: string): Secret;
  /** The plain chat model, or the first by name of those that the client key sees; the same for the whole run. */
  anyModel(): Promise<string>;
  /** The places of the router that held requests take, so that some are left for the others. */
  readonly sharedPlaces: Semaphore;
  /** Resolves once all requests that must be under way together were sent, since the pace may hold some back. */
  readonly allSent: () => Promise<void>;
  readonly tokenKeys: TokenKeys;
  /** Runs a command of the target file and waits for its end; throws `NotExercised` when there is none. */
  hook(name: HookName): Promise<void>;
}

/** Defines a section of the router suites. */
export const routerSection = sectionsOf<RouterContext, RouterRequirementId>('router');

/** The slugs of the requirements of one section. */
export type SlugIn<
  Section extends string,
  Id extends string = RouterRequirementId,
> = Id extends `router.${Section}.${infer Slug}` ? Slug : never;

/** Milliseconds beyond the router's own deadline after which the client stops waiting. */
const GRACE_MS = 15_000;
const USUAL_DEADLINE_MS = 60_000;

/** The value of the target file for a need. Throws `NotExercised` without one. */
export function required<T>(value: T, need: RouterNeed): NonNullable<T> {
  if (value !== undefined && value !== null) return value;
  throw new NotExercised(`needs ${routerNeeds[need].purpose}`, routerNeeds[need].line);
}

/** Receives a line about what the session waits for, and one about the result. */
export interface Notifying {
  readonly notify?: (line: string) => void;
}

export async function openRouterSession(
  planned: PlannedTarget & { readonly target: RouterTarget },
  run: Pick<RunPlan, 'shard'> & Notifying = {},
): Promise<RunnableSession> {
  const { target } = planned;
  const connection = connect(planned, {
    // No request changes a router, and budget and fixtures bound what requests cost.
    check: () => {},
    repeat: routerRepeat,
    mayBeFromProxy: mayBeProxyAnswer,
    worksOn: target.limits?.maxConcurrent,
    timeoutMs: (target.limits?.requestTimeoutMs ?? USUAL_DEADLINE_MS) + GRACE_MS,
  });
  const backend = await openBackend(target);
  const forwarding = new Set<string>();
  const shared = {};
  const tokenKeys = new TokenKeys(target);
  const { chat, embedding, reranker } = target.models ?? {};
  const plain = [chat, embedding, reranker].filter((id) => id !== undefined);
  const watch = new ServingWatch(plain, connection);
  const keyNamed = (name: string): Secret => {
    const secret = connection.keys.get(name);
    if (secret === undefined) {
      throw new NotExercised(
        `the target file has no key "${name}"`,
        name === 'client' ? routerNeeds['keys.client'].line : undefined,
      );
    }
    return secret;
  };

  const universal = routerUniversal({
    target,
    mayBeForwarded: (exchange) => {
      const script = forwarding.size === 0 ? undefined : markedScript(exchange.request.body);
      return script !== undefined && forwarding.has(script);
    },
  });
  const whole = new History(
    [comesWhole('router.endpoints.models-list-data')],
    tried((exchange) => (routeOf(exchange) === 'models' ? 'models' : undefined)),
  );

  let chosen: Promise<string> | undefined;
  const engine = new EngineWatch({
    target,
    backend,
    api: new RouterApi(connection.httpClient, () => {}, keyNamed, watch),
    signal: connection.signal,
    notify: (line) => run.notify?.(`${target.name}: ${connection.redactor.text(line)}`),
  });

  return {
    tools: {
      contract: 'router',
      target: target.name,
      redactor: connection.redactor,
      universal: (exchange) => [...universal(exchange), ...whole.judge(exchange)],
      operation: routeOf,
      code: envelopeCode,
      sampled: new Set(),
    },
    locks:
      backend === undefined || run.shard === undefined
        ? connection.locks
        : new TurnLocks(backend, connection.signal),
    permits: connection.permits,
    requestsLeft: () => connection.budget.requestsLeft,
    missing: (requirements, needs) => {
      const all = needsOf(target, requirements, needs);
      const lost = all.includes('backend') ? engine.missingNeeds(all) : [];
      return [...connection.missing(requirements, needs), ...tooSlow(target, all), ...lost];
    },
    ready: async (cases) => {
      const wanted = cases.flatMap(({ judges, needs = [] }) => {
        const all = needsOf(target, judges, needs);
        return all.includes('backend') ? all : [];
      });
      await engine.check(wanted);
    },
    context: (evidence: CaseRecorder, testContext: TestContext<string>): RouterContext => {
      const api = new RouterApi(connection.httpClient, evidence.exchange, keyNamed, watch);
      return {
        ...testContext,
        api,
        session: shared,
        target,
        models: target.models ?? {},
        limits: target.limits ?? {},
        get backend(): BackendControl {
          return required(backend, 'backend');
        },
        mayForwardEnvelope: (script) => void forwarding.add(script),
        secret: keyNamed,
        anyModel: async () => {
          if (target.models?.chat !== undefined) return target.models.chat;
          chosen ??= firstModel(api);
          try {
            const model = await chosen;
            evidence.note(
              `Plain requests go to ${model}, the first model by name that the client key sees: models.chat names none`,
            );
            return model;
          } catch (error) {
            chosen = undefined;
            throw error;
          }
        },
        sharedPlaces: connection.sharedPlaces,
        allSent: async () => connection.budget.allSent(),
        tokenKeys,
        hook: async (name) => runHook(target, name, planned.folder, testContext.signal),
      };
    },
    abort: connection.abort,
    close: async () => {
      connection.abort();
      await connection.close();
      await backend?.close();
    },
  };
}

async function openBackend(target: RouterTarget): Promise<BackendControl | undefined> {
  if (target.backend === undefined) return undefined;
  const token = process.env['PLUMBLINE_CONTROL_TOKEN'];
  return 'control' in target.backend
    ? connectScriptedBackend(target.backend.control, token === undefined ? {} : { token })
    : startScriptedBackend({ listen: target.backend.listen });
}

async function firstModel(api: RouterApi): Promise<string> {
  const body = jsonBody(await api.models());
  const data = body.ok && isObject(body.value) ? body.value['data'] : undefined;
  const ids = (Array.isArray(data) ? data : []).map((model: unknown) =>
    isObject(model) ? model['id'] : undefined,
  );
  // The order of the list is not guaranteed, and a replay must use the same model.
  const [first] = ids.filter((id) => typeof id === 'string').toSorted();
  if (first !== undefined) return first;
  throw new Inconclusive(
    'the client key sees no model; name one with models.chat in the target file',
  );
}

const HOOK_TIMEOUT_MS = 60_000;
const execute = promisify(execFile);

/** Runs a hook and waits for its end. Throws `NotExercised` without it, `Inconclusive` when it fails or takes too long. */
async function runHook(
  target: Pick<RouterTarget, 'hooks'>,
  name: HookName,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const command = target.hooks?.[name];
  if (command === undefined) {
    throw new NotExercised(`needs the hook ${name}`, `hooks: { ${name}: ./${name}.sh }`);
  }
  try {
    await execute('/bin/sh', ['-c', command], { cwd: folder, timeout: HOOK_TIMEOUT_MS, signal });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Inconclusive(`the hook ${name} failed: ${why}`);
  }
}
