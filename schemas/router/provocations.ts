/** Codes: how single codes are brought about. The limits and the engines have sections of their own. */

import { routerSection } from './section.ts';

export const provocationRequirements = routerSection('codes', {
  'malformed-json-chat': {
    clause: 'router#codes/request_invalid',
    strength: 'stated',
    statement: 'A chat completion whose body is not JSON is request_invalid.',
  },
  'malformed-json-proxy': {
    clause: 'router#codes/request_invalid',
    strength: 'stated',
    statement: 'On each transparent proxy route a body that is not JSON is request_invalid.',
  },
  'empty-body-chat': {
    clause: 'router#codes/request_invalid',
    strength: 'stated',
    statement: 'A chat completion with an empty body is request_invalid.',
  },
  'empty-body-proxy': {
    clause: 'router#codes/request_invalid',
    strength: 'stated',
    statement: 'On each transparent proxy route an empty body is request_invalid.',
  },
  'missing-model-chat': {
    clause: 'router#endpoints/model-required',
    strength: 'stated',
    statement: 'A chat completion without `model` is request_invalid.',
  },
  'missing-model-proxy': {
    clause: 'router#endpoints/model-required',
    strength: 'stated',
    statement: 'On each transparent proxy route a body without `model` is request_invalid.',
  },
  'model-not-text': {
    clause: 'router#endpoints/model-required',
    strength: 'implied',
    statement: 'A `model` that is a number, null, a list or an object is request_invalid.',
  },
  'body-not-object': {
    clause: 'router#endpoints/model-required',
    strength: 'stated',
    statement: 'A body that is JSON but no object is request_invalid.',
  },
  'invalid-utf-8': {
    clause: 'router#codes/request_invalid',
    strength: 'implied',
    statement: 'A body that is not valid UTF-8 is request_invalid, unless it is read all the same.',
  },
  'request-invalid-reaches-no-engine': {
    clause: 'router#codes/request_invalid',
    strength: 'stated',
    statement: 'A chat request for a served model that is malformed reaches no engine.',
    needs: ['backend', 'models.chat'],
  },
  'capability-mismatch': {
    clause: 'router#codes/request_invalid',
    strength: 'stated',
    statement:
      'A model used for what its engine cannot do is request_invalid or no_agents_available.',
    judged:
      'an embedding model on the chat route, a chat model on the routes that embed and rank; an engine that answers all the same proves nothing',
    needs: ['backend', 'models.embedding'],
  },
  'duplicate-members': {
    clause: 'router#codes/request_invalid',
    strength: 'open',
    statement: 'What a body with the member `model` twice leads to.',
  },
  'deep-nesting': {
    clause: 'router#codes/request_invalid',
    strength: 'open',
    statement: 'What a very deeply nested body leads to.',
  },
  'unreadable-fields': {
    clause: 'router#codes/request_invalid/agent',
    strength: 'open',
    statement: 'What fields of a wrong type lead to that a router need not read and an agent may.',
  },
  'model-empty': {
    clause: 'router#endpoints/model-required',
    strength: 'open',
    statement: 'Whether an empty `model` counts as missing or as unknown.',
  },
  'unknown-model-chat': {
    clause: 'router#codes/model_not_found',
    strength: 'stated',
    statement: 'A chat completion for a model that no agent registers is model_not_found.',
  },
  'unknown-model-proxy': {
    clause: 'router#codes/model_not_found',
    strength: 'stated',
    statement: 'On each transparent proxy route an unregistered model is model_not_found.',
  },
  'unknown-model-detail': {
    clause: 'router#codes/model_not_found',
    strength: 'stated',
    statement: 'The detail of a model that no agent registers is model_not_found.',
  },
  'model-id-exact': {
    clause: 'router#codes/model_not_found',
    strength: 'stated',
    statement:
      'An id that differs from a listed one by case, or by what stands before or behind it, is model_not_found.',
    judged: 'only with an id that the list does not show',
  },
  'no-agents-available': {
    clause: 'router#codes/no_agents_available',
    strength: 'stated',
    statement: 'A registered model without an eligible agent is no_agents_available.',
    needs: ['models.noAgents'],
  },
  'agent-gone': {
    clause: 'router#codes/agent_disconnected',
    strength: 'stated',
    statement:
      'A model whose only agent cannot be reached is agent_disconnected or no_agents_available.',
    judged: 'a model_not_found shows nothing: whether a registration outlives its agent is open',
    needs: ['models.agentGone'],
  },
  'dead-backend': {
    clause: 'router#codes/backend_unavailable',
    strength: 'stated',
    statement:
      'An engine that cannot be reached shows as backend_unavailable or as the end of retries.',
    judged:
      'backend_unavailable, no_agents_available or no_capacity; a model_not_found shows nothing, as the agent may register it no more',
    needs: ['models.deadBackend'],
  },
  'agent-gone-final-code': {
    clause: 'router#retry-behaviour/4',
    strength: 'open',
    statement: 'With which code an unreachable agent comes out.',
    needs: ['models.agentGone'],
  },
  'dead-backend-final-code': {
    clause: 'router#retry-behaviour/4',
    strength: 'open',
    statement: 'With which code an unreachable engine comes out.',
    needs: ['models.deadBackend'],
  },
});
