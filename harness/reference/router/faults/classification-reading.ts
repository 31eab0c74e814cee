/** Engine errors that are read wrongly before they are classified. */

import { declareFaults } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import { errorObject, memberOf } from '../json.ts';
import type { RouterRules } from '../rules/rules.ts';

const ID = 'router.backend-classification';
const PROXY = 'router.transparent-proxy';

const envelopesKept = ['messages', 'count-tokens', 'embeddings', 'rerank'].map(
  (route) => `${PROXY}.${route}-envelope-kept`,
);

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
    name: 'codes-of-engines-stand-in-for-types',
    summary: 'Takes the code in an error of the engine for its type where it names none.',
    breaks: [`${ID}.status-503`, `${ID}.unknown-type`],
    patch: (rules) => ({
      ...rules,
      knownType: (json) => {
        const error = errorObject(json);
        const named = memberOf(json, 'type') ?? memberOf(error, 'type');
        return rules.knownType(named === undefined ? { type: memberOf(error, 'code') } : json);
      },
    }),
  },
  {
    name: 'errors-must-begin-with-a-brace',
    summary: 'Reads no JSON in an error of the engine that has white space before it.',
    breaks: [`${ID}.type-over-other-status`, ...envelopesKept],
    patch: (rules) => ({
      ...rules,
      errorJson: (body, headers) => (body[0] === 0x7b ? rules.errorJson(body, headers) : undefined),
    }),
  },
  {
    name: 'errors-must-be-labelled-json',
    summary: 'Reads no JSON in an error that the engine labelled as something else.',
    breaks: [`${ID}.json-whatever-its-label`, `${PROXY}.envelope-whatever-its-label`],
    patch: (rules) => ({
      ...rules,
      errorJson: (body, headers) =>
        headers['content-type']?.includes('json') === true
          ? rules.errorJson(body, headers)
          : undefined,
    }),
  },
  {
    name: 'errors-beyond-4-kib-not-read',
    summary: 'Reads no JSON in an error of the engine of more than four kilobytes.',
    breaks: envelopesKept,
    patch: (rules) => ({
      ...rules,
      errorJson: (body, headers) =>
        body.length > 4_096 ? undefined : rules.errorJson(body, headers),
    }),
  },
  {
    name: 'wording-behind-512-bytes-overlooked',
    summary: 'Looks for the wording in as much of an error as a message may have.',
    breaks: [`${ID}.wording-any-order-and-case`],
    patch: (rules) => {
      // What stands between the two calls for one error is no await.
      let beginning = '';
      return {
        ...rules,
        errorJson: (body, headers) => {
          beginning = Buffer.from(body.subarray(0, 512)).toString('utf8');
          return rules.errorJson(body, headers);
        },
        speaksOfContext: () => rules.speaksOfContext(beginning),
      };
    },
  },
  {
    name: 'envelope-of-a-retry-is-wrapped',
    summary: 'Wraps the envelope of an engine that is asked after another failed.',
    breaks: [`${PROXY}.messages-envelope-kept`],
    patch: (rules) => {
      const tried = new WeakSet<RequestContext>();
      return {
        ...rules,
        envelopeIn: (json, context) =>
          tried.has(context) ? undefined : rules.envelopeIn(json, context),
        stops: (code, context) => {
          tried.add(context);
          return rules.stops(code, context);
        },
      };
    },
  },
  {
    name: 'redirects-are-successes',
    summary: 'Takes everything below 400 for a success of the engine.',
    breaks: [`${ID}.status-other`],
    patch: (rules) => ({ ...rules, isSuccess: (status) => status < 400 }),
  },
]);
