/** What the router knows of the request that it works on. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Capability, KeyEntry } from './deployment.ts';

export type RouteFamily = 'models' | 'model' | 'native' | 'proxy' | 'admin';

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly family: RouteFamily;
  readonly capability?: Capability;
  /** Whether the route writes text, and so spends output tokens. */
  readonly generates?: boolean;
}

/** How far a request has come; a passed deadline tells it. */
export type Stage = 'receiving' | 'admission' | 'queue' | 'agent-wait' | 'agent' | 'provider';

export interface RequestContext {
  readonly requestId: string;
  /** Counts the requests of this router from 1. */
  readonly sequence: number;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** What stands behind the path, without question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly arrivedAt: number;
  readonly route: Route | undefined;
  key: KeyEntry | undefined;
  model: string | undefined;
  /** The client asked for a stream. */
  stream: boolean;
  stage: Stage;
  /** Name of the agent that answered. */
  agent: string | undefined;
  /** Once it is parsed. */
  body: RequestBody | undefined;
  /** What an engine answered at the last try, where that was no success. */
  engineError: EngineError | undefined;
}

/** A request body after parsing. */
export type RequestBody = Readonly<Record<string, unknown>>;

/** An answer of an engine that is no success. */
export interface EngineError {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Undefined where the bytes are no JSON. */
  readonly json: unknown;
}

/** How a request ended, for whoever held something for it. */
export type Ending = 'success' | 'refused' | 'failed' | 'timeout' | 'hang-up' | 'stream-failed';

/** What a request can hold while it runs. */
export type Holding = 'processor' | 'slot' | 'inflight' | 'occupancy' | 'share';
