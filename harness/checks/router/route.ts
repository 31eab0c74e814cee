/** The documented route of an exchange, what its request asks for, and knowledge about the router from elsewhere. */

import {
  knownRoutes,
  type RouteFamily,
  type RouteName,
  unsupportedRoute,
} from '../../../schemas/router/endpoints.ts';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { isObject, jsonIn } from '../../exchange/body.ts';
import type { Verdicts } from '../universal.ts';
import type { RouterTarget } from '../../../schemas/router/target.ts';

/** What the universal checks of the router yield. */
export type RouterVerdicts = Verdicts<RouterRequirementId>;

const exact = new Map(
  Object.keys(knownRoutes)
    .filter(isRouteName)
    .map((name) => [`${knownRoutes[name].method} ${knownRoutes[name].path}`, name]),
);

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(knownRoutes, name);
}

/**
 * The known route of an exchange, `responses` for the unsupported one, undefined for any other method and path
 * (router#endpoints). A model id may hold encoded slashes; a bare slash makes another path.
 */
export function routeOf(exchange: Exchange): RouteName | 'responses' | undefined {
  const { method, path } = exchange.request;
  const found = exact.get(`${method} ${path}`);
  if (found !== undefined) return found;
  if (method === unsupportedRoute.method && path === unsupportedRoute.path) return 'responses';
  if (method === 'GET' && /^\/v1\/models\/(?!\.{1,2}$)[^/]+$/u.test(path)) return 'model';
  return undefined;
}

/** The family of the known route of an exchange; undefined for other routes. */
export function familyOf(exchange: Exchange): RouteFamily | undefined {
  const route = routeOf(exchange);
  return route === undefined || route === 'responses' ? undefined : knownRoutes[route].family;
}

/** True on the known client routes, whose errors have the envelope (router#envelope). */
export function isKnownClientRoute(exchange: Exchange): boolean {
  const family = familyOf(exchange);
  return family !== undefined && family !== 'admin';
}

/** True for every path under `/admin`, known or not. */
export function isAdminPath(exchange: Exchange): boolean {
  return /^\/admin(?:\/|$)/u.test(exchange.request.path);
}

const known = new WeakMap<Exchange, Readonly<Record<string, unknown>>>();

/** The members of a JSON request body, empty when it is not a JSON object. Cached for each exchange. */
function requestMembers(exchange: Exchange): Readonly<Record<string, unknown>> {
  const before = known.get(exchange);
  if (before !== undefined) return before;
  const value = jsonIn(Buffer.from(exchange.request.body).toString('utf8'));
  const members = isObject(value) ? value : {};
  known.set(exchange, members);
  return members;
}

/** The model that a request names, if any. */
export function requestedModel(exchange: Exchange): string | undefined {
  const model = requestMembers(exchange)['model'];
  return typeof model === 'string' ? model : undefined;
}

/** True when the request asked for a stream. */
export function asksForStream(exchange: Exchange): boolean {
  return requestMembers(exchange)['stream'] === true;
}

export interface RouterKnowledge {
  /** Names of keys that are not under a serverless policy. */
  readonly plainCredentials: readonly string[];
  /** Ids of models that are known to be outside serverless policies. */
  readonly plainModels: readonly string[];
  /** The largest request body in bytes, 0 for no limit; absent when unknown. */
  readonly maxRequestBytes?: number;
  /**
   * True when the engine itself may have answered with the envelope: on a proxy route the router must keep its code and
   * source even where they contradict the table. Absent when unknown: this router may forward to another router.
   */
  readonly mayBeForwarded?: (exchange: Exchange) => boolean;
}

/** True when code and source may come from an engine (router#transparent-proxy/envelope-kept). */
export function mayBeForwarded(exchange: Exchange, knowledge: RouterKnowledge): boolean {
  return familyOf(exchange) === 'proxy' && (knowledge.mayBeForwarded?.(exchange) ?? true);
}

/** No knowledge: checks judge only what an exchange itself shows. */
export const nothingKnown: RouterKnowledge = { plainCredentials: [], plainModels: [] };

/** The knowledge in a target file: every key but the serverless one is plain, and so are the models for general use. */
export function knowledgeOf(
  target: Pick<RouterTarget, 'keys' | 'models' | 'limits'>,
  forwarded?: RouterKnowledge['mayBeForwarded'],
): RouterKnowledge {
  const { serverless, ...others } = target.keys;
  const { chat, embedding, reranker } = target.models ?? {};
  const { maxRequestBytes } = target.limits ?? {};
  return {
    // A list of keys has a name for each of them: `tokensPerDay[0]`.
    plainCredentials: Object.entries(others).flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((_, at) => `${name}[${at}]`) : [name],
    ),
    plainModels: [chat, embedding, reranker].flatMap((model) =>
      model === undefined || model === serverless?.model ? [] : [model],
    ),
    ...(maxRequestBytes === undefined ? {} : { maxRequestBytes }),
    ...(forwarded === undefined ? {} : { mayBeForwarded: forwarded }),
  };
}
