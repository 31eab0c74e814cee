/** Behaviours of a scripted engine as plain data, and functions that build them. */

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
 * A point in the delivery of a response. Bytes and events are counted from the start of the body.
 * - `before-head`: nothing has been sent; `after-head`: status and headers have been sent.
 * - `before-end`: everything but the end of the body has been sent (its last byte, if the body has a declared length).
 * - `{ afterBytes: n }`: n bytes of the body have been sent.
 * - `{ afterEvents: n }`: n whole events of a stream have been sent.
 * - `{ insideEvent: i, afterBytes?: n }`: the events before event i (from 0), and n bytes of it (default half), were sent.
 *
 * A point past the end of the body, or an event in a response without events, means `before-end`.
 */
const placeSchema = z.union([
  z.literal('before-head'),
  z.literal('after-head'),
  z.literal('before-end'),
  z.strictObject({ afterBytes: count }),
  z.strictObject({ afterEvents: count }),
  z.strictObject({ insideEvent: count, afterBytes: count.optional() }),
]);

/** `close` ends the connection in an orderly way (FIN); `reset` aborts it (RST). */
const howSchema = z.enum(['close', 'reset']);

const delivery = {
  /** Milliseconds to wait before the status line. */
  delayHeadMs: milliseconds.optional(),
  /** Milliseconds to wait before each chunk of the body except the first. */
  delayChunkMs: milliseconds.optional(),
  /** Waits at this point until the script is released. */
  hold: placeSchema.optional(),
  /** Ends the connection at this point. A hold at the same point comes first. */
  drop: z.strictObject({ at: placeSchema, how: howSchema }).optional(),
  /** Splits the body into chunks that end at these byte offsets (default: one chunk per event or body). */
  splitAt: z.array(count).max(10_000).optional(),
  /** The framing of the body (default `length` for plain bodies, `chunked` for streams). */
  framing: z.enum(['length', 'chunked']).optional(),
};

const usageSchema = z.strictObject({ inputTokens: count, outputTokens: count });

const lineEndingSchema = z.enum(['lf', 'crlf', 'cr']);

const completeSchema = z.strictObject({
  kind: z.literal('complete'),
  /** The output, as the pieces of a stream; a stream sends a single string word by word. */
  text: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  /** The usage to report, whatever the text is. */
  usage: usageSchema.optional(),
  /** Whether to stream, whatever the request asks for. */
  stream: z.boolean().optional(),
  /** False omits the end of a stream: `[DONE]`, or `message_stop` on the messages route. */
  done: z.boolean().optional(),
  /** Line endings of a stream (default `lf`). */
  lineEnding: lineEndingSchema.optional(),
  ...delivery,
});

const respondSchema = z
  .strictObject({
    kind: z.literal('respond'),
    status: z.int().min(200).max(599).optional(),
    /** Sent unchanged, in this order, after the content type implied by the body (unless they include one). */
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

/** One event of a stream. `raw` and `base64` are sent unchanged, without added line endings. */
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

/** Ends the connection at the point `at` of an ordinary response (default `before-head`). */
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

/** The delivery options that all responses share. */
export type Delivery = Pick<Complete, keyof typeof delivery>;

/** A body in two chunks, a moment apart. */
export const inTwoChunks: Delivery = { framing: 'chunked', splitAt: [16], delayChunkMs: 5 };

/** Thrown when a backend cannot do something, with the status for its control port. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/**
 * Parses a script from untrusted data.
 * @throws {Refused} naming each invalid member and the expected value.
 */
export function parseScript(value: unknown): readonly Behaviour[] {
  const result = scriptSchema.safeParse(value);
  if (result.success) return result.data;
  throw new Refused(
    `This script cannot be played. Correct the members named here:\n${z.prettifyError(result.error)}`,
  );
}

/** An ordinary response of the requested route, streamed if the request asks for that. */
export function complete(options: Omit<Complete, 'kind'> = {}): Behaviour {
  return { kind: 'complete', ...options };
}

/** A response with any status and a JSON body, or no body if `json` is undefined. */
export function respond(
  status: number,
  json?: Respond['json'],
  options: Omit<Respond, 'kind' | 'status' | 'json'> = {},
): Behaviour {
  return { kind: 'respond', status, ...(json === undefined ? {} : { json }), ...options };
}

/** A response with any status and text as its body, for example invalid JSON or HTML; the default type is JSON. */
export function respondText(
  status: number,
  text: string,
  options: Omit<Respond, 'kind' | 'status' | 'text'> = {},
): Behaviour {
  return { kind: 'respond', status, text, ...options };
}

/** A response with any status and a binary body, `application/octet-stream`. */
export function respondBytes(status: number, bytes: Uint8Array): Behaviour {
  const headers: [string, string][] = [['Content-Type', 'application/octet-stream']];
  return { kind: 'respond', status, headers, base64: Buffer.from(bytes).toString('base64') };
}

/** An error in the router's envelope, as if the engine were a router. */
export function envelope(
  status: number,
  code: string,
  source: string,
  { message = 'Scripted failure.', ...options }: Delivery & { readonly message?: string } = {},
): Behaviour {
  return respond(status, { error: { code, message, source } }, options);
}

/** A stream of the given events. */
export function events(
  list: Events['events'],
  options: Omit<Events, 'kind' | 'events'> = {},
): Behaviour {
  return { kind: 'events', events: list, ...options };
}

/** An ordinary response that waits at a point (default `before-head`) until the script is released. */
export function stall(at: Place = 'before-head', options: Omit<Complete, 'kind'> = {}): Behaviour {
  return { kind: 'complete', ...options, hold: at };
}

/** Ends the connection at a point (default `before-head`). */
export function drop(how: Ending = 'close', at: Place = 'before-head'): Behaviour {
  return { kind: 'drop', how, at };
}
