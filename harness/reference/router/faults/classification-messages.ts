/** Messages of engines that are lost, too long, or cut in the wrong place. */

import { declareFaults } from '../../fault.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, errorIn, every, onPath, refusal, withCode, withError } from './answering.ts';

const ID = 'router.backend-classification';
const onChat = onPath('/v1/chat/completions');

export const messageFaults = declareFaults<RouterRules>([
  {
    name: 'message-of-the-engine-lost',
    summary: 'Writes a message of its own for an error that the engine explained.',
    breaks: [`${ID}.message-from-json`],
    patch: (rules) => ({
      ...rules,
      messageIn: (json) => (rules.messageIn(json) === undefined ? undefined : 'it failed'),
      speaksOfContext: (text) => rules.speaksOfContext(text),
    }),
  },
  {
    name: 'raw-body-lost',
    summary: 'Leaves out the raw body of an error that is no JSON.',
    breaks: [`${ID}.message-from-raw`, `${ID}.raw-message-is-beginning`],
    patch: (rules) => ({ ...rules, truncate: () => 'the engine failed' }),
  },
  {
    name: 'raw-message-513',
    summary: 'Keeps 513 bytes of a raw body.',
    breaks: [`${ID}.raw-message-truncated`],
    patch: (rules) => ({
      ...rules,
      truncate: (bytes) =>
        bytes.every((byte) => byte < 0x80)
          ? Buffer.from(bytes.subarray(0, 513)).toString('utf8')
          : rules.truncate(bytes),
    }),
  },
  {
    name: 'raw-message-whole-in-streams',
    summary: 'Keeps the whole of a raw body beyond two kilobytes.',
    breaks: [`${ID}.raw-message-truncated`],
    patch: (rules) => ({
      ...rules,
      truncate: (bytes) =>
        bytes.length > 2_048 ? Buffer.from(bytes).toString('latin1') : rules.truncate(bytes),
    }),
  },
  {
    name: 'raw-message-whole-of-cut-json',
    summary: 'Keeps the whole of a raw body that begins like JSON and is none.',
    breaks: [`${ID}.raw-message-truncated`],
    patch: (rules) => ({
      ...rules,
      truncate: (bytes) =>
        bytes[0] === 0x5b ? Buffer.from(bytes).toString('utf8') : rules.truncate(bytes),
    }),
  },
  {
    name: 'raw-message-whole-of-json',
    summary: 'Keeps the whole of a JSON body that has no message.',
    breaks: [`${ID}.raw-message-truncated`],
    patch: (rules) => ({
      ...rules,
      truncate: (bytes) =>
        bytes[0] === 0x7b ? Buffer.from(bytes).toString('utf8') : rules.truncate(bytes),
    }),
  },
  {
    name: 'raw-message-whole-in-lines',
    summary: 'Keeps the whole of a raw body that has several lines.',
    breaks: [`${ID}.raw-message-truncated`],
    patch: (rules) => ({
      ...rules,
      truncate: (bytes) =>
        bytes.includes(0x0a) ? Buffer.from(bytes).toString('utf8') : rules.truncate(bytes),
    }),
  },
  {
    name: 'raw-message-counts-characters',
    summary: 'Keeps 512 characters of a raw body, however many bytes they have.',
    breaks: [`${ID}.raw-message-truncated-multibyte`],
    patch: (rules) => ({
      ...rules,
      truncate: (bytes) =>
        bytes.some((byte) => byte > 0x7f)
          ? Array.from(Buffer.from(bytes).toString('utf8')).slice(0, 512).join('')
          : rules.truncate(bytes),
    }),
  },
  {
    name: 'raw-message-is-the-end',
    summary: 'Keeps the end of a raw body.',
    breaks: [`${ID}.raw-message-is-beginning`],
    patch: (rules) => ({
      ...rules,
      truncate: (bytes) => rules.truncate(bytes.subarray(Math.max(0, bytes.length - 400))),
    }),
  },
  {
    name: 'raw-message-ends-at-300',
    summary: 'Keeps 300 bytes of a raw body.',
    breaks: [`${ID}.raw-message-is-beginning`],
    patch: (rules) => ({ ...rules, truncate: (bytes) => rules.truncate(bytes.subarray(0, 300)) }),
  },
  {
    name: 'types-not-read-in-streams',
    summary: 'Says invalid_parameter of a context_length_exceeded when a stream was asked for.',
    breaks: [
      `${ID}.type-over-other-status`,
      `${ID}.wording-any-order-and-case`,
      `${ID}.unknown-type`,
    ],
    patch: answering(
      every(withCode('context_length_exceeded'), onChat, (_reply, context) => context.stream),
      (reply) =>
        withError(refusal(reply, 400, 'invalid_parameter'), { source: errorIn(reply)['source'] }),
    ),
  },
  {
    name: 'native-errors-wrapped',
    summary: 'Says backend_error of a 400 of the engine when a stream was asked for.',
    breaks: ['router.streaming.backend-error-is-json'],
    patch: answering(
      every(withCode('invalid_parameter'), onChat, (_reply, context) => context.stream),
      (reply) =>
        withError(refusal(reply, 502, 'backend_error'), { source: errorIn(reply)['source'] }),
    ),
  },
]);
