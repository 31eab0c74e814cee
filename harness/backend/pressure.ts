/** Reading a set load. */

import * as z from 'zod';

import type { Pressure } from './control.ts';

const pressureSchema = z
  .strictObject({
    running: z.number().min(0).optional(),
    waiting: z.number().min(0).optional(),
    cacheUsage: z.number().min(0).max(1).optional(),
  })
  .nullable();

/** A load that no engine could have. */
export class InvalidPressure extends Error {
  override readonly name = 'InvalidPressure';
}

/** @throws {InvalidPressure} naming each wrong member. */
export function parsePressure(value: unknown): Pressure | null {
  const result = pressureSchema.safeParse(value);
  if (result.success) return result.data;
  throw new InvalidPressure(`This pressure cannot be set:\n${z.prettifyError(result.error)}`);
}
