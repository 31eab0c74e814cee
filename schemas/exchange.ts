/** The form of a redacted exchange in a case outcome and in the report. */

import { z } from 'zod';

const headers = z.array(z.tuple([z.string(), z.string()]).readonly()).readonly();

/** A body as plain data: text if it is UTF-8, otherwise base64; a long body is cut. */
const body = z.object({
  text: z.string().optional(),
  base64: z.string().optional(),
  /** Length of the whole body in bytes. */
  bytes: z.int().min(0),
  /** Present when only the first part is kept. */
  cut: z.literal(true).optional(),
});

export const reportedExchange = z.object({
  id: z.string(),
  target: z.string(),
  /** The documented operation or route; absent for any other request. */
  operation: z.string().optional(),
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers,
    body,
    credential: z.string().optional(),
  }),
  response: z
    .object({
      status: z.int(),
      headers,
      body,
      /** For streams: when each event (or piece) arrived, in ms after the start, with its text. */
      timeline: z
        .array(z.object({ atMs: z.number(), text: z.string() }))
        .readonly()
        .optional(),
    })
    .optional(),
  ending: z.string(),
  cause: z.string().optional(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  headMs: z.number().optional(),
  durationMs: z.number(),
  retries: z.int().min(0),
});

export type ReportedExchange = z.infer<typeof reportedExchange>;
export type BodyText = z.infer<typeof body>;
