/** Variants in what the deployment goes through: speed, size, company. */

import { instantTimings } from '../model.ts';
import { type ComputeVariant, choosing } from './variant.ts';

export const conditionVariants: readonly ComputeVariant[] = [
  {
    name: 'settles-at-once',
    summary: 'Every transition is over when the call that sets it off is answered.',
    options: () => ({ timings: instantTimings }),
  },
  {
    name: 'settles-late',
    summary: 'Transitions take most of a second.',
    options: () => ({
      timings: {
        created: 300,
        deployed: 200,
        starting: 300,
        stopping: 800,
        teardown: 400,
        terminating: 900,
      },
    }),
  },
  choosing('shows-state-before', 'Answers show the state before; terminated_at comes early.', {
    answerShows: 'before',
    terminatedAtFrom: 'TERMINATING',
    startElsewhere: 'ignore',
  }),
  choosing('stop-ignored-elsewhere', 'A stop in a state without a stated outcome does nothing.', {
    stopElsewhere: {
      CREATED: 'ignore',
      DEPLOYED: 'ignore',
      STARTING: 'ignore',
      STOPPING: 'ignore',
      ERRORED: 'ignore',
    },
  }),
  choosing('stop-refused-elsewhere', 'A stop in a state without a stated outcome is a conflict.', {
    stopElsewhere: {
      CREATED: 'conflict',
      DEPLOYED: 'conflict',
      STARTING: 'conflict',
      STOPPING: 'conflict',
      ERRORED: 'conflict',
    },
  }),
  choosing('meter-never-rests', 'Costs and hours move with every millisecond.', { meteringMs: 1 }),
  {
    name: 'slow',
    summary: 'Every answer takes 50 ms.',
    options: () => ({ latencyMs: 50 }),
  },
  {
    name: 'busy-account',
    summary: 'Other people create, stop and terminate instances in the primary account.',
    options: () => ({ activity: { perSecond: 10 } }),
  },
  {
    name: 'sparse-account',
    summary: 'The primary account has no instances, and nothing is prepared.',
    options: () => ({ instances: 0 }),
  },
  {
    name: 'small-account',
    summary: 'The primary account has seven instances.',
    options: () => ({ instances: 7 }),
  },
  {
    name: 'large-account',
    summary: 'The primary account has 2000 instances.',
    options: () => ({ instances: 2_000 }),
  },
];
