/** Stops and terminates of one instance in flight together that get in each other's way. */

import { setTimeout } from 'node:timers/promises';
import { type InstanceState, notFound } from '../model.ts';
import { faultTable, isSuccess, namedInstance } from './words.ts';
import type { RequestContext } from '../context.ts';

export const togetherFaults = faultTable('compute.states', {
  // A stop or terminate answers 404 while another one for the same instance is in progress.
  'concurrent-calls: calls-in-flight-together-collide': (rules) => {
    const underWay = new Map<unknown, number>();
    const ends = ({ operation }: RequestContext): boolean =>
      operation === 'stop-instance' || operation === 'terminate-instance';
    const add = (context: RequestContext, more: number): number => {
      const count = underWay.get(namedInstance(context)) ?? 0;
      underWay.set(namedInstance(context), count + more);
      return count;
    };
    return {
      onRequest: async (context) => {
        if (ends(context)) {
          add(context, 1);
          await setTimeout(3);
        }
        return rules.onRequest(context);
      },
      onResponse: async (context, answer) => {
        const sent = await rules.onResponse(context, answer);
        return ends(context) && add(context, -1) > 1 && isSuccess(sent)
          ? rules.errorAnswer(notFound(), context)
          : sent;
      },
    };
  },
  // A stop that another call overtakes writes STOPPING over what that one has brought about.
  'terminate-settles + compute.instance-record.alive-has-no-reason, met by concurrent-calls: stop-acts-on-the-state-that-it-met':
    ({ onRequest, stopOutcome }) => {
      const met = new WeakMap<RequestContext, InstanceState | undefined>();
      return {
        onRequest: async (context) => {
          met.set(context, namedInstance(context)?.state);
          if (context.operation === 'stop-instance') await setTimeout(10);
          return onRequest(context);
        },
        stopOutcome: (instance, context) =>
          stopOutcome({ ...instance, state: met.get(context) ?? instance.state }, context),
      };
    },
});
