/** Every client route with its plainest request, for what must hold on all of them. */

import type { ProxyRoute } from '../../../schemas/router/endpoints.ts';
import { complete } from '../../backend/behaviour.ts';
import { type Judgement, together } from '../../checks/judgement.ts';
import { reachedNoEngine } from '../../checks/router/tries.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { CallOptions, InferenceRoute } from './api.ts';
import { hitsOfRefused } from './hold.ts';
import { modelFor, provoke } from './provoke.ts';
import { mayBeServedAgain, onceReturned } from './ejection.ts';
import { outcomeText } from '../../checks/router/outcome.ts';
import { Experiment, Inconclusive } from '../../runner/case.ts';
import type { RouterContext } from './session.ts';

/** The client routes by the short names that suites use; `model` is the detail route. */
export const clientRoutes = [
  'models',
  'model',
  'chat',
  'messages',
  'countTokens',
  'embeddings',
  'rerank',
] as const satisfies readonly ('models' | 'model' | InferenceRoute)[];

export type ClientRoute = (typeof clientRoutes)[number];
export type ClientFamily = 'models' | 'chat' | 'proxy';

/** The family of a client route in requirement ids. */
export function familyOfRoute(route: ClientRoute): ClientFamily {
  if (route === 'models' || route === 'model') return 'models';
  return route === 'chat' ? 'chat' : 'proxy';
}

/**
 * The client routes for one of several probes that show the same thing. The first probe gets all routes of this run, which
 * in a quick run are one of each family. Later probes get one of each family in turn, or as many as it takes for `turns`
 * probes in a row to reach each route, and in a thorough run all routes.
 */
export function routesInTurn(
  t: Pick<RouterContext, 'some' | 'thorough'>,
  turn: number,
  turns = Infinity,
): readonly ClientRoute[] {
  return ['models', 'chat', 'proxy'].flatMap((family) => {
    const routes = clientRoutes.filter((route) => familyOfRoute(route) === family);
    const tried = t.some(routes, 1);
    const apart = Math.min(turns, tried.length);
    return t.thorough || turn === 0 ? tried : tried.filter((_, at) => at % apart === turn % apart);
  });
}

/** Spreads values that show the same thing over routes; each route gets those `forEach`, and in a thorough run all values. */
export function spreadOver<Route, T>(
  { thorough }: Pick<RouterContext, 'thorough'>,
  routes: readonly Route[],
  values: readonly T[],
  forEach: readonly T[] = [],
): readonly (readonly [Route, readonly T[]])[] {
  return routes.map((route, index) => [
    route,
    values.filter(
      (value, at) => thorough || at % routes.length === index || forEach.includes(value),
    ),
  ]);
}

/** The transparent proxy routes by their short names, which are those of the catalogue. */
export const proxyRouteNames = [
  'messages',
  'countTokens',
  'embeddings',
  'rerank',
] as const satisfies readonly (ProxyRoute & InferenceRoute)[];

export const adminPaths = {
  health: '/admin/health',
  'routing-table': '/admin/routing-table',
} as const;

/** Kinds of requests that a limit on a model or a key covers alike, the plain one first. */
export const requestShapes = [
  { route: 'chat', stream: false },
  { route: 'chat', stream: true },
  { route: 'messages', stream: false },
] as const;

/** A kind of request, and the key that it uses (default the client key). */
export interface RequestShape {
  readonly route: InferenceRoute;
  readonly stream: boolean;
  readonly as?: string;
  /** It carries much, of which the model may not take everything. */
  readonly laden?: boolean;
}

/** A kind that may be refused for what it carries. */
export const ladenShape = { route: 'chat', stream: false, laden: true } as const;

/** The same kinds, a laden one, and a plain request with the second key, if there is one: a limit on a model holds for all. */
export function shapesAndKeys({ target }: Pick<RouterContext, 'target'>): readonly RequestShape[] {
  const others = target.keys.second === undefined ? [] : [{ ...requestShapes[0], as: 'second' }];
  return [...requestShapes, ladenShape, ...others];
}

/** A model that no agent registers. */
export const UNKNOWN_MODEL = 'plumbline-nobody-registers-this';

/** Most output tokens of a request whose output is not needed, since output costs money. */
export const FEW_TOKENS = 4;

/** Requests that the router answers by itself, which may read the client's headers in several places. */
export const ownAnswers = {
  list: async (t: RouterContext, call: CallOptions) => t.api.models(call),
  unknown: async (t: RouterContext, call: CallOptions) => t.api.chat(UNKNOWN_MODEL, call),
  unauthorized: async (t: RouterContext, call: CallOptions) => t.api.models({ ...call, as: null }),
} as const;

export type OwnAnswer = keyof typeof ownAnswers;

export const ownAnswerKinds = ['list', 'unknown', 'unauthorized'] as const;

/** The kind of request for a turn, which rotates. */
export function ownAnswerAt(turn: number): OwnAnswer {
  return ownAnswerKinds[turn % ownAnswerKinds.length] ?? 'list';
}

export interface AskOptions extends CallOptions {
  /** The model (default: one that the route serves). */
  readonly model?: string;
  readonly script?: string;
  readonly stream?: boolean;
}

/** Sends a client route a request that it can serve. */
export async function askRoute(
  t: Pick<RouterContext, 'api' | 'models' | 'anyModel'>,
  route: ClientRoute,
  options: AskOptions = {},
): Promise<Exchange> {
  const { model, script, ...call } = options;
  if (route === 'models') return t.api.models(call);
  if (route === 'model') return t.api.model(inPath(model ?? (await t.anyModel())), call);
  const named = model ?? (await modelFor(t, route));
  return t.api.infer(route, named, { ...call, script, ...bounded(route) });
}

/** The response of a client route to a key that names an unknown model; sent once for all cases. */
export async function unknownModelOn(
  t: RouterContext,
  route: ClientRoute,
  as = 'client',
): Promise<Exchange> {
  const name = `${as} on ${route}`;
  const asked = unknownAsked.get(name) ?? asksUnknown(route, as);
  unknownAsked.set(name, asked);
  return asked.of(t);
}

const asksUnknown = (route: ClientRoute, as: string) =>
  new Experiment(async (t: RouterContext) => askRoute(t, route, { as, model: UNKNOWN_MODEL }));

const unknownAsked = new Map<string, ReturnType<typeof asksUnknown>>();

/** A plain request of each inference route, with the key without quotas if there is one; sent once for all cases. */
export const servedOnEach = new Experiment(async (t: RouterContext) => {
  const as = t.target.keys.unlimited === undefined ? 'client' : 'unlimited';
  const answers = [];
  for (const route of servedRoutes(t)) answers.push(await provoke(t, complete(), { route, as }));
  return answers;
});

/** An id for a path. Servers read an encoded slash in two ways, so an id with a slash is replaced. */
function inPath(id: string): string {
  return standsInPath(id) ? id : UNKNOWN_MODEL;
}

/** True for a model id that every server reads unchanged in a path. */
export function standsInPath(id: string): boolean {
  return !/[/\\]|^\.+$/u.test(id);
}

/** A model id for a path, with an escape that it does not need: of its first hyphen, or of the letter that it begins with. */
export const escapedOnce = (id: string): string =>
  encodeURIComponent(id).replace(
    /-|^\w(?=[^-]*$)/u,
    (one) => `%${Buffer.from(one).toString('hex').toUpperCase()}`,
  );

/** The proxy routes for which the target file names a model. */
export function servedProxyRoutes({
  models,
}: Pick<RouterContext, 'models'>): readonly (typeof proxyRouteNames)[number][] {
  return proxyRouteNames.filter(
    (route) =>
      (route !== 'embeddings' || models.embedding !== undefined) &&
      (route !== 'rerank' || models.reranker !== undefined),
  );
}

/** The inference routes for which the target file names a model. */
export function servedRoutes(t: Pick<RouterContext, 'models'>): readonly InferenceRoute[] {
  return ['chat', ...servedProxyRoutes(t)];
}

function bounded(route: InferenceRoute): { readonly maxTokens?: number } {
  return route === 'chat' || route === 'messages' ? { maxTokens: FEW_TOKENS } : {};
}

/**
 * Whether requests that the router must refuse by itself reach no engine. A plain request for the model follows, to show
 * that an engine counts the requests of the script. Throws `Inconclusive` when that is not counted either: then the model
 * is not behind the scripted backend, and zero hits prove nothing.
 */
export async function reachNoEngine(
  t: Pick<RouterContext, 'api' | 'backend' | 'models' | 'anyModel' | 'session' | 'signal'>,
  { route, model: named }: { readonly route: InferenceRoute; readonly model?: string },
  send: (script: string) => Promise<readonly Exchange[]>,
): Promise<Judgement> {
  const script = await t.backend.script([complete()]);
  const refusals = await send(script);
  const hits = await hitsOfRefused(t, script);
  const model = named ?? (await modelFor(t, route));
  const ask = async () => {
    const exchange = await askRoute(t, route, { script, model });
    return { exchange, isCounted: (await t.backend.counts(script)).hits > hits };
  };
  const { exchange: plain, isCounted } = await onceReturned(t.session, ask, {
    model,
    isEjected: (asked) => !asked.isCounted && mayBeServedAgain(asked.exchange),
    signal: t.signal,
  });
  if (isCounted) return together(...refusals.map((exchange) => reachedNoEngine(exchange, hits)));
  throw new Inconclusive(
    `a plain request of the ${route} route did not reach the scripted backend (${outcomeText(plain)}), so that hits prove nothing`,
  );
}
