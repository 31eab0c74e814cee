/** Variants in what a router makes of the answers and errors of engines. */

import type { RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import { errorObject, jsonIn, memberOf } from '../json.ts';
import { choosing, deciding } from './variant.ts';

export const engineErrorVariants = [
  deciding(
    'proxied-errors-wrapped-at-once',
    'Wraps what an engine answers on a proxy route at once.',
    (rules) => {
      const wrapped = new WeakSet<RequestContext>();
      return {
        ...rules,
        wrapCode: (status, text, context) => {
          wrapped.add(context);
          return rules.wrapCode(status, text, context);
        },
        stops: (code, context) => wrapped.delete(context) || rules.stops(code, context),
      };
    },
  ),
  deciding(
    'errors-read-as-far-as-they-are-kept',
    'Knows a message by its name alone, reads 512 bytes of any other error, and says whose words they are.',
    (rules) => ({
      ...rules,
      messageIn: (json) => {
        const named = [memberOf(errorObject(json), 'message'), memberOf(json, 'message')];
        return named.filter((message) => typeof message === 'string').find((text) => text !== '');
      },
      speaksOfContext: (text, context) => rules.speaksOfContext(text.slice(0, 512), context),
      envelope: (failure, source, context) => {
        const said = `An engine said: ${failure.message} (north)`;
        const introduced = new RouterFailure(failure.code, said, failure.detail);
        return rules.envelope(source === 'backend' ? introduced : failure, source, context);
      },
    }),
  ),
  choosing(
    'streams-begin-and-end-by-themselves',
    'Begins a stream before its engine has answered, and ends one in an orderly way whatever came of it.',
    { beginsInSilenceAfterMs: 0, streamFailure: 'end' },
  ),
  deciding(
    'answers-remembered',
    'Answers the same chat request a second time from memory.',
    (rules) => {
      const asked = new WeakMap<RequestContext, string>();
      const answers = new Map<string, Buffer>();
      return {
        ...rules,
        remembered: (bytes, context) => {
          if (context.path !== '/v1/chat/completions' || context.stream) return undefined;
          const question = `${context.key?.name} ${Buffer.from(bytes).toString('utf8')}`;
          asked.set(context, question);
          return answers.get(question);
        },
        answer: (reply, context) => {
          const question = asked.get(context);
          const isJson = jsonIn(Buffer.from(reply.body)) !== undefined;
          if (question !== undefined && reply.status === 200 && isJson)
            answers.set(question, Buffer.from(reply.body));
          return rules.answer(reply, context);
        },
      };
    },
  ),
] as const;
