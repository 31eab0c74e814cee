/** Errors of engines that the native route reads in the wrong way. */

import type { Fault } from '../../fault.ts';
import { errorObject, memberOf, type RequestContext, RouterFailure } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import { chained, faultTable, type Patch, replace, unless } from './answering.ts';

const ID = 'router.backend-classification';

/** Decides some codes before the rules do. */
function deciding(
  choose: (
    type: string | undefined,
    status: number,
    speaks: boolean,
    context: RequestContext,
  ) => string | undefined,
): Patch {
  return replace(
    'codeOf',
    (original, type, status, speaks, context) =>
      choose(type, status, speaks, context) ?? original(type, status, speaks, context),
  );
}

const speaking =
  (speaksOfContext: (text: string) => boolean): Patch =>
  (rules) => ({
    ...rules,
    speaksOfContext,
  });

/** The type that an engine names, known or not. */
function typeSaid(json: unknown): string | undefined {
  const type = memberOf(errorObject(json), 'type') ?? memberOf(json, 'type');
  return typeof type === 'string' ? type : undefined;
}

const types = [
  ['context_length_exceeded', 'context-length'],
  ['invalid_request_error', 'invalid-request'],
  ['invalid_parameter', 'invalid-parameter'],
] as const;

/** A type that is known in one of the two places alone. */
const overlooked = types.flatMap(([type, slug]) =>
  (['top-level', 'nested'] as const).flatMap((place) =>
    faultTable({
      [`${ID}.${place}-${slug}`]: {
        [`${slug}-overlooked-${place}`]: {
          says: `Does not know the type ${type} where it stands ${place}.`,
          patch: replace('knownType', (original, json, context) => {
            const found =
              place === 'nested' ? memberOf(errorObject(json), 'type') : memberOf(json, 'type');
            return found === type ? undefined : original(json, context);
          }),
        },
      },
    }),
  ),
);

const decisions = [
  ...faultTable({
    'router.backend-classification.type-over-429-503': {
      'type-yields-to-429': deciding((type, status) =>
        type !== undefined && status === 429 ? 'backend_unavailable' : undefined,
      ),
      'type-yields-to-503': deciding((type, status) =>
        type !== undefined && status === 503 ? 'backend_unavailable' : undefined,
      ),
    },
    'router.backend-classification.type-over-other-status': {
      'type-yields-to-404': deciding((_type, status) =>
        status === 404 ? 'backend_error' : undefined,
      ),
      'type-yields-to-502': deciding((_type, status) =>
        status === 502 ? 'backend_error' : undefined,
      ),
    },
    'router.backend-classification.type-over-wording': {
      'type-yields-to-wording': deciding((_type, status, context) =>
        status === 400 && context ? 'context_length_exceeded' : undefined,
      ),
    },
    'router.backend-classification.unknown-type': {
      'unknown-type-is-backend-error': deciding((type, _status, _speaks, { engineError }) => {
        const said = typeSaid(engineError?.json);
        return type === undefined && said !== undefined && said !== ''
          ? 'backend_error'
          : undefined;
      }),
      'types-known-by-their-end': unless(
        'knownType',
        (json) => typeSaid(json)?.endsWith('_error') === true,
        'invalid_request_error',
      ),
    },
    'router.backend-classification.wording-length': {
      'length-is-no-wording': {
        besides: [
          'router.backend-classification.wording-any-order-and-case',
          'router.backend-classification.wording-in-raw-body',
        ],
        patch: speaking((text) => /context/i.test(text) && /window|token/i.test(text)),
      },
    },
    'router.backend-classification.wording-window': {
      'window-is-no-wording': {
        besides: ['router.backend-classification.wording-any-order-and-case'],
        patch: speaking((text) => /context/i.test(text) && /length|token/i.test(text)),
      },
    },
    'router.backend-classification.wording-token': {
      'token-is-no-wording': {
        besides: [
          'router.backend-classification.wording-any-order-and-case',
          'router.backend-classification.wording-in-raw-body',
        ],
        patch: speaking((text) => /context/i.test(text) && /length|window/i.test(text)),
      },
    },
    'router.backend-classification.wording-any-order-and-case': {
      'wording-case-matters': {
        says: 'Knows the wording in lower case alone.',
        patch: speaking((text) => /context/.test(text) && /length|window|token/.test(text)),
      },
      'wording-order-matters': {
        says: 'Knows the wording only where context comes first.',
        patch: speaking((text) => /context.*(?:length|window|token)/is.test(text)),
      },
      'wording-far-apart-overlooked': {
        says: 'Knows the wording only where context and its companion stand close together.',
        patch: speaking((text) =>
          /context.{0,20}(?:length|window|token)|(?:length|window|token).{0,20}context/is.test(
            text,
          ),
        ),
      },
    },
    'router.backend-classification.wording-in-raw-body': {
      'wording-in-json-alone': unless(
        'speaksOfContext',
        (_text, { engineError }) => engineError?.json === undefined,
        false,
      ),
    },
    'router.backend-classification.wording-other-status': {
      'wording-counts-on-500': deciding((type, status, context) =>
        type === undefined && context && status === 500 ? 'context_length_exceeded' : undefined,
      ),
      'wording-counts-on-413': deciding((type, status, context) =>
        type === undefined && context && status === 413 ? 'context_length_exceeded' : undefined,
      ),
    },
    'router.backend-classification.other-400': {
      'length-or-window-is-enough': {
        besides: ['router.backend-classification.other-422'],
        patch: speaking(
          (text) => /length|window/i.test(text) || /context.*token|token.*context/is.test(text),
        ),
      },
      'context-alone-is-wording': speaking((text) => /context/i.test(text)),
    },
    'router.backend-classification.other-422': {
      'token-alone-is-wording': speaking(
        (text) =>
          /token/i.test(text) ||
          /context.*(?:length|window)|(?:length|window).*context/is.test(text),
      ),
    },
    'router.backend-classification.status-429-not-rate-limit': {
      'engine-429-is-rate-limit': {
        besides: ['router.backend-classification.status-429'],
        patch: deciding((type, status) =>
          type === undefined && status === 429 ? 'rate_limit_exceeded' : undefined,
        ),
      },
      'engine-429-keeps-its-status': {
        besides: ['router.codes.backend_unavailable-status'],
        patch: (rules) => ({
          codeOf: (type, status, ...more) =>
            type === undefined && status === 429
              ? 'engine_busy'
              : rules.codeOf(type, status, ...more),
          finalFailure: (journey, context) => {
            const failure = rules.finalFailure(journey, context);
            return failure.code === 'engine_busy'
              ? new RouterFailure('backend_unavailable', failure.message, { status: 429 })
              : failure;
          },
          statusOf: (failure, context) =>
            failure.detail.status === 429 ? 429 : rules.statusOf(failure, context),
        }),
      },
    },
    'router.backend-classification.status-429': {
      'engine-rate-limit-error-is-rate-limit': chained(
        deciding((_type, status, _speaks, { engineError }) =>
          status === 429 && typeSaid(engineError?.json) === 'rate_limit_error'
            ? 'rate_limit_exceeded'
            : undefined,
        ),
        unless('stops', (code) => code === 'rate_limit_exceeded', true),
      ),
      'engine-429-is-backend-error': deciding((type, status) =>
        type === undefined && status === 429 ? 'backend_error' : undefined,
      ),
    },
    'router.backend-classification.status-503': {
      'engine-503-is-backend-error': deciding((type, status) =>
        type === undefined && status === 503 ? 'backend_error' : undefined,
      ),
    },
  }),
  ...([400, 422] as const).flatMap((status) =>
    faultTable({
      [`${ID}.other-${status}`]: {
        [`other-${status}-is-backend-error`]: deciding((type, said, context) =>
          type === undefined && !context && said === status ? 'backend_error' : undefined,
        ),
      },
    }),
  ),
  ...(
    [
      [418, 'invalid_parameter'],
      [504, 'request_timeout'],
      [404, 'model_not_found'],
      [401, 'unauthorized'],
      [500, 'backend_unavailable'],
    ] as const
  ).flatMap(([status, code]) =>
    faultTable({
      [`${ID}.status-other`]: {
        [`engine-${status}-is-${code.replaceAll('_', '-')}`]: {
          besides: status === 401 ? ['router.authentication.refusal-message'] : [],
          patch: deciding((type, said) =>
            type === undefined && said === status ? code : undefined,
          ),
        },
      },
    }),
  ),
];

export const classificationFaults: readonly Fault<RouterRules>[] = [...overlooked, ...decisions];
