/** Codes: the table of codes with status and source. */

import type { ErrorSource } from './envelope.ts';

export interface CodeRow {
  readonly statuses: readonly number[];
  readonly sources: readonly ErrorSource[];
  /** True where the document says only what the source usually is. */
  readonly usually?: true;
}

/** The code table (router#codes), the bare 413 left out: it has no code. */
export const codeTable = {
  request_invalid: { statuses: [400], sources: ['router'] },
  context_length_exceeded: { statuses: [400], sources: ['backend'] },
  invalid_parameter: { statuses: [400], sources: ['backend'], usually: true },
  input_too_long: { statuses: [400], sources: ['router'] },
  unauthorized: { statuses: [401], sources: ['router'] },
  model_forbidden: { statuses: [403], sources: ['router'] },
  model_not_found: { statuses: [404], sources: ['router'] },
  rate_limit_exceeded: { statuses: [429], sources: ['router'] },
  token_limit_exceeded: { statuses: [429], sources: ['router'] },
  concurrency_limit_exceeded: { statuses: [429], sources: ['router'] },
  no_agents_available: { statuses: [503], sources: ['router'] },
  no_capacity: { statuses: [503], sources: ['router'] },
  agent_disconnected: { statuses: [503], sources: ['router'] },
  backend_unavailable: { statuses: [503], sources: ['backend'] },
  queue_full: { statuses: [503], sources: ['router'] },
  backend_error: { statuses: [500, 502], sources: ['router', 'backend'] },
  request_timeout: { statuses: [504], sources: ['router'] },
} as const satisfies Readonly<Record<string, CodeRow>>;

export type RouterCode = keyof typeof codeTable;
/** Codes whose source the table fixes; that of backend_error may be either. */
export type SourcedCode = Exclude<RouterCode, 'backend_error'>;

/** Whether `code` stands in the code table. */
export function isRouterCode(code: string): code is RouterCode {
  return Object.hasOwn(codeTable, code);
}
