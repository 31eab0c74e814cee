/** What a scripted engine does with a request, as plain data, and the words for it. */

import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod';

const count = z.int().min(0);
const milliseconds = z.int().min(0).max(3_600_000);

const headerSchema = z.tuple([z.string(), z.string()]).superRefine(([name, value], context) => {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (error) {
    context.addIssue({
      code: 'custom',
      message: error instanceof Error ? error.message : 'not a header',
    });
  }
});

/**
 * A place in an answer. Bytes and events are counted from the start of the body.
 * - `before-head`: nothing was sent; `after-head`: status and headers were; `before-end`: everything but what ends the body
 *   (in a body with a declared length that is its last byte).
 * - `{ afterBytes: n }`: n bytes of the body were sent.
 * - `{ afterEvents: n }`: n whole events of a stream were sent.
 * - `{ insideEvent: i, afterBytes?: n }`: the events before event i (the first is 0) and n bytes of it were sent, half of it unless told.
 *
 * A place past the end of the body, or an event in an answer without events, means `before-end`.
 */
const placeSchema = z.union([
  z.literal('before-head'),
  z.literal('after-head'),
  z.literal('before-end'),
  z.strictObject({ afterBytes: count }),
  z.strictObject({ afterEvents: count }),
  z.strictObject({ insideEvent: count, afterBytes: count.optional() }),
]);

/** `close` ends the connection in order (FIN); `reset` tears it down (RST). */
const howSchema = z.enum(['close', 'reset']);

const delivery = {
  /** Waits so long before the status line. */
  delayHeadMs: milliseconds.optional(),
  /** Waits so long before each chunk of the body but the first. */
  delayChunkMs: milliseconds.optional(),
  /** Waits at this place until the script is released. */
  hold: placeSchema.optional(),
  /** Ends the connection at this place, and the answer with it. A hold at the same place comes first. */
  drop: z.strictObject({ at: placeSchema, how: howSchema }).optional(),
  /** Cuts the body into chunks that end after these many bytes, instead of one chunk per event or body. */
  splitAt: z.array(count).max(10_000).optional(),
  /** How the length of the body is told; `length` for plain bodies and `chunked` for streams unless told. */
  framing: z.enum(['length', 'chunked']).optional(),
};

const usageSchema = z.strictObject({ inputTokens: count, outputTokens: count });

const lineEndingSchema = z.enum(['lf', 'crlf', 'cr']);

const completeSchema = z.strictObject({
  kind: z.literal('complete'),
  /** The output, in the pieces in which a stream sends it; one string is sent word by word. */
  text: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  /** The usage figures to claim, whatever the text is. */
  usage: usageSchema.optional(),
  /** Streams or not, whatever was asked. */
  stream: z.boolean().optional(),
  /** False leaves out what ends a stream: `[DONE]`, or `message_stop` on the messages route. */
  done: z.boolean().optional(),
  /** Line endings of a stream; `lf` unless told. */
  lineEnding: lineEndingSchema.optional(),
  ...delivery,
});

const respondSchema = z
  .strictObject({
    kind: z.literal('respond'),
    status: z.int().min(200).max(599).optional(),
    /** Sent as they are, in this order, after the content type that the body implies (unless they have one). */
    headers: z.array(headerSchema).optional(),
    json: z.json().optional(),
    text: z.string().optional(),
    base64: z.base64().optional(),
    ...delivery,
  })
  .refine(
    (answer) =>
      [answer.json, answer.text, answer.base64].filter((body) => body !== undefined).length <= 1,
    { message: 'Give one body at most: json, text or base64.' },
  );

/** One event of a stream. `raw` and `base64` are sent as they are, without line endings of their own. */
const streamEventSchema = z.union([
  z.strictObject({ event: z.string().optional(), id: z.string().optional(), data: z.string() }),
  z.strictObject({ event: z.string().optional(), id: z.string().optional(), json: z.json() }),
  z.strictObject({ comment: z.string() }),
  z.strictObject({ raw: z.string() }),
  z.strictObject({ base64: z.base64() }),
]);

const eventsSchema = z.strictObject({
  kind: z.literal('events'),
  events: z.array(streamEventSchema),
  status: z.int().min(200).max(599).optional(),
  headers: z.array(headerSchema).optional(),
  /** True sends `data: [DONE]` after the last event. */
  done: z.boolean().optional(),
  lineEnding: lineEndingSchema.optional(),
  ...delivery,
});

/** Ends the connection at `at` (before the head unless told) of an ordinary answer. */
const dropSchema = z.strictObject({
  kind: z.literal('drop'),
  how: howSchema,
  at: placeSchema.optional(),
});

const behaviourSchema = z.discriminatedUnion('kind', [
  completeSchema,
  respondSchema,
  eventsSchema,
  dropSchema,
]);

const scriptSchema = z.array(behaviourSchema).min(1).max(1000);

export type Place = z.infer<typeof placeSchema>;
export type Ending = z.infer<typeof howSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type LineEnding = z.infer<typeof lineEndingSchema>;
export type StreamEvent = z.infer<typeof streamEventSchema>;
export type Complete = z.infer<typeof completeSchema>;
export type Respond = z.infer<typeof respondSchema>;
export type Events = z.infer<typeof eventsSchema>;
export type Behaviour = z.infer<typeof behaviourSchema>;

/** How an answer is delivered; the members that every answer shares. */
export type Delivery = Pick<Complete, keyof typeof delivery>;

/** What a backend cannot do, with the status by which its control port says so. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/**
 * Reads a script from anywhere.
 * @throws {Refused} naming each wrong member and what was expected there.
 */
export function parseScript(value: unknown): readonly Behaviour[] {
  const result = scriptSchema.safeParse(value);
  if (result.success) return result.data;
  throw new Refused(
    `This script cannot be played. Correct the members named here:\n${z.prettifyError(result.error)}`,
  );
}

/** An ordinary answer of the route that was asked, streamed if asked. */
export function complete(options: Omit<Complete, 'kind'> = {}): Behaviour {
  return { kind: 'complete', ...options };
}

/** Any status with a JSON body, or none if it is undefined. */
export function respond(
  status: number,
  json?: Respond['json'],
  options: Omit<Respond, 'kind' | 'status' | 'json'> = {},
): Behaviour {
  return { kind: 'respond', status, ...(json === undefined ? {} : { json }), ...options };
}

/** Any status with a body of text, labelled JSON unless the headers say otherwise: invalid JSON, HTML, nothing. */
export function respondText(
  status: number,
  text: string,
  options: Omit<Respond, 'kind' | 'status' | 'text'> = {},
): Behaviour {
  return { kind: 'respond', status, text, ...options };
}

/** Any status with bytes as they are, labelled as such. */
export function respondBytes(status: number, bytes: Uint8Array): Behaviour {
  const headers: [string, string][] = [['Content-Type', 'application/octet-stream']];
  return { kind: 'respond', status, headers, base64: Buffer.from(bytes).toString('base64') };
}

/** The router's own error form, as if the engine were a router. */
export function envelope(
  status: number,
  code: string,
  source: string,
  { message = 'Scripted failure.', ...options }: Delivery & { readonly message?: string } = {},
): Behaviour {
  return respond(status, { error: { code, message, source } }, options);
}

/** A stream of chosen events. */
export function events(
  list: Events['events'],
  options: Omit<Events, 'kind' | 'events'> = {},
): Behaviour {
  return { kind: 'events', events: list, ...options };
}

/** An ordinary answer that waits, before its head unless told, until the script is released. */
export function stall(at: Place = 'before-head', options: Omit<Complete, 'kind'> = {}): Behaviour {
  return { kind: 'complete', ...options, hold: at };
}

/** The end of the connection, before the head unless told. */
export function drop(how: Ending = 'close', at: Place = 'before-head'): Behaviour {
  return { kind: 'drop', how, at };
}
