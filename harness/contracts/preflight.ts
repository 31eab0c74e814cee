/** Checks before a run that the target answers and accepts the keys: a configuration error must not look like a violation. */

import type { Target } from '../../schemas/target.ts';
import { contractOf } from './index.ts';
import { BudgetSpent } from '../exchange/budget.ts';
import { isObject, jsonBody } from '../exchange/body.ts';
import { type Exchange, headerValue, mediaType } from '../exchange/exchange.ts';
import { TransportError } from '../exchange/repeating.ts';
import type { PlannedTarget } from '../runner/selection.ts';
import { type CheckResult, type ReportResult, noAccess } from '../drivers/checkup/lines.ts';
import { type Connection, connect } from '../drivers/connection.ts';
import type { Redactor } from '../exchange/redaction.ts';
import { type Problem, unreachableHint } from '../target/problem.ts';

/** Names of the target's keys that plain reads must accept, most important first. */
function generalKeys(target: Target): readonly string[] {
  const keys = Object.keys(target.keys);
  return contractOf(target.contract).keys.filter((name) => keys.includes(name));
}

const PROBE_TIMEOUT_MS = 10_000;

/** Opens a connection to the target that sends only reads and other requests that the contract calls harmless. */
export function connectForReading(planned: PlannedTarget): Connection {
  const { repeat, isHarmless } = contractOf(planned.target.contract);
  return connect(planned, {
    check: (method, path) => {
      if (method === 'GET' || isHarmless?.(method, path) === true) return;
      throw new Error(`${method} ${path} is no read`);
    },
    repeat,
    timeoutMs: PROBE_TIMEOUT_MS,
  });
}

/** Undefined when the run may begin. Sends a handful of reads. */
export async function preflight(
  planned: PlannedTarget,
  signal?: AbortSignal,
): Promise<Problem | undefined> {
  const { target } = planned;
  return reading(planned, signal, async (connection) => {
    // In parallel, so that the delay of a slow server does not add up over the keys.
    const tries = generalKeys(target).map(async (key) => tryKey(connection, target, key));
    const problems = await Promise.all(tries);
    return (
      problems.find((problem) => problem !== undefined) ??
      (await foreignTo(connection, target)) ??
      (await contractOf(target.contract).surroundings?.(target))
    );
  });
}

/** `plumbline check`: writes a line for each check as it ends; if no key is accepted, it stops there. */
export async function checkUp(
  planned: PlannedTarget,
  write: (line: CheckLine) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { target, folder } = planned;
  await reading(planned, signal, async (connection) => {
    const report: ReportResult = (subject, result) =>
      write(lineOf(subject, result, connection.redactor));
    const accepted: string[] = [];
    const keys = generalKeys(target);
    for (const key of keys) {
      const problem = await tryKey(connection, target, key);
      if (problem === undefined) accepted.push(key);
      else report(`keys.${key}`, noAccess(problem.problem, problem.hint));
    }
    if (keys.length > 0 && accepted.length === 0) return;
    const foreign = await foreignTo(connection, target);
    if (foreign === undefined) {
      await contractOf(target.contract).checkUp({ target, connection, accepted, folder }, report);
    } else report('baseUrl', noAccess(foreign.problem, foreign.hint));
  });
}

/** A line of `plumbline check`: a subject and its result. */
export type CheckLine = CheckResult & { readonly subject: string };

/** The line without secrets, since a target may echo a key in its responses. */
function lineOf(subject: string, result: CheckResult, redactor: Redactor): CheckLine {
  const clean = (text: string): string => redactor.text(text);
  const { mark } = result;
  if (mark === 'untried') return { mark, subject, reason: clean(result.reason) };
  if (mark === 'fits') return { mark, subject, note: result.note && clean(result.note) };
  const { problem, hint, blame } = result;
  return { mark, subject, problem: clean(problem), hint: clean(hint), blame };
}

/** Runs `read` with a connection to the target, and closes it at the end or when the signal aborts. */
async function reading<T>(
  planned: PlannedTarget,
  signal: AbortSignal | undefined,
  read: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = connectForReading(planned);
  const stop = (): void => connection.abort();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await read(connection);
  } finally {
    signal?.removeEventListener('abort', stop);
    await connection.close();
  }
}

/** Why the server is not a deployment of the contract; undefined after a transport problem, which proves nothing. */
async function foreignTo(connection: Connection, target: Target): Promise<Problem | undefined> {
  try {
    return await contractOf(target.contract).foreign?.(connection, target);
  } catch (error) {
    if (error instanceof TransportError || error instanceof BudgetSpent) return undefined;
    throw error;
  }
}

/** Sends the plain reads with one key; undefined when the target accepts it. The problem contains no secret. */
export async function tryKey(
  connection: Connection,
  target: Target,
  key: string,
): Promise<Problem | undefined> {
  const found = await readsWith(connection, target, key);
  const clean = (text: string): string => connection.redactor.text(text);
  return found && { problem: clean(found.problem), hint: clean(found.hint) };
}

async function readsWith(
  connection: Connection,
  target: Target,
  key: string,
): Promise<Problem | undefined> {
  try {
    const exchanges = await Promise.all(
      contractOf(target.contract).probes.map(async ({ path, query }) =>
        connection.httpClient.send({ method: 'GET', path, query, as: key }, () => {}),
      ),
    );
    const problem = problemOf(target, key, exchanges);
    // The probes failed, but the contract's own test for foreign servers may give a better explanation.
    return problem?.mayBeForeign === true
      ? ((await foreignTo(connection, target)) ?? problem)
      : problem;
  } catch (error) {
    if (error instanceof TransportError) return unreachable(target, error.exchange, error.message);
    if (error instanceof BudgetSpent) {
      const { host } = new URL(target.baseUrl);
      return {
        problem: `${host} did not answer before the budget was spent: ${error.message}.`,
        hint: 'The first reads alone take longer: give the run more time, or look why the service is slow.',
      };
    }
    throw error;
  }
}

/** The problem that all probes show: if only one operation is broken, the suite judges it. */
function problemOf(
  target: Target,
  key: string,
  exchanges: readonly Exchange[],
): (Problem & { readonly mayBeForeign?: true }) | undefined {
  const [first] = exchanges;
  if (first === undefined) return undefined;
  const lost = exchanges.find((exchange) => exchange.ending !== 'complete');
  if (lost !== undefined && exchanges.every((exchange) => exchange.ending !== 'complete')) {
    return unreachable(target, lost, lost.cause ?? lost.ending);
  }
  const all = (holds: (status: number, exchange: Exchange) => boolean): boolean =>
    exchanges.every((exchange) => holds(exchange.response?.status ?? 0, exchange));
  const at = first.request.url;
  const ofFront = all((_status, exchange) => isHtml(exchange))
    ? ' The answer is an HTML page: something in front of the service may have given it.'
    : '';
  if (all((status) => status === 401)) {
    return {
      problem: `${target.baseUrl} does not accept the key "${key}": ${at} answered 401.`,
      hint: `Check keys.${key} in the target file, and the environment variable that it names.${ofFront}`,
    };
  }
  if (all((status) => status === 403) && key !== 'forbidden') {
    return {
      problem: `${target.baseUrl} forbids the key "${key}" everything: ${at} answered 403.`,
      hint: `Use a key for keys.${key} that may read; one that policy refuses belongs under keys.forbidden.${ofFront}`,
    };
  }
  if (all((status) => status >= 300 && status < 400)) {
    const to = headerValue(first.response?.headers ?? [], 'location') ?? 'somewhere else';
    return {
      problem: `${at} redirects to ${to}, and a key is never sent along a redirect.`,
      hint: 'Set baseUrl in the target file to where the service really is.',
    };
  }
  if (all((status) => status >= 500)) {
    return {
      problem: `${at} answered ${first.response?.status} each time${exchanges.length > 1 ? ', and no other read fared better' : ''}.`,
      hint: 'The service seems to be down, or something else is at baseUrl; try again when it is up.',
      mayBeForeign: true,
    };
  }
  if (exchanges.length > 1 && all((status) => status === 404)) {
    return {
      problem: `${at} answered 404, and so did every other read that needs no id: nothing of this contract is there.`,
      hint: `Check the path of baseUrl in the target file; ${contractOf(target.contract).address.ending}.`,
    };
  }
  if (all((_status, exchange) => isForeign(exchange))) {
    return {
      problem: `${at} answered ${first.response?.status} with ${mediaType(first.response?.headers ?? []) ?? 'no media type'}, which is not this API: it looks like another web site.`,
      hint: `Check baseUrl in the target file; ${contractOf(target.contract).address.ending}.`,
      mayBeForeign: true,
    };
  }
  return undefined;
}

function isHtml({ response }: Exchange): boolean {
  return mediaType(response?.headers ?? []) === 'text/html';
}

/** Statuses with which a server says that nothing of this kind is there. */
const nothingThere: ReadonlySet<number> = new Set([404, 405, 421]);

/** True for a response that no server of this kind gives to a plain read: HTML, or without envelope that nothing is there. */
function isForeign(exchange: Exchange): boolean {
  if (isHtml(exchange)) return true;
  const body = jsonBody(exchange);
  const envelope = body.ok && isObject(body.value) && isObject(body.value['error']);
  return nothingThere.has(exchange.response?.status ?? 0) && !envelope;
}

/** Shortens a cause such as `ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:9` to `ECONNREFUSED`. */
function withoutRepeat(cause: string): string {
  const [, code = '', rest = ''] = /^([A-Z_]+): (.*)$/su.exec(cause) ?? [];
  return code !== '' && rest.includes(code) ? code : cause;
}

function unreachable(target: Target, exchange: Exchange, cause: string): Problem {
  const reason = exchange.cause ?? cause;
  return {
    problem:
      exchange.ending === 'complete'
        ? `${new URL(target.baseUrl).host} answered ${exchange.response?.status}: ${reason}.`
        : `${new URL(target.baseUrl).host} could not be reached: ${withoutRepeat(reason)}.`,
    hint: unreachableHint(target, exchange, reason),
  };
}
