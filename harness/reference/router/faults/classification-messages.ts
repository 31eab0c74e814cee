/** Messages of engines that are lost, too long, or cut in the wrong place. */

import {
  amend,
  unless,
  replace,
  faultTable,
  answering,
  errorIn,
  every,
  onPath,
  refusal,
  withCode,
  withError,
} from './answering.ts';

const onChat = onPath('/v1/chat/completions');

export const messageFaults = faultTable({
  'router.backend-classification.message-from-json': {
    'message-of-the-engine-lost': amend('messageIn', (message) =>
      message === undefined ? undefined : 'it failed',
    ),
  },
  'router.backend-classification.message-from-raw': {
    'raw-body-lost': {
      says: 'Leaves out the raw body of an error that is no JSON.',
      besides: ['router.backend-classification.raw-message-is-beginning'],
      patch: () => ({ truncate: () => 'the engine failed' }),
    },
  },
  'router.backend-classification.raw-message-truncated': {
    'raw-message-513': {
      says: 'Keeps 513 bytes of a raw body.',
      patch: unless(
        'truncate',
        (bytes) => bytes.every((byte) => byte < 0x80),
        (bytes) => Buffer.from(bytes.subarray(0, 513)).toString('utf8'),
      ),
    },
    'raw-message-whole-of-cut-json': unless(
      'truncate',
      (bytes) => bytes[0] === 0x5b,
      (bytes) => Buffer.from(bytes).toString('utf8'),
    ),
    'raw-message-whole-of-json': unless(
      'truncate',
      (bytes) => bytes[0] === 0x7b,
      (bytes) => Buffer.from(bytes).toString('utf8'),
    ),
    'raw-message-whole-in-lines': unless(
      'truncate',
      (bytes) => bytes.includes(0x0a),
      (bytes) => Buffer.from(bytes).toString('utf8'),
    ),
  },
  'router.backend-classification.raw-message-truncated-multibyte': {
    'raw-message-counts-characters': unless(
      'truncate',
      (bytes) => bytes.some((byte) => byte > 0x7f),
      (bytes) => Array.from(Buffer.from(bytes).toString('utf8')).slice(0, 512).join(''),
    ),
  },
  'router.backend-classification.raw-message-is-beginning': {
    'raw-message-is-the-end': replace('truncate', (original, bytes, context) =>
      original(bytes.subarray(Math.max(0, bytes.length - 400)), context),
    ),
    'raw-message-ends-at-300': replace('truncate', (original, bytes, context) =>
      original(bytes.subarray(0, 300), context),
    ),
  },
  'router.backend-classification.type-over-other-status': {
    'types-not-read-in-streams': {
      says: 'Says invalid_parameter of a context_length_exceeded when a stream was asked for.',
      besides: [
        'router.backend-classification.wording-any-order-and-case',
        'router.backend-classification.unknown-type',
      ],
      patch: answering(
        every(withCode('context_length_exceeded'), onChat, (_reply, context) => context.stream),
        (reply) =>
          withError(refusal(reply, 400, 'invalid_parameter'), { source: errorIn(reply)['source'] }),
      ),
    },
  },
  'router.streaming.backend-error-is-json': {
    'native-errors-wrapped': {
      says: 'Says backend_error of a 400 of the engine when a stream was asked for.',
      patch: answering(
        every(withCode('invalid_parameter'), onChat, (_reply, context) => context.stream),
        (reply) =>
          withError(refusal(reply, 502, 'backend_error'), { source: errorIn(reply)['source'] }),
      ),
    },
  },
});
