/** What an engine understands of a request; everything that is missing or of a wrong type counts as not given. */

import type { RouteName } from '../route.ts';

export interface EngineRequest {
  readonly route: RouteName;
  /** The body if it is a JSON object, else null. */
  readonly json: Readonly<Record<string, unknown>> | null;
  readonly bodyLength: number;
}

export function readRequest(route: RouteName, body: Buffer): EngineRequest {
  return { route, json: parsed(body), bodyLength: body.length };
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function modelOf(request: EngineRequest): string {
  const model = request.json?.['model'];
  return typeof model === 'string' ? model : 'scripted-chat';
}

export function wantsStream(request: EngineRequest): boolean {
  return request.json?.['stream'] === true;
}

export function wantsStreamUsage(request: EngineRequest): boolean {
  const options = request.json?.['stream_options'];
  return isObject(options) && options['include_usage'] === true;
}

/** The most output tokens asked for, Infinity if none are. */
export function maximumOutput(request: EngineRequest): number {
  const maximum = request.json?.['max_completion_tokens'] ?? request.json?.['max_tokens'];
  return typeof maximum === 'number' && maximum >= 0 ? maximum : Number.POSITIVE_INFINITY;
}
