/** Answers of engines that reach their client cut, or not at all. */

import type { Reply } from '../../http.ts';
import type { RequestContext } from '../model.ts';
import { faultTable, answering, every, onPath } from './answering.ts';

const CHAT = '/v1/chat/completions';
const LONGEST_ANSWER = 100_000;

export const answerFaults = faultTable({
  'router.endpoints.chat-completions-answer': {
    'long-answers-cut': {
      says: 'Ends a chat completion after 100 kB.',
      patch: answering(
        every(onPath(CHAT), (reply) => reply.body.length > LONGEST_ANSWER),
        (reply) => ({ ...reply, body: Buffer.from(reply.body).subarray(0, LONGEST_ANSWER) }),
      ),
    },
    'answers-told-to-another': (rules) => {
      const underWay = new Set<RequestContext>();
      let last: Reply['body'] | undefined;
      return {
        capable: (model, route, context) => {
          if (context.path === CHAT && !context.stream) underWay.add(context);
          return rules.capable(model, route, context);
        },
        answer: (reply, context) => {
          const answer = rules.answer(reply, context);
          const isAnswer = underWay.delete(context) && answer.status === 200;
          if (!isAnswer) return answer;
          const body = underWay.size > 0 ? last : undefined;
          last = answer.body;
          return body === undefined ? answer : { ...answer, body };
        },
      };
    },
  },
});
