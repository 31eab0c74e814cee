/** Building replies: the headers of every response, and errors in their three forms. */

import type { HeaderLine, Reply } from '../http/reply.ts';
import type { RouterChoices } from './choices.ts';
import type { RequestContext } from './context.ts';
import type { RouterFailure } from './failure.ts';
import type { Remaining } from './rules/answer.ts';
import type { RouterRules } from './rules/rules.ts';

const JSON_TYPE = 'application/json';

export class Replies {
  readonly #rules: RouterRules;
  readonly #choices: RouterChoices;
  readonly #remaining: (context: RequestContext) => Remaining;

  constructor(
    rules: RouterRules,
    choices: RouterChoices,
    remaining: (context: RequestContext) => Remaining,
  ) {
    this.#rules = rules;
    this.#choices = choices;
    this.#remaining = remaining;
  }

  json(context: RequestContext, value: unknown): Reply {
    return this.whole(
      context,
      200,
      [['Content-Type', JSON_TYPE]],
      Buffer.from(JSON.stringify(value)),
    );
  }

  /** A body as it is, or with an empty one the head of a stream. */
  whole(
    context: RequestContext,
    status: number,
    describing: readonly HeaderLine[],
    body: Uint8Array,
  ): Reply {
    const headers: HeaderLine[] = [
      ...describing,
      ...this.#common(context),
      ...this.#rules.rateHeaders(this.#remaining(context), status, undefined, context),
    ];
    return this.#rules.answer({ status, headers, body }, context);
  }

  /** An error of a known route (envelope). */
  failure(context: RequestContext, failure: RouterFailure): Reply {
    const status = this.#rules.statusOf(failure, context);
    const body =
      context.route?.family === 'admin'
        ? this.#rules.adminEnvelope(failure, context)
        : this.#rules.envelope(failure, this.#rules.sourceOf(failure, context), context);
    const challenge = status === 401 ? this.#rules.challenge(context) : undefined;
    const retryAfter = this.#rules.retryAfter(failure, context);
    const headers: HeaderLine[] = [
      ['Content-Type', this.#choices.errorContentType],
      ...this.#common(context),
      ...(challenge === undefined ? [] : [['WWW-Authenticate', challenge] as const]),
      ...(retryAfter === undefined ? [] : [['Retry-After', retryAfter] as const]),
      ...this.#rules.rateHeaders(this.#remaining(context), status, failure, context),
    ];
    return this.#rules.answer(
      { status, headers, body: Buffer.from(JSON.stringify(body)) },
      context,
    );
  }

  /** The 413 of a body over the limit; neither body nor code are promised. */
  oversize(context: RequestContext): Reply {
    const form = this.#choices.oversize === 'reset' ? 'empty' : this.#choices.oversize;
    return this.#bare(context, 413, form, 'the request body is too large');
  }

  /** The 404 of a path that no route has. */
  unregistered(context: RequestContext, status: 404 | 405 = 404): Reply {
    return this.#bare(context, status, this.#choices.notFound, 'not found');
  }

  #bare(
    context: RequestContext,
    status: number,
    form: 'json' | 'plain' | 'empty',
    text: string,
  ): Reply {
    const body = { json: JSON.stringify({ error: text }), plain: `${text}\n`, empty: '' }[form];
    const type = form === 'json' ? JSON_TYPE : 'text/plain; charset=utf-8';
    const headers: HeaderLine[] = [
      ...(form === 'empty' ? [] : [['Content-Type', type] as const]),
      ...this.#common(context),
    ];
    return this.#rules.answer({ status, headers, body: Buffer.from(body) }, context);
  }

  #common(context: RequestContext): HeaderLine[] {
    const trace = this.#rules.traceparent(context.headers);
    return [
      ['X-Request-ID', context.requestId],
      ...(trace === undefined ? [] : [['traceparent', trace] as const]),
      ...this.#choices.extraHeaders,
    ];
  }
}
