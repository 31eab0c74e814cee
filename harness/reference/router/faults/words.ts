/** What router faults are built from: conditions on requests and responses, and ways to break what the rules decide. */

import { isDeepStrictEqual } from 'node:util';
import { type Dispatch, errorObject, jsonIn, memberOf, type RequestContext } from '../model.ts';
import { faultLanguage, type Patch as PatchOf, type Rows } from '../../fault.ts';
import { CODES, FORWARDED_FAILURE, type RouterRules } from '../rules/rules.ts';
import { type Reply, withHeader } from '../../http.ts';

export type Patch = PatchOf<RouterRules>;

export const {
  replace,
  forces,
  fails,
  amend,
  before,
  rows,
  gathered,
  each,
  nowAndThen,
  chained,
  faultTable,
} = faultLanguage<RouterRules>();

export type RequestTest = (context: RequestContext) => boolean;
export type When = (reply: Reply, context: RequestContext) => boolean;
type Change = (reply: Reply, context: RequestContext) => Reply;
/** A condition for any rule or response: it finds the request, and the response, among the arguments. */
type Condition = (...args: readonly unknown[]) => boolean;

export const CHAT = '/v1/chat/completions';
export const MESSAGES = '/v1/messages';
export const REQUEST_ID = 'X-Request-ID';
export const REQUESTS = 'X-RateLimit-Remaining-Requests';
export const TOKENS = 'X-RateLimit-Remaining-Tokens';
export const RETRY_AFTER = 'Retry-After';
export const CHALLENGE = 'WWW-Authenticate';
export const DONE = 'data: [DONE]\n\n';
/** Bytes of a buffer that is too small for a large response. */
export const SMALL_BUFFER = 65_536;

/** Properties by which a request, or the response to it, is selected. */
interface Wanted {
  readonly path?: string | RegExp;
  readonly stream?: boolean;
  readonly model?: string;
  /** Name of its key. */
  readonly key?: string;
  readonly family?: string;
  /** Status and error code of the response. */
  readonly status?: number;
  readonly code?: string;
}

/** True if the request and the response have these properties. */
export function on({ path: place, ...wanted }: Wanted): Condition {
  return (...args) => {
    const { path, stream, model, key, route } = contextIn(args);
    if (place instanceof RegExp ? !place.test(path) : place !== undefined && place !== path)
      return false;
    const reply = args.find(isReply);
    const said = { stream, model, key: key?.name, family: route?.family, status: reply?.status };
    const code = wanted.code === undefined || !reply ? undefined : codeIn(reply);
    return isDeepStrictEqual({ ...said, code, ...wanted }, { ...said, code });
  };
}

/** Finds the request among the arguments of a rule. */
export function contextIn(args: readonly unknown[]): RequestContext {
  const context = args.find(isContext);
  if (context === undefined) throw new Error('A rule was not told of its request.');
  return context;
}

function isContext(value: unknown): value is RequestContext {
  return typeof value === 'object' && value !== null && 'requestId' in value && 'sequence' in value;
}

function isReply(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && 'status' in value && 'body' in value;
}

/** The error object of a response, or an empty object. */
export function errorIn(reply: Reply): Readonly<Record<string, unknown>> {
  return { ...errorObject(jsonIn(Buffer.from(reply.body))) };
}

function codeIn(reply: Reply): unknown {
  return reply.status >= 400 ? errorIn(reply)['code'] : undefined;
}

export function every(...conditions: readonly When[]): When {
  return (reply, context) => conditions.every((holds) => holds(reply, context));
}

export const onChat = on({ path: CHAT });
export const onMessages = on({ path: MESSAGES });
export const onPair = on({ model: 'scripted-pair' });
export const isProxy = on({ family: 'proxy' });
export const isModels = on({ path: /^\/v1\/models/u });
export const isAdmin = on({ path: /^\/admin\//u });
export const asStream = on({ stream: true });
export const always = (): boolean => true;
/** True for refusals of the key with the small request bucket. */
export const isEmptyBucket = on({ status: 429, key: 'requestsPerMinute' });
export const isError: When = ({ status }) => status >= 400;
export const isSuccess: When = ({ status }) => status >= 200 && status < 300;
export const isWhole = on({ status: 200, stream: false });

/** Kinds of requests that a router may forget, with their names in those of faults. */
export const kinds = [
  ['streams', on({ stream: true, path: CHAT })],
  ['messages', onMessages],
] as const;

export const after =
  (status: number) =>
  ({ engineError }: RequestContext): boolean =>
    engineError?.status === status;

/** The error type that an engine names, recognized or not. */
export function typeSaid(json: unknown): string | undefined {
  const type = memberOf(errorObject(json), 'type') ?? memberOf(json, 'type');
  return typeof type === 'string' ? type : undefined;
}

/** True for requests with a maximum output, in either member. */
export function namesMaximum({ body }: RequestContext): boolean {
  return (body?.['max_tokens'] ?? body?.['max_completion_tokens']) !== undefined;
}

/** The maximum output that a request asks for. */
export const askedBy = ({ body }: RequestContext): number => Number(body?.['max_tokens'] ?? 0);

export const hasBudget = ({ key }: RequestContext): boolean => key?.tokensPerDay !== undefined;

/** The same headers with another body: a string as it is, any other value as JSON. */
export function withBody(reply: Reply, value: unknown, status = reply.status): Reply {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  return { ...reply, status, body };
}

/** The same response with some members of its error replaced, and optionally another status. */
export function withError(
  reply: Reply,
  fields: Readonly<Record<string, unknown>>,
  status = reply.status,
): Reply {
  return withBody(reply, { error: { ...errorIn(reply), ...fields } }, status);
}

/** Replaces a response with a refusal that has the status and the Retry-After of its code. Keeps the other headers. */
export function refusal(
  reply: Reply,
  code: string,
  headers: Readonly<Record<string, string>> = {},
  status = CODES[code]?.[0] ?? FORWARDED_FAILURE,
): Reply {
  const error = { code, message: code, source: 'router' };
  const waits = code === 'concurrency_limit_exceeded' ? '1' : undefined;
  const plain = withHeader(withBody(reply, { error }, status), RETRY_AFTER, waits);
  return Object.entries({ 'Content-Type': 'application/json', ...headers }).reduce(
    (changed, [name, value]) => withHeader(changed, name, value),
    plain,
  );
}

/** Changes the responses for which `when` holds, just before they are written. */
export function answering(when: When, change: Change): Patch {
  return amend('answer', (plain, _reply, context) =>
    when(plain, context) ? change(plain, context) : plain,
  );
}

/** Changes the responses of each row in the same way. */
export const answers = (change: Change, table: Rows<When>) =>
  rows((when: When) => answering(when, change), table);

/** Answers those of each row with another refusal. */
export const refused = (code: string, table: Rows<When>) =>
  answers((reply) => refusal(reply, code), table);

type HeaderOf = (reply: Reply, context: RequestContext) => string | undefined;

/** Gives those of each row a header with this value or, for undefined, leaves it out. */
export const headed = (name: string, value: string | undefined | HeaderOf, table: Rows<When>) =>
  answers((reply, context) => {
    const written = typeof value === 'function' ? value(reply, context) : value;
    return withHeader(reply, name, written);
  }, table);

/** Builds a patch with a condition: a rule was called for the request with arguments for which `test` holds. */
export function once<K extends keyof RouterRules>(
  rule: K,
  test: (...args: Parameters<Parameters<typeof before<K>>[1]>) => boolean,
  patch: (wasSo: Condition) => Patch,
): Patch {
  return (rules) => {
    const seen = new WeakSet<RequestContext>();
    const watching = before(rule, (...args) => {
      if (test(...args)) seen.add(contextIn(args));
    });
    return chained(
      watching,
      patch((...args) => seen.has(contextIn(args))),
    )(rules);
  };
}

/** Chooses some codes before the rules do. */
export function deciding(
  choose: (...args: Parameters<RouterRules['codeOf']>) => string | undefined,
): Patch {
  return replace('codeOf', (original, ...args) => choose(...args) ?? original(...args));
}

/** Changes what is sent to the engine. */
export function forwarding(where: RequestTest, change: (dispatch: Dispatch) => Partial<Dispatch>) {
  return amend('forward', (dispatch, _sent, context) =>
    where(context) ? { ...dispatch, ...change(dispatch) } : dispatch,
  );
}

/** The body with some of its members only. */
export function withMembers(body: Uint8Array, keeps: (name: string) => boolean): Uint8Array {
  const members = Object.entries(jsonIn(Buffer.from(body)) ?? {}).filter(([name]) => keeps(name));
  return Buffer.from(JSON.stringify(Object.fromEntries(members)));
}

/** Drops what exceeds the buffer. */
export function cut(when: RequestTest): Patch {
  return (rules) => {
    const written = new WeakMap<RequestContext, number>();
    return amend('streamPiece', (plain, _piece, _index, context) => {
      const sent = written.get(context) ?? 0;
      written.set(context, sent + plain.length);
      return when(context) ? plain.subarray(0, Math.max(0, SMALL_BUFFER - sent)) : plain;
    })(rules);
  };
}

/** Closes the connection before the end of the body. */
export function unfinished(when: RequestTest): Patch {
  return amend('endsInOrder', (inOrder, context) => inOrder && !when(context));
}
