/**
 * What a chat engine wrote, apart from how a router writes it down. The native route is no transparent proxy: nothing
 * says whose ids, names and members stand around the output, nor in how many events it comes.
 */

import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, violated, type Judgement } from '../judgement.ts';
import type { StreamEvent } from './event-stream.ts';
import { isSuccess } from './success.ts';

export interface ChatOutput {
  /** The text of each choice, by its index. */
  readonly texts: ReadonlyMap<unknown, string>;
  /** Everything else that was said, in order: why choices ended, and events that are no chunk. */
  readonly rest: readonly string[];
}

/** The output in the events of a chat stream. */
export function outputOf(events: readonly StreamEvent[]): ChatOutput {
  const texts = new Map<unknown, string>();
  const rest: string[] = [];
  for (const { event, data } of events) {
    const choices = choicesIn(data);
    if (choices === undefined) rest.push(`${event ?? 'message'}: ${data}`);
    for (const choice of choices ?? []) {
      const { index, delta, finish_reason: reason } = isObject(choice) ? choice : {};
      const content = isObject(delta) ? delta['content'] : undefined;
      if (typeof content === 'string') texts.set(index, (texts.get(index) ?? '') + content);
      if (typeof reason === 'string') rest.push(`${String(index)} ended: ${reason}`);
    }
  }
  return { texts, rest };
}

/** Whether the output `part` is all of `whole`, or the beginning of it. */
export function isBeginningOf(part: ChatOutput, whole: ChatOutput): boolean {
  const textsBegin = [...part.texts].every(
    ([index, text]) => whole.texts.get(index)?.startsWith(text) ?? text === '',
  );
  return textsBegin && part.rest.every((said, at) => said === whole.rest[at]);
}

/** Whether the choices of a completion are those that the engine sent. Errors show nothing. */
export function sameChoices(exchange: Exchange, sent: { readonly choices: unknown }): Judgement {
  if (!isSuccess(exchange) || exchange.ending !== 'complete') return notObserved;
  const body = jsonBody(exchange);
  const message = 'A completion has other choices than the engine sent.';
  if (!body.ok)
    return violated(message, { expected: sent.choices, actual: body.problem }, exchange);
  const actual = isObject(body.value) ? body.value['choices'] : undefined;
  return expectThat(
    holds(actual, sent.choices),
    message,
    { expected: sent.choices, actual: actual ?? body.value },
    exchange,
  );
}

/** Whether a value has everything of another: members may be added, and those left out that are null. */
function holds(actual: unknown, expected: unknown): boolean {
  if (expected === null) return actual === null || actual === undefined;
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((one, at) => holds(actual[at], one))
    );
  }
  if (!isObject(expected)) return Object.is(actual, expected);
  return (
    isObject(actual) &&
    Object.entries(expected).every(([name, value]) => holds(actual[name], value))
  );
}

function choicesIn(data: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(data);
    const choices = isObject(value) ? value['choices'] : undefined;
    return Array.isArray(choices) ? choices : undefined;
  } catch {
    return undefined;
  }
}
