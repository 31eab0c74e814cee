/** Which part of an engine a path names. */

const inferenceRoutes = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'completions',
  '/v1/messages': 'messages',
  '/v1/messages/count_tokens': 'countTokens',
  '/v1/embeddings': 'embeddings',
  '/v1/rerank': 'rerank',
} as const;

const agentRoutes = { '/health': 'health', '/v1/models': 'models', '/metrics': 'metrics' } as const;

/** Where engines count the tokens of a prompt, which a router may ask for before it routes the request. */
const TOKENIZER = '/tokenize';

export type InferenceRouteName = (typeof inferenceRoutes)[keyof typeof inferenceRoutes];
export type RouteName =
  | InferenceRouteName
  | (typeof agentRoutes)[keyof typeof agentRoutes]
  | 'tokenize'
  | 'other';

const inference = new Map<string, InferenceRouteName>([
  ...Object.entries(inferenceRoutes),
  ['/rerank', 'rerank'],
]);
const agent = new Map<string, RouteName>(Object.entries(agentRoutes));

/**
 * Route of a request. Inference routes may stand behind any prefix: a provider's base URL has one, and agents can be told apart by theirs.
 * Anything else, also a known path with another method, is `other`.
 */
export function routeOf(method: string, target: string): RouteName {
  const path = target.split('?', 1)[0] ?? '';
  if (method === 'POST') {
    if (path.endsWith(TOKENIZER)) return 'tokenize';
    return inference.get(path) ?? inference.get(withoutPrefix(path)) ?? 'other';
  }
  if (method !== 'GET' && method !== 'HEAD') return 'other';
  return agent.get(path) ?? (path.startsWith('/v1/models/') ? 'models' : 'other');
}

function withoutPrefix(path: string): string {
  const version = path.lastIndexOf('/v1/');
  return version === -1 ? path : path.slice(version);
}
