/** Engine errors with the wrong code for their status, wording or type, or with the wrong message. */

import { RouterFailure, errorObject, memberOf } from '../model.ts';
import {
  after,
  answering,
  chained,
  CHAT,
  deciding,
  each,
  errorIn,
  every,
  fails,
  faultTable,
  forces,
  gathered,
  namesMaximum,
  on,
  onChat,
  type Patch,
  refusal,
  replace,
  rows,
  typeSaid,
  withError,
} from './words.ts';

const speaking =
  (speaksOfContext: (text: string) => boolean): Patch =>
  () => ({ speaksOfContext });

const types = [
  ['context_length_exceeded', 'context-length'],
  ['invalid_request_error', 'invalid-request'],
  ['invalid_parameter', 'invalid-parameter'],
] as const;

/** A type is recognized at only one of its two places. */
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

export const classificationFaults = faultTable('router.backend-classification', {
  'other-400: engine-400-not-read-where-a-maximum-is-asked-for': answering(
    every(
      on({ code: 'invalid_parameter' }),
      onChat,
      (_reply, context) => after(400)(context) && namesMaximum(context),
    ),
    (reply) => withError(refusal(reply, 'backend_error'), { source: 'backend' }),
  ),
  'other-400 + other-422 + status-429 + status-503 + status-other: agent-lost-over-a-body-that-is-no-text':
    fails(
      'speaksOfContext',
      () => new TypeError('a text that is none'),
      (text) => text.includes('\uFFFD'),
    ),
  ...rows(speaking, {
    'other-400 + other-422: length-or-window-is-enough': (text) =>
      /length|window/i.test(text) || /context.*token|token.*context/is.test(text),
    'wording-any-order-and-case: wording-case-matters': (text) =>
      /context/.test(text) && /length|window|token/.test(text),
    'wording-any-order-and-case: wording-far-apart-overlooked': (text) =>
      /context.{0,20}(?:length|window|token)|(?:length|window|token).{0,20}context/is.test(text),
    'wording-length + wording-any-order-and-case + wording-in-raw-body: length-is-no-wording': (
      text,
    ) => /context/i.test(text) && /window|token/i.test(text),
    'wording-window + wording-any-order-and-case: window-is-no-wording': (text) =>
      /context/i.test(text) && /length|token/i.test(text),
    'wording-token + wording-any-order-and-case + wording-in-raw-body: token-is-no-wording': (
      text,
    ) => /context/i.test(text) && /length|window/i.test(text),
    'wording-any-order-and-case: wording-behind-200-characters-overlooked': (text) =>
      /^(?=.{0,190}context).{0,190}(?:length|window|token)/is.test(text),
    'wording-any-order-and-case: wording-over-two-lines-overlooked': (text) =>
      /context.*(?:length|window|token)|(?:length|window|token).*context/i.test(text),
    'other-400: size-is-wording': (text) =>
      /context/i.test(text) && /length|window|token|size/i.test(text),
    'other-422: prompt-and-token-are-wording': (text) =>
      /(?:context|prompt).*token|token.*context|context.*(?:length|window)|(?:length|window).*context/is.test(
        text,
      ),
    'other-422: token-alone-is-wording': (text) =>
      /token/i.test(text) || /context.*(?:length|window)|(?:length|window).*context/is.test(text),
  }),
  'status-503 + unknown-type: codes-of-engines-stand-in-for-types': replace(
    'knownType',
    (original, json, context) => {
      const error = errorObject(json);
      const named = memberOf(json, 'type') ?? memberOf(error, 'type');
      return original(named === undefined ? { type: memberOf(error, 'code') } : json, context);
    },
  ),
  ...rows(deciding, {
    'other-400: empty-400-is-backend-error': (_type, status, _speaks, { engineError }) =>
      status === 400 && engineError?.bytes.length === 0 ? 'backend_error' : undefined,
    'status-other + router.authentication.refusal-message: engine-401-is-unauthorized': (
      type,
      status,
    ) => (type === undefined && status === 401 ? 'unauthorized' : undefined),
    'status-other: engine-500-is-backend-unavailable': (type, status) =>
      type === undefined && status === 500 ? 'backend_unavailable' : undefined,
    'status-503: engine-503-is-backend-error': (type, status) =>
      type === undefined && status === 503 ? 'backend_error' : undefined,
    'wording-other-status: wording-counts-on-500': (type, status, context) =>
      type === undefined && context && status === 500 ? 'context_length_exceeded' : undefined,
    'wording-other-status: wording-counts-on-413': (type, status, context) =>
      type === undefined && context && status === 413 ? 'context_length_exceeded' : undefined,
    'status-429-not-rate-limit + status-429: engine-429-is-rate-limit': (type, status) =>
      type === undefined && status === 429 ? 'rate_limit_exceeded' : undefined,
    'status-429: engine-429-is-backend-error': (type, status) =>
      type === undefined && status === 429 ? 'backend_error' : undefined,
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
  'wording-any-order-and-case: wording-behind-512-bytes-overlooked': replace(
    'speaksOfContext',
    (original, _text, context) =>
      original(context.engineError?.bytes.subarray(0, 512).toString('utf8') ?? '', context),
  ),
  'status-other: redirects-are-successes': () => ({ isSuccess: (status) => status < 400 }),
  'wording-in-raw-body: wording-in-json-alone': forces(
    'speaksOfContext',
    false,
    (_text, { engineError }) => engineError?.json === undefined,
  ),
  'status-429-not-rate-limit + router.codes.backend_unavailable-status: engine-429-keeps-its-status':
    (rules) => ({
      codeOf: (type, status, ...more) =>
        type === undefined && status === 429 ? 'engine_busy' : rules.codeOf(type, status, ...more),
      finalFailure: (journey, context) => {
        const failure = rules.finalFailure(journey, context);
        return failure.code === 'engine_busy'
          ? new RouterFailure('backend_unavailable', failure.message, { status: 429 })
          : failure;
      },
      statusOf: (failure, context) =>
        failure.detail.status === 429 ? 429 : rules.statusOf(failure, context),
    }),
  'status-429: engine-rate-limit-error-is-rate-limit': chained(
    deciding((_type, status, _speaks, { engineError }) =>
      status === 429 && typeSaid(engineError?.json) === 'rate_limit_error'
        ? 'rate_limit_exceeded'
        : undefined,
    ),
    forces('stops', true, (code) => code === 'rate_limit_exceeded'),
  ),
  ...gathered([400, 422], (status) => ({
    [`other-${status}: other-${status}-is-backend-error`]: deciding((type, said, context) =>
      type === undefined && !context && said === status ? 'backend_error' : undefined,
    ),
  })),
  'type-over-other-status: type-yields-to-409': replace(
    'codeOf',
    (original, type, status, ...more) =>
      original(status === 409 ? undefined : type, status, ...more),
  ),
  'type-over-other-status + wording-any-order-and-case: types-not-read-in-streams': answering(
    on({ code: 'context_length_exceeded', path: CHAT, stream: true }),
    (reply) => withError(refusal(reply, 'invalid_parameter'), { source: errorIn(reply)['source'] }),
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
    'message-from-json: message-of-the-engine-ends-with-its-line': (message) =>
      message?.split('\n', 1)[0],
    'message-from-json: message-of-422-lost': (message, _json, context) =>
      after(422)(context) ? 'it failed' : message,
    'message-from-json: message-before-a-stream-lost': (message, _json, context) =>
      context.stream ? 'it failed' : message,
  }),
  ...each.forces('truncate', 'the engine failed', {
    'message-from-raw + raw-message-is-beginning: raw-body-lost': () => true,
    'message-from-raw + raw-message-is-beginning: raw-page-lost': (bytes) => bytes[0] === 0x3c,
    'message-from-raw: json-without-a-message-lost': (bytes) => bytes[0] === 0x7b,
  }),
  'message-from-raw + raw-message-is-beginning: raw-body-read-as-latin-1': replace(
    'truncate',
    (original, bytes, context) =>
      original(Buffer.from(Buffer.from(bytes).toString('latin1')), context),
  ),
  'message-from-raw + raw-message-is-beginning: raw-message-ends-with-its-line': replace(
    'truncate',
    (original, bytes, context) => {
      const end = bytes.indexOf(0x0a);
      return original(end < 0 ? bytes : bytes.subarray(0, end), context);
    },
  ),
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
  ...each.forces('errorJson', undefined, {
    'json-whatever-its-label + router.transparent-proxy.envelope-whatever-its-label: errors-must-be-labelled-json':
      (_body, headers) => headers['content-type']?.includes('json') !== true,
    'json-whatever-its-label: errors-labelled-as-streams-are-not-read': (_body, headers) =>
      headers['content-type'] === 'text/event-stream',
  }),
  'one-known-type: top-level-type-hides-the-nested': replace(
    'knownType',
    (original, json, context) => {
      const type = memberOf(json, 'type');
      return original(typeof type === 'string' ? { type } : json, context);
    },
  ),
  ...each.forces('knownType', 'invalid_request_error', {
    'unknown-type: types-known-by-their-beginning': (json) =>
      typeSaid(json)?.startsWith('invalid_parameter') === true,
    'unknown-type: request-types-known-by-their-beginning': (json) =>
      typeSaid(json)?.startsWith('invalid_request_error') === true,
    'unknown-type: types-known-by-their-end': (json) => typeSaid(json)?.endsWith('_error') === true,
  }),
  'unknown-type: types-known-with-dashes': forces(
    'knownType',
    'context_length_exceeded',
    (json) => typeSaid(json)?.replaceAll('-', '_') === 'context_length_exceeded',
  ),
  ...overlooked,
});
