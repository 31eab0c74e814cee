/** The form of a deviations file: known violations, why they are accepted, and until when. */

import { z } from 'zod';

export const deviation = z
  .strictObject({
    requirement: z.string().min(1),
    reason: z.string().trim().min(1),
    /** The issue that tracks it. */
    link: z.url({ protocol: /^https?$/u }).optional(),
    /** The last day (UTC) on which it is accepted. */
    expires: z.iso.date(),
    /** Name of the target that it applies to (default: every target). */
    target: z.string().min(1).optional(),
  })
  .meta({
    title: 'Known deviation',
    description: 'A requirement that a target is known to break, with a reason and an end.',
  });

/** The file: a list of deviations, at its root or under `deviations`. */
export const deviationList = z.array(deviation);

export type Deviation = z.infer<typeof deviation>;
