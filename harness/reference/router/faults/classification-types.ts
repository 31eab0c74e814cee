/** Errors of engines whose type or message is read in the wrong way. */

import { errorObject, memberOf, RouterFailure } from '../model.ts';
import {
  after,
  answering,
  deciding,
  errorIn,
  every,
  faultTable,
  forces,
  on,
  onChat,
  refusal,
  replace,
  typeSaid,
  withCode,
  withError,
  each,
  rows,
  gathered,
} from './words.ts';

const types = [
  ['context_length_exceeded', 'context-length'],
  ['invalid_request_error', 'invalid-request'],
  ['invalid_parameter', 'invalid-parameter'],
] as const;

/** A type that is known in one of the two places alone. */
const overlooked = gathered(types, ([type, slug]) =>
  gathered(['top-level', 'nested'], (place) => ({
    [`${place}-${slug}: ${slug}-overlooked-${place}`]: replace(
      'knownType',
      (original, json, context) => {
        const found =
          place === 'nested' ? memberOf(errorObject(json), 'type') : memberOf(json, 'type');
        return found === type ? undefined : original(json, context);
      },
    ),
  })),
);

export const classificationTypesFaults = faultTable('router.backend-classification', {
  'type-over-other-status: type-yields-to-409': replace(
    'codeOf',
    (original, type, status, ...more) =>
      original(status === 409 ? undefined : type, status, ...more),
  ),
  'type-over-other-status + wording-any-order-and-case: types-not-read-in-streams': answering(
    every(withCode('context_length_exceeded'), onChat, on({ stream: true })),
    (reply) =>
      withError(refusal(reply, 400, 'invalid_parameter'), { source: errorIn(reply)['source'] }),
  ),
  'type-over-other-status: types-need-a-message': (rules) => ({
    knownType: (json, context) =>
      rules.messageIn(json, context) === undefined ? undefined : rules.knownType(json, context),
  }),
  ...each.forces('knownType', undefined, {
    'type-over-other-status: errors-cut-before-they-are-read': (json) =>
      JSON.stringify(json ?? '').length > 512,
    'top-level-context-length + top-level-invalid-request + top-level-invalid-parameter: types-not-read-beside-a-text':
      (json) => typeof memberOf(json, 'error') === 'string',
  }),
  'type-over-other-status + router.transparent-proxy.messages-envelope-kept + router.transparent-proxy.count-tokens-envelope-kept + router.transparent-proxy.embeddings-envelope-kept + router.transparent-proxy.rerank-envelope-kept: errors-must-begin-with-a-brace':
    forces('errorJson', undefined, (body) => body[0] !== 0x7b),
  ...rows(deciding, {
    'status-other: agent-lost-over-an-error-beyond-64-kib': (
      _type,
      _status,
      _speaks,
      { engineError },
    ) => ((engineError?.bytes.length ?? 0) > 65_536 ? 'agent_disconnected' : undefined),
    'type-over-other-status: type-yields-to-502': (_type, status) =>
      status === 502 ? 'backend_error' : undefined,
    'type-over-429-503: type-yields-to-429': (type, status) =>
      type !== undefined && status === 429 ? 'backend_unavailable' : undefined,
    'type-over-429-503: type-yields-to-503': (type, status) =>
      type !== undefined && status === 503 ? 'backend_unavailable' : undefined,
    'type-over-wording: type-yields-to-wording': (_type, status, context) =>
      status === 400 && context ? 'context_length_exceeded' : undefined,
    'unknown-type: unknown-type-is-backend-error': (type, _status, _speaks, { engineError }) => {
      const said = typeSaid(engineError?.json);
      return type === undefined && said !== undefined && said !== '' ? 'backend_error' : undefined;
    },
  }),
  'raw-message-truncated: raw-message-whole-at-422': replace(
    'envelope',
    (original, failure, source, context) => {
      const { code, message, detail } = failure;
      const whole = context.engineError?.bytes.toString('utf8') ?? '';
      return code === 'invalid_parameter' && after(422)(context) && whole.startsWith(message)
        ? original(new RouterFailure(code, whole, detail), source, context)
        : original(failure, source, context);
    },
  ),
  'raw-message-truncated: raw-message-513': forces(
    'truncate',
    (bytes) => Buffer.from(bytes.subarray(0, 513)).toString('utf8'),
    (bytes) => bytes.every((byte) => byte < 0x80),
  ),
  'raw-message-truncated: raw-message-whole-of-cut-json': forces(
    'truncate',
    (bytes) => Buffer.from(bytes).toString('utf8'),
    (bytes) => bytes[0] === 0x5b,
  ),
  ...each.amend('messageIn', {
    'message-from-json: message-of-the-engine-lost': (message) =>
      message === undefined ? undefined : 'it failed',
    'message-from-json: message-of-the-engine-ends-at-64': (message) => message?.slice(0, 64),
  }),
  'message-from-raw + raw-message-is-beginning: raw-body-lost': () => ({
    truncate: () => 'the engine failed',
  }),
  'raw-message-truncated-multibyte: raw-message-counts-characters': forces(
    'truncate',
    (bytes) => Array.from(Buffer.from(bytes).toString('utf8')).slice(0, 512).join(''),
    (bytes) => bytes.some((byte) => byte > 0x7f),
  ),
  'raw-message-truncated-multibyte: raw-message-513-when-split': forces(
    'truncate',
    (bytes) => Buffer.from(bytes).toString('utf8').slice(0, 512),
    (bytes) => bytes.length > 512 && ((bytes[512] ?? 0) & 0xc0) === 0x80,
  ),
  'raw-message-is-beginning + message-from-raw: raw-message-is-the-end': replace(
    'truncate',
    (original, bytes, context) =>
      original(bytes.subarray(Math.max(0, bytes.length - 400)), context),
  ),
  'raw-message-is-beginning: raw-message-ends-at-300': replace(
    'truncate',
    (original, bytes, context) => original(bytes.subarray(0, 300), context),
  ),
  'nested-invalid-request + unknown-type: codes-of-engines-read-as-types': replace(
    'knownType',
    (original, json, context) =>
      original({ type: memberOf(errorObject(json), 'code') }, context) ?? original(json, context),
  ),
  'json-whatever-its-label + router.transparent-proxy.envelope-whatever-its-label: errors-must-be-labelled-json':
    forces(
      'errorJson',
      undefined,
      (_body, headers) => headers['content-type']?.includes('json') !== true,
    ),
  'one-known-type: top-level-type-hides-the-nested': replace(
    'knownType',
    (original, json, context) => {
      const type = memberOf(json, 'type');
      return original(typeof type === 'string' ? { type } : json, context);
    },
  ),
  'unknown-type: types-known-by-their-end': forces(
    'knownType',
    'invalid_request_error',
    (json) => typeSaid(json)?.endsWith('_error') === true,
  ),
  ...overlooked,
});
