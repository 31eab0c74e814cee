/** A request that is answered with an error of the contract. */

import type { HeaderLine } from '../http/reply.ts';

export const errorCodes = {
  400: 'VALIDATION_ERROR',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_ERROR',
} as const;

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly headers: readonly HeaderLine[];

  constructor(status: number, code: string, message: string, headers: readonly HeaderLine[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** 400: the request is malformed, or a parameter is not what it may be. */
export function invalid(message: string): Refusal {
  return new Refusal(400, errorCodes[400], message);
}

/** 404, the same for what does not exist and for what the caller may not see. */
export function notFound(): Refusal {
  return new Refusal(404, errorCodes[404], 'There is no such resource.');
}
