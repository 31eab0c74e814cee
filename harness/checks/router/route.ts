/** Which documented route an exchange is. */

import {
  knownRoutes,
  unsupportedRoute,
  type RouteFamily,
  type RouteName,
} from '../../../schemas/router/endpoints.ts';
import type { Exchange } from '../../exchange/exchange.ts';

const exact = new Map<string, RouteName>();
for (const name of Object.keys(knownRoutes)) {
  if (isRouteName(name)) exact.set(`${knownRoutes[name].method} ${knownRoutes[name].path}`, name);
}

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(knownRoutes, name);
}

/**
 * The known route of an exchange, `responses` for the unsupported one, undefined for every other method and
 * path (router#endpoints). A model id may hold encoded slashes; bare ones make another path.
 */
export function routeOf(exchange: Exchange): RouteName | 'responses' | undefined {
  const { method, path } = exchange.request;
  const found = exact.get(`${method} ${path}`);
  if (found !== undefined) return found;
  if (method === unsupportedRoute.method && path === unsupportedRoute.path) return 'responses';
  if (method === 'GET' && /^\/v1\/models\/(?!\.{1,2}$)[^/]+$/u.test(path)) return 'model';
  return undefined;
}

/** The family of the known route of an exchange, undefined when it is none. */
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

/** The operation of an exchange for people and counts: a route name, or `METHOD other`. */
export function operationName(exchange: Exchange): string {
  return routeOf(exchange) ?? `${exchange.request.method} other`;
}
