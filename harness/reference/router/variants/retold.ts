/** Variants that write down in their own way what the contract says nothing about. */

import type { RequestContext } from '../context.ts';
import { jsonIn } from '../json.ts';
import { deciding } from './variant.ts';

const isChat = ({ path }: RequestContext): boolean => path === '/v1/chat/completions';

/** An engine's JSON under names of the router, with a member more and without those that are null. */
function retold(json: object): string {
  const named = { ...json, id: 'chatcmpl-router', model: 'alias', provider: 'a pool' };
  return JSON.stringify(named, (_name, value: unknown) => value ?? undefined);
}

/** The events of a piece of a stream, each chunk in the words of the router. */
function retoldEvents(text: string): string {
  return text.replaceAll(/^data: (\{.*\})$/gmu, (line, data: string) => {
    const json = jsonIn(Buffer.from(data));
    return typeof json === 'object' && json !== null ? `data: ${retold(json)}` : line;
  });
}

export const retoldVariants = [
  deciding(
    'native-answers-retold',
    'Writes native completions and their streams under ids and names of its own.',
    (rules) => {
      const unfinished = new WeakMap<RequestContext, Buffer>();
      return {
        ...rules,
        answer: (reply, context) => {
          const plain = rules.answer(reply, context);
          const json = jsonIn(Buffer.from(plain.body));
          const isAnswer = isChat(context) && plain.status === 200;
          return isAnswer && typeof json === 'object' && json !== null
            ? { ...plain, body: retold(json) }
            : plain;
        },
        streamPiece: (piece, index, context) => {
          const plain = rules.streamPiece(piece, index, context);
          if (!isChat(context)) return plain;
          const bytes = Buffer.concat([unfinished.get(context) ?? Buffer.alloc(0), plain]);
          const whole = bytes.lastIndexOf('\n\n') + 2;
          // Before the end of the first event there is none: -1 was found.
          const upTo = whole === 1 ? 0 : whole;
          unfinished.set(context, bytes.subarray(upTo));
          return Buffer.from(retoldEvents(bytes.subarray(0, upTo).toString('utf8')));
        },
        streamTail: (complete, context) => {
          const rest = unfinished.get(context);
          return rest === undefined || rest.length === 0
            ? rules.streamTail(complete, context)
            : rest;
        },
      };
    },
  ),
  deciding('sick-fleet', 'Says 503 of a fleet in which some agent cannot be reached.', (rules) => ({
    ...rules,
    answer: (reply, context) => {
      const plain = rules.answer(reply, context);
      return context.path === '/admin/health' && plain.status === 200
        ? { ...plain, status: 503, body: JSON.stringify({ status: 'degraded' }) }
        : plain;
    },
  })),
] as const;
