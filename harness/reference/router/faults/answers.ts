/** Answers of engines that reach their client cut, or not at all. */

import { declareFaults } from '../../fault.ts';
import type { Reply } from '../../http/reply.ts';
import type { RequestContext } from '../context.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, every, onPath } from './answering.ts';

const CHAT = '/v1/chat/completions';
const LONGEST_ANSWER = 100_000;

export const answerFaults = declareFaults<RouterRules>([
  {
    name: 'long-answers-cut',
    summary: 'Ends a chat completion after 100 kB.',
    breaks: ['router.endpoints.chat-completions-answer'],
    patch: answering(
      every(onPath(CHAT), (reply) => reply.body.length > LONGEST_ANSWER),
      (reply) => ({ ...reply, body: Buffer.from(reply.body).subarray(0, LONGEST_ANSWER) }),
    ),
  },
  {
    name: 'answers-told-to-another',
    summary: 'Answers a completion by that of another one, where two were under way.',
    breaks: ['router.endpoints.chat-completions-answer'],
    patch: (rules) => {
      const underWay = new Set<RequestContext>();
      let last: Reply['body'] | undefined;
      return {
        ...rules,
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
]);
