/** The routes that are registered (endpoints). */

import type { Route } from './context.ts';

const routes: readonly Route[] = [
  { method: 'GET', path: '/v1/models', family: 'models' },
  { method: 'GET', path: '/v1/models/', family: 'model' },
  {
    method: 'POST',
    path: '/v1/chat/completions',
    family: 'native',
    capability: 'chat',
    generates: true,
  },
  { method: 'POST', path: '/v1/messages', family: 'proxy', capability: 'chat', generates: true },
  { method: 'POST', path: '/v1/messages/count_tokens', family: 'proxy', capability: 'chat' },
  { method: 'POST', path: '/v1/embeddings', family: 'proxy', capability: 'embeddings' },
  { method: 'POST', path: '/v1/rerank', family: 'proxy', capability: 'rerank' },
  { method: 'GET', path: '/admin/health', family: 'admin' },
  { method: 'GET', path: '/admin/routing-table', family: 'admin' },
];

/** The route at a path, whatever the method. Everything below `/v1/models/` is the detail of a model. */
export function routeAt(path: string): Route | undefined {
  return routes.find((route) =>
    route.family === 'model'
      ? path.startsWith(route.path) && path.length > route.path.length
      : route.path === path,
  );
}
