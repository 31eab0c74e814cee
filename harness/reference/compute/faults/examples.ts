/** Examples of faults, one of each kind: plain, on page two, in one state, after three calls, one in 200, in one account. */

import { declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import type { ComputeRules } from '../rules.ts';

export const exampleFaults = declareFaults<ComputeRules>([
  {
    name: 'size-201-accepted',
    summary: 'A page size of 201 is accepted.',
    breaks: ['compute.list-instances.size-above-maximum', 'compute.presets.size-above-maximum'],
    patch: (rules) => ({
      ...rules,
      parseSize: (text, context) => (text === '201' ? 201 : rules.parseSize(text, context)),
    }),
  },
  {
    name: 'region-filter-forgotten-on-page-two',
    summary: 'The region filter of the instance list does not hold on the second page.',
    breaks: ['compute.pagination.filter-on-later-pages', 'compute.list-instances.region-filter'],
    patch: (rules) => ({
      ...rules,
      matchesRegion: (instance, query, context) =>
        query.page === 2 || rules.matchesRegion(instance, query, context),
    }),
  },
  {
    name: 'terminating-cannot-be-terminated',
    summary: 'A terminate of a TERMINATING instance is refused with 409.',
    breaks: [
      'compute.terminate-instance.terminating-no-conflict',
      'compute.terminate-instance.terminating-answer',
    ],
    patch: (rules) => ({
      ...rules,
      terminateOutcome: (instance, context) =>
        instance.state === 'TERMINATING' ? 'conflict' : rules.terminateOutcome(instance, context),
    }),
  },
  {
    name: 'fourth-stop-refused',
    summary: 'The fourth stop of one stopped instance is refused.',
    breaks: ['compute.stop-instance.stopped-accepted'],
    patch: (rules) => {
      const stops = new Map<string, number>();
      return {
        ...rules,
        stopOutcome: (instance, context) => {
          const outcome = rules.stopOutcome(instance, context);
          if (instance.state !== 'STOPPED') return outcome;
          const count = (stops.get(instance.id) ?? 0) + 1;
          stops.set(instance.id, count);
          return count > 3 ? 'conflict' : outcome;
        },
      };
    },
  },
  {
    name: 'one-response-in-200-labelled-text',
    summary: 'Every 200th response is labelled as plain text.',
    breaks: ['compute.media.success-label'],
    patch: (rules) => ({
      ...rules,
      onReply: (context, reply) =>
        context.sequence % 200 === 0 && reply.status < 300
          ? withHeader(reply, 'Content-Type', 'text/plain')
          : reply,
    }),
  },
  {
    name: 'second-account-sees-everything',
    summary: 'The second account can read and act on the instances of all accounts.',
    breaks: [
      'compute.scoping.foreign-get',
      'compute.scoping.foreign-stop',
      'compute.scoping.foreign-terminate',
    ],
    patch: (rules) => ({
      ...rules,
      visibleTo: (instance, context) =>
        context.key?.role === 'second' || rules.visibleTo(instance, context),
    }),
  },
]);
