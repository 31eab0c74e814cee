/** Functions that router faults are built from: they select requests and responses, and change responses. */

import { isDeepStrictEqual } from 'node:util';
import { type Dispatch, errorObject, jsonIn, memberOf, type RequestContext } from '../model.ts';
import { faultLanguage, type Patch as PatchOf } from '../../fault.ts';
import type { RouterRules } from '../rules/rules.ts';
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

export type When = (reply: Reply, context: RequestContext) => boolean;

/** Changes the responses for which `when` holds, just before they are written. */
export function answering(
  when: When,
  change: (reply: Reply, context: RequestContext) => Reply,
): Patch {
  return (rules) => ({
    answer: (reply, context) => {
      const plain = rules.answer(reply, context);
      return when(plain, context) ? change(plain, context) : plain;
    },
  });
}

/** Properties by which a request is selected. */
interface Wanted {
  readonly path?: string;
  readonly stream?: boolean;
  readonly model?: string;
  /** Name of its key. */
  readonly key?: string;
  readonly family?: string;
}

/** A condition for any rule or response: true if the request among the arguments has these properties. */
export function on(wanted: Wanted): (...args: readonly unknown[]) => boolean {
  return (...args) => {
    const context = contextIn(args);
    const { path, stream, model, key, route } = context;
    const said = { path, stream, model, key: key?.name, family: route?.family };
    return isDeepStrictEqual({ ...said, ...wanted }, said);
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

export const onChat = on({ path: '/v1/chat/completions' });
export const onMessages = on({ path: '/v1/messages' });
export const onPair = on({ model: 'scripted-pair' });
export const asStream = on({ stream: true });

/** True if the path of the request matches `pattern`. */
export function onPath(pattern: RegExp): When {
  return (_reply, context) => pattern.test(context.path);
}

/** The error object of a response, or an empty object. */
export function errorIn(reply: Reply): Readonly<Record<string, unknown>> {
  return { ...errorObject(jsonIn(Buffer.from(reply.body))) };
}

/** True for errors with this code. */
export function withCode(code: string): When {
  return (reply) => reply.status >= 400 && errorIn(reply)['code'] === code;
}

export function every(...conditions: readonly When[]): When {
  return (reply, context) => conditions.every((holds) => holds(reply, context));
}

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

/** Replaces a response with a refusal. Keeps its headers. */
export function refusal(
  reply: Reply,
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const error = { code, message: code, source: 'router' };
  const lines = { 'Content-Type': 'application/json', ...headers };
  // The previous Retry-After does not apply to this refusal.
  const plain = withHeader(withBody(reply, { error }, status), 'Retry-After', undefined);
  return Object.entries(lines).reduce(
    (changed, [name, value]) => withHeader(changed, name, value),
    plain,
  );
}

/** True for requests with a maximum output, in either member. */
export function namesMaximum({ body }: RequestContext): boolean {
  return (body?.['max_tokens'] ?? body?.['max_completion_tokens']) !== undefined;
}

export type RequestTest = (context: RequestContext) => boolean;

export const isProxy = on({ family: 'proxy' });

export const isModels: RequestTest = ({ path }) => path.startsWith('/v1/models');

export const after =
  (status: number) =>
  ({ engineError }: RequestContext): boolean =>
    engineError?.status === status;

/** Chooses some codes before the rules do. */
export function deciding(
  choose: (
    type: string | undefined,
    status: number,
    speaks: boolean,
    context: RequestContext,
  ) => string | undefined,
): Patch {
  return replace(
    'codeOf',
    (original, type, status, speaks, context) =>
      choose(type, status, speaks, context) ?? original(type, status, speaks, context),
  );
}

/** The error type that an engine names, recognized or not. */
export function typeSaid(json: unknown): string | undefined {
  const type = memberOf(errorObject(json), 'type') ?? memberOf(json, 'type');
  return typeof type === 'string' ? type : undefined;
}

export const isRefusal: When = (reply) => reply.status === 401;

/** Changes what is sent to the engine. */
export function forwarding(
  where: (context: RequestContext) => boolean,
  change: (dispatch: Dispatch) => Partial<Dispatch>,
) {
  return amend('forward', (dispatch, _sent, context) =>
    where(context) ? { ...dispatch, ...change(dispatch) } : dispatch,
  );
}

/** The body with some of its members only. */
export function withMembers(body: Uint8Array, keeps: (name: string) => boolean): Uint8Array {
  const members = Object.entries(jsonIn(Buffer.from(body)) ?? {}).filter(([name]) => keeps(name));
  return Buffer.from(JSON.stringify(Object.fromEntries(members)));
}

export const hasStatus =
  (status: number): When =>
  (reply) =>
    reply.status === status;

export const REQUESTS = 'X-RateLimit-Remaining-Requests';

export const TOKENS = 'X-RateLimit-Remaining-Tokens';

export const DONE = 'data: [DONE]\n\n';

/** Bytes of a buffer that is too small for a large response. */
export const SMALL_BUFFER = 65_536;

/** Drops what exceeds the buffer. */
export function cut(when: (context: RequestContext) => boolean): Patch {
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
export function unfinished(when: (context: RequestContext) => boolean): Patch {
  return amend('endsInOrder', (inOrder, context) => inOrder && !when(context));
}
