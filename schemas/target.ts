/**
 * The target file: one deployment, and what the suite may use and do there. Only the contract, the base URL and
 * one key are mandatory; the suite does not exercise what is left out. Unknown keys are errors.
 *
 * In a file a key is a secret (`${NAME}`, read from the environment). A loaded target holds the *name* of the key
 * instead (`primary`, `allowlisted`, `tokensPerDay[0]`). The secrets are stored separately, so that printing or
 * storing a target cannot leak one.
 */

import { z } from 'zod';
import type { Contract } from './requirement.ts';

/** Default requests per second to a deployment on another host. */
export const DEFAULT_REQUESTS_PER_SECOND = 50;

export const text = z.string().min(1);
export const key = text.meta({
  description: 'An API key, written as ${NAME}: the environment holds it.',
});
export const whole = z.int().min(0);
export const positive = z.int().min(1);
export const list = <T extends z.ZodType>(item: T) => z.array(item).min(1).readonly();
export const command = text.meta({
  description: 'A command, run by the shell beside the target file.',
});

/** Permission for actions that cost money, destroy something or disturb other users. Everything is off by default. */
const consent = z
  .strictObject({
    stop: z.boolean().default(false),
    terminate: z.boolean().default(false),
    exhaustRateLimit: z.boolean().default(false),
    saturate: z.boolean().default(false),
  })
  .readonly()
  .prefault({});

const budget = z
  .strictObject({
    requests: positive.default(20_000),
    minutes: z.number().positive().default(20),
    concurrency: positive.default(8),
    requestsPerSecond: z
      .union([z.number().positive(), z.literal('unlimited')], 'a number or unlimited')
      .optional()
      .meta({ description: `${DEFAULT_REQUESTS_PER_SECOND} by default, unlimited on loopback.` }),
  })
  .readonly()
  .prefault({});

const pemFile = text.meta({ description: 'A PEM file; its path is seen from the target file.' });

/** Members of every target file, whatever its contract. */
export const everyTarget = {
  name: text.optional().meta({
    description: 'Names the target in reports; the host by default, on loopback the file name.',
  }),
  baseUrl: text,
  headers: z.record(z.string(), text).readonly().optional().meta({
    description:
      'Sent with every request; a value that is read from the environment is never shown.',
  }),
  tls: z
    .strictObject({ ca: pemFile.optional(), cert: pemFile.optional(), key: pemFile.optional() })
    .readonly()
    .optional(),
  traceparent: z
    .boolean()
    .default(true)
    .meta({ description: 'Each request carries a trace of its own, which reports show.' }),
  consent,
  budget,
};

type Consent = z.output<typeof consent>;

interface Certificates {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** A target file after `${NAME}` is read, before the defaults that depend on its address. */
export interface TargetFile {
  readonly name?: string | undefined;
  readonly contract: Contract;
  readonly baseUrl: string;
  readonly keys: object;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Paths of PEM files, relative to the target file. */
  readonly tls?: Certificates | undefined;
  /** True when each request carries a trace of its own. */
  readonly traceparent: boolean;
  readonly consent: Consent;
  readonly budget: z.output<typeof budget>;
}

/** The load that a run may put on the target; `requestsPerSecond` is `Infinity` when unlimited. */
export interface TargetBudget {
  readonly requests: number;
  readonly minutes: number;
  readonly concurrency: number;
  readonly requestsPerSecond: number;
}

/** A target file with its defaults; every key is the name of a secret. */
export type Completed<T> = Omit<T, 'name' | 'budget'> & {
  readonly name: string;
  readonly budget: TargetBudget;
};

/** A deployment of any contract. */
export type Target = Completed<TargetFile>;
