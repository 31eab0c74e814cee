/** The connection to one target, which sessions of both contracts share. */

import { setMaxListeners } from 'node:events';
import { requirementsOf } from '../../schemas/contracts.ts';
import type { Target } from '../../schemas/target.ts';
import { Budget } from '../exchange/budget.ts';
import { HttpClient } from '../exchange/client.ts';
import type { RepeatPolicy } from '../exchange/repeating.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { Semaphore } from '../exchange/semaphore.ts';
import { Redactor } from '../exchange/redaction.ts';
import { traceparent } from '../exchange/outgoing.ts';
import { type Network, proxyFor } from '../exchange/network.ts';
import { createTransport } from '../exchange/transport.ts';
import { Locks } from '../runner/locks.ts';
import type { SuiteSession } from '../runner/run-case.ts';
import type { PlannedTarget } from '../runner/selection.ts';
import { type MissingNeed, missingNeeds } from '../target/offers.ts';
import { certificatesOf } from '../target/headers.ts';
import { Secret } from '../target/keys.ts';

/** Milliseconds that an ordinary request may take. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Largest response body that is kept, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

export interface Connection {
  readonly httpClient: HttpClient;
  readonly budget: Budget;
  /** Places for concurrent requests at the target, both short ones and those that are held there. */
  readonly sharedPlaces: Semaphore;
  readonly locks: Locks;
  readonly permits: Semaphore;
  readonly redactor: Redactor;
  readonly keys: ReadonlyMap<string, Secret>;
  /** Fires when the run ends. */
  readonly signal: AbortSignal;
  readonly missing: SuiteSession<unknown>['missing'];
  /** Ends everything that is under way. */
  readonly abort: () => void;
  close(): Promise<void>;
}

/** Connects to a target. `check` throws for a request that must not be sent, `repeat` decides whether one is repeated. */
export function connect(
  planned: PlannedTarget,
  rules: {
    readonly check: (method: string, path: string) => void;
    readonly repeat: RepeatPolicy;
    readonly mayBeFromProxy?: (exchange: Exchange) => boolean;
    readonly timeoutMs?: number;
    /** Requests that the target processes at once (default unlimited). */
    readonly worksOn?: number | undefined;
  },
): Connection {
  const { target } = planned;
  const keys = new Map(
    Object.entries(planned.secrets).map(([name, value]) => [
      name,
      new Secret(name.startsWith('header:') ? name : `key:${name}`, value),
    ]),
  );
  const headers = Object.entries(target.headers ?? {}).map(
    ([name, value]) => [name, keys.get(value) ?? value] as const,
  );
  const network = networkOf(planned);
  const ending = new AbortController();
  // Every request that waits for its turn listens to the signal, so many listeners are no leak.
  setMaxListeners(0, ending.signal);
  const sharedPlaces = new Semaphore({
    short: target.budget.concurrency,
    all: rules.worksOn,
  });
  const budget = new Budget(target.budget, sharedPlaces);
  const transport = createTransport(network);
  const httpClient = new HttpClient({
    contract: target.contract,
    target: target.name,
    baseUrl: target.baseUrl,
    keys,
    budget,
    transport: transport.send,
    network,
    extraHeaders: ({ untraced = false }) =>
      target.traceparent && !untraced ? [...headers, ['traceparent', traceparent()]] : headers,
    check: rules.check,
    repeat: rules.repeat,
    mayBeFromProxy: rules.mayBeFromProxy,
    timeoutMs: rules.timeoutMs ?? REQUEST_TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal: ending.signal,
  });
  return {
    httpClient,
    budget,
    sharedPlaces,
    locks: new Locks(),
    permits: new Semaphore({ short: Math.max(2, target.budget.concurrency) }),
    redactor: new Redactor([...keys.values()].flatMap(withWords)),
    keys,
    signal: ending.signal,
    missing: (requirements, needs) => missingOf(target, requirements, needs),
    abort: () => ending.abort(new Error('the run was interrupted')),
    close: () => transport.close(),
  };
}

/** A secret, and the last word of one like `Basic …`, since a server may echo that alone. */
function withWords(secret: Secret): readonly Secret[] {
  const [, last] = /\s(\S+)$/u.exec(secret.reveal()) ?? [];
  return last === undefined ? [secret] : [secret, new Secret(secret.name, last)];
}

/** Needs of the requirements and the case that the target file does not meet. */
export function missingOf(
  target: Target,
  requirements: readonly string[],
  needs: readonly string[],
): readonly MissingNeed[] {
  return missingNeeds(target, needsOf(target, requirements, needs));
}

/** Everything that the requirements and the case need. */
export function needsOf(
  { contract }: Target,
  requirements: readonly string[],
  needs: readonly string[],
): readonly string[] {
  const wanted = new Set(requirements);
  const required = requirementsOf(contract)
    .filter((requirement) => wanted.has(requirement.id))
    .flatMap((requirement) => requirement.needs ?? []);
  return [...required, ...needs];
}

/** The way to a target: its certificates, and the proxy that the environment names. */
export function networkOf({ target, folder }: PlannedTarget): Network {
  return { tls: certificatesOf(target, folder), proxy: proxyFor(new URL(target.baseUrl)) };
}
