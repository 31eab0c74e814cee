/** Engine errors that are read wrongly before they are classified. */

import { declareFaults } from '../../fault.ts';
import { errorObject, memberOf } from '../json.ts';
import type { RouterRules } from '../rules/rules.ts';

const ID = 'router.backend-classification';

export const readingFaults = declareFaults<RouterRules>([
  {
    name: 'types-need-a-message',
    summary: 'Knows no type in an error without a message.',
    breaks: [`${ID}.type-over-other-status`],
    patch: (rules) => ({
      ...rules,
      knownType: (json) =>
        rules.messageIn(json) === undefined ? undefined : rules.knownType(json),
    }),
  },
  {
    name: 'errors-cut-before-they-are-read',
    summary: 'Cuts an error of the engine to 512 bytes before it reads it as JSON.',
    breaks: [`${ID}.type-over-other-status`],
    patch: (rules) => ({
      ...rules,
      knownType: (json) =>
        JSON.stringify(json ?? '').length > 512 ? undefined : rules.knownType(json),
    }),
  },
  {
    name: 'agent-lost-over-a-body-that-is-no-text',
    summary: 'Loses the agent that is to read an error which is no UTF-8.',
    breaks: [
      `${ID}.other-400`,
      `${ID}.other-422`,
      `${ID}.status-429`,
      `${ID}.status-503`,
      `${ID}.status-other`,
    ],
    patch: (rules) => ({
      ...rules,
      speaksOfContext: (text) => {
        if (!text.includes('\uFFFD')) return rules.speaksOfContext(text);
        throw new TypeError('a text that is none');
      },
    }),
  },
  {
    name: 'codes-of-engines-read-as-types',
    summary: 'Takes the code in an error of the engine for its type.',
    breaks: [`${ID}.nested-invalid-request`, `${ID}.unknown-type`],
    patch: (rules) => ({
      ...rules,
      knownType: (json) =>
        rules.knownType({ type: memberOf(errorObject(json), 'code') }) ?? rules.knownType(json),
    }),
  },
  {
    name: 'redirects-are-successes',
    summary: 'Takes everything below 400 for a success of the engine.',
    breaks: [`${ID}.status-other`],
    patch: (rules) => ({ ...rules, isSuccess: (status) => status < 400 }),
  },
]);
