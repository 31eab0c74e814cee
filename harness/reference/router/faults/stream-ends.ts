/** Streams that their engine completed and that do not come to the end that it gave them. */

import type { RequestContext } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import { faultTable } from './answering.ts';

/** Bytes of a buffer that is too small for a long stream. */
const SMALL_BUFFER = 65_536;

/** Drops what comes beyond the buffer. */
function cut(when: (context: RequestContext) => boolean): (rules: RouterRules) => RouterRules {
  return (rules) => {
    const written = new WeakMap<RequestContext, number>();
    return {
      ...rules,
      streamPiece: (piece, index, context) => {
        const plain = rules.streamPiece(piece, index, context);
        const before = written.get(context) ?? 0;
        written.set(context, before + plain.length);
        const room = Math.max(0, SMALL_BUFFER - before);
        return when(context) ? plain.subarray(0, room) : plain;
      },
    };
  };
}

/** Closes the connection where the end of the body belongs, each time when `when` says so. */
function unfinished(
  when: () => (context: RequestContext) => boolean,
): (rules: RouterRules) => RouterRules {
  return (rules) => {
    const broken = when();
    return { ...rules, endsInOrder: (context) => !broken(context) && rules.endsInOrder(context) };
  };
}

const isChat = ({ path }: RequestContext): boolean => path === '/v1/chat/completions';

export const streamEndFaults = faultTable({
  'router.streaming.last-event-delivered': {
    'long-streams-cut': {
      says: 'Drops what comes of a chat stream beyond 64 KiB.',
      besides: ['router.streaming.events-equal'],
      patch: cut(isChat),
    },
  },
  'router.streaming.whole-stream-delivered': {
    'fifth-stream-unfinished': {
      says: 'Closes the connection of every fifth chat stream without the end of its body.',
      patch: unfinished(() => {
        let streams = 0;
        return (context) => {
          streams += isChat(context) ? 1 : 0;
          return isChat(context) && streams % 5 === 0;
        };
      }),
    },
  },
  'router.transparent-proxy.stream-untouched': {
    'long-proxied-streams-cut': cut((context) => !isChat(context)),
    'proxied-streams-unfinished': {
      says: 'Closes the connection of streams on proxy routes without the end of their body.',
      patch: unfinished(() => (context) => !isChat(context)),
    },
  },
});
