/** Errors of engines that are given the wrong code by their status or wording. */

import { errorObject, memberOf, RouterFailure } from '../model.ts';
import {
  after,
  answering,
  chained,
  deciding,
  every,
  fails,
  faultTable,
  denies,
  affirms,
  namesMaximum,
  on,
  type Patch,
  refusal,
  replace,
  typeSaid,
  withCode,
  withError,
  rows,
  gathered,
} from './words.ts';

const speaking =
  (speaksOfContext: (text: string) => boolean): Patch =>
  () => ({ speaksOfContext });

export const classificationFaults = faultTable('router.backend-classification', {
  'other-400: engine-400-not-read-where-a-maximum-is-asked-for': answering(
    every(
      withCode('invalid_parameter'),
      on({ path: '/v1/chat/completions' }),
      (_reply, context) => after(400)(context) && namesMaximum(context),
    ),
    (reply) => withError(refusal(reply, 502, 'backend_error'), { source: 'backend' }),
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
  }),
  'wording-any-order-and-case: wording-behind-512-bytes-overlooked': replace(
    'speaksOfContext',
    (original, _text, context) =>
      original(context.engineError?.bytes.subarray(0, 512).toString('utf8') ?? '', context),
  ),
  'status-other: redirects-are-successes': () => ({ isSuccess: (status) => status < 400 }),
  'wording-in-raw-body: wording-in-json-alone': denies(
    'speaksOfContext',
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
    affirms('stops', (code) => code === 'rate_limit_exceeded'),
  ),
  ...gathered([400, 422], (status) => ({
    [`other-${status}: other-${status}-is-backend-error`]: deciding((type, said, context) =>
      type === undefined && !context && said === status ? 'backend_error' : undefined,
    ),
  })),
});
