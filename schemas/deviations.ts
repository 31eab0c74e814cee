/** The form of a deviations file: what is known to be broken, why, and until when that is accepted. */

import { z } from 'zod';

export const deviation = z
  .strictObject({
    /** Id of the requirement that the target is known to break. */
    requirement: z.string().min(1),
    /** Why that is accepted for now. */
    reason: z.string().trim().min(1),
    /** Where it is tracked. */
    link: z.url({ protocol: /^https?$/u }).optional(),
    /** The last day (UTC) on which it is accepted. */
    expires: z.iso.date(),
    /** Name of the one target that it is about; every target without it. */
    target: z.string().min(1).optional(),
  })
  .meta({
    title: 'Known deviation',
    description: 'A requirement that a target is known to break, with a reason and an end.',
  });

/** The file: a list of deviations, at its root or under `deviations`. */
export const deviationList = z.array(deviation);

export type Deviation = z.infer<typeof deviation>;
