/** Errors of engines that the native route reads in the wrong way. */

import { type Fault, declareFaults } from '../../fault.ts';
import { errorObject, memberOf } from '../json.ts';
import type { RouterRules } from '../rules/rules.ts';
import { RouterFailure } from '../failure.ts';
import type { Patch } from './answering.ts';

const ID = 'router.backend-classification';

/** Decides some codes before the rules do. */
function deciding(
  choose: (type: string | undefined, status: number, context: boolean) => string | undefined,
): Patch {
  return (rules) => ({
    ...rules,
    codeOf: (type, status, context) =>
      choose(type, status, context) ?? rules.codeOf(type, status, context),
  });
}

const speaking =
  (speaksOfContext: (text: string) => boolean): Patch =>
  (rules) => ({
    ...rules,
    speaksOfContext,
  });

const types = [
  ['context_length_exceeded', 'context-length'],
  ['invalid_request_error', 'invalid-request'],
  ['invalid_parameter', 'invalid-parameter'],
] as const;

/** A type that is known in one of the two places alone. */
const overlooked = types.flatMap(([type, slug]) =>
  (['top-level', 'nested'] as const).map((place): Fault<RouterRules> => ({
    name: `${slug}-overlooked-${place}`,
    summary: `Does not know the type ${type} where it stands ${place}.`,
    breaks: [`${ID}.${place}-${slug}`],
    patch: (rules) => ({
      ...rules,
      knownType: (json) => {
        const found =
          place === 'nested' ? memberOf(errorObject(json), 'type') : memberOf(json, 'type');
        return found === type ? undefined : rules.knownType(json);
      },
    }),
  })),
);

const decisions = declareFaults<RouterRules>([
  {
    name: 'type-yields-to-429',
    summary: 'Looks at a 429 before the type.',
    breaks: [`${ID}.type-over-429-503`],
    patch: deciding((type, status) =>
      type !== undefined && status === 429 ? 'backend_unavailable' : undefined,
    ),
  },
  {
    name: 'type-yields-to-503',
    summary: 'Looks at a 503 before the type.',
    breaks: [`${ID}.type-over-429-503`],
    patch: deciding((type, status) =>
      type !== undefined && status === 503 ? 'backend_unavailable' : undefined,
    ),
  },
  {
    name: 'type-yields-to-404',
    summary: 'Looks at a 404 before the type.',
    breaks: [`${ID}.type-over-other-status`],
    patch: deciding((_type, status) => (status === 404 ? 'backend_error' : undefined)),
  },
  {
    name: 'type-yields-to-502',
    summary: 'Looks at a 502 before the type.',
    breaks: [`${ID}.type-over-other-status`],
    patch: deciding((_type, status) => (status === 502 ? 'backend_error' : undefined)),
  },
  {
    name: 'type-yields-to-wording',
    summary: 'Looks at the wording of a 400 before the type.',
    breaks: [`${ID}.type-over-wording`],
    patch: deciding((_type, status, context) =>
      status === 400 && context ? 'context_length_exceeded' : undefined,
    ),
  },
  {
    name: 'unknown-type-is-backend-error',
    summary: 'Says backend_error of a 400 that names another type.',
    breaks: [`${ID}.unknown-type`],
    patch: (rules) => {
      // What stands between the two calls for one error is no await.
      let named = false;
      return {
        ...rules,
        knownType: (json) => {
          const type = rules.knownType(json);
          const said = memberOf(json, 'type') ?? memberOf(errorObject(json), 'type');
          named = type === undefined && typeof said === 'string' && said !== '';
          return type;
        },
        codeOf: (type, status, context) =>
          named ? 'backend_error' : rules.codeOf(type, status, context),
      };
    },
  },
  {
    name: 'types-known-by-their-end',
    summary: 'Takes a type for known that ends like one.',
    breaks: [`${ID}.unknown-type`],
    patch: (rules) => ({
      ...rules,
      knownType: (json) => {
        const said = memberOf(errorObject(json), 'type') ?? memberOf(json, 'type');
        return typeof said === 'string' && said.endsWith('_error')
          ? 'invalid_request_error'
          : rules.knownType(json);
      },
    }),
  },
  {
    name: 'length-is-no-wording',
    summary: 'Does not know the wording of context and length.',
    breaks: [
      `${ID}.wording-length`,
      `${ID}.wording-any-order-and-case`,
      `${ID}.wording-in-raw-body`,
    ],
    patch: speaking((text) => /context/i.test(text) && /window|token/i.test(text)),
  },
  {
    name: 'window-is-no-wording',
    summary: 'Does not know the wording of context and window.',
    breaks: [`${ID}.wording-window`, `${ID}.wording-any-order-and-case`],
    patch: speaking((text) => /context/i.test(text) && /length|token/i.test(text)),
  },
  {
    name: 'token-is-no-wording',
    summary: 'Does not know the wording of context and token.',
    breaks: [
      `${ID}.wording-token`,
      `${ID}.wording-any-order-and-case`,
      `${ID}.wording-in-raw-body`,
    ],
    patch: speaking((text) => /context/i.test(text) && /length|window/i.test(text)),
  },
  {
    name: 'wording-case-matters',
    summary: 'Knows the wording in lower case alone.',
    breaks: [`${ID}.wording-any-order-and-case`],
    patch: speaking((text) => /context/.test(text) && /length|window|token/.test(text)),
  },
  {
    name: 'wording-order-matters',
    summary: 'Knows the wording only where context comes first.',
    breaks: [`${ID}.wording-any-order-and-case`],
    patch: speaking((text) => /context.*(?:length|window|token)/is.test(text)),
  },
  {
    name: 'wording-far-apart-overlooked',
    summary: 'Knows the wording only where context and its companion stand close together.',
    breaks: [`${ID}.wording-any-order-and-case`],
    patch: speaking((text) =>
      /context.{0,20}(?:length|window|token)|(?:length|window|token).{0,20}context/is.test(text),
    ),
  },
  {
    name: 'wording-in-json-alone',
    summary: 'Does not look for the wording in a body that is no JSON.',
    breaks: [`${ID}.wording-in-raw-body`],
    patch: (rules) => {
      let isJson = false;
      return {
        ...rules,
        messageIn: (json) => {
          isJson = json !== undefined;
          return rules.messageIn(json);
        },
        speaksOfContext: (text) => isJson && rules.speaksOfContext(text),
      };
    },
  },
  {
    name: 'wording-counts-on-500',
    summary: 'Takes the wording for decisive on a 500 too.',
    breaks: [`${ID}.wording-other-status`],
    patch: deciding((type, status, context) =>
      type === undefined && context && status === 500 ? 'context_length_exceeded' : undefined,
    ),
  },
  {
    name: 'wording-counts-on-413',
    summary: 'Takes the wording for decisive on a 413 too.',
    breaks: [`${ID}.wording-other-status`],
    patch: deciding((type, status, context) =>
      type === undefined && context && status === 413 ? 'context_length_exceeded' : undefined,
    ),
  },
  {
    name: 'length-or-window-is-enough',
    summary: 'Takes any talk of a length or a window for a context that is too long.',
    breaks: [`${ID}.other-400`, `${ID}.other-422`],
    patch: speaking(
      (text) => /length|window/i.test(text) || /context.*token|token.*context/is.test(text),
    ),
  },
  {
    name: 'context-alone-is-wording',
    summary: 'Takes the word context alone for the wording.',
    breaks: [`${ID}.other-400`],
    patch: speaking((text) => /context/i.test(text)),
  },
  {
    name: 'token-alone-is-wording',
    summary: 'Takes the word token alone for the wording.',
    breaks: [`${ID}.other-422`],
    patch: speaking(
      (text) =>
        /token/i.test(text) || /context.*(?:length|window)|(?:length|window).*context/is.test(text),
    ),
  },
  ...([400, 422] as const).map((status): Fault<RouterRules> => ({
    name: `other-${status}-is-backend-error`,
    summary: `Says backend_error of a ${status} without known type and wording.`,
    breaks: [`${ID}.other-${status}`],
    patch: deciding((type, said, context) =>
      type === undefined && !context && said === status ? 'backend_error' : undefined,
    ),
  })),
  {
    name: 'engine-429-is-rate-limit',
    summary: 'Says rate_limit_exceeded of a 429 of the engine.',
    breaks: [`${ID}.status-429-not-rate-limit`, `${ID}.status-429`],
    patch: deciding((type, status) =>
      type === undefined && status === 429 ? 'rate_limit_exceeded' : undefined,
    ),
  },
  {
    name: 'engine-rate-limit-error-is-rate-limit',
    summary: 'Says rate_limit_exceeded of a 429 whose error the engine types rate_limit_error.',
    breaks: [`${ID}.status-429`],
    patch: (rules) => {
      // What stands between the two calls for one error is no await.
      let isLimit = false;
      return {
        ...rules,
        knownType: (json) => {
          isLimit = memberOf(errorObject(json), 'type') === 'rate_limit_error';
          return rules.knownType(json);
        },
        codeOf: (type, status, context) =>
          isLimit && status === 429 ? 'rate_limit_exceeded' : rules.codeOf(type, status, context),
        stops: (code, context) => code === 'rate_limit_exceeded' || rules.stops(code, context),
      };
    },
  },
  {
    name: 'engine-429-keeps-its-status',
    summary: 'Keeps the status of a 429 of the engine that ends a session.',
    breaks: [`${ID}.status-429-not-rate-limit`, 'router.codes.backend_unavailable-status'],
    patch: (rules) => ({
      ...rules,
      codeOf: (type, status, context) =>
        type === undefined && status === 429 ? 'engine_busy' : rules.codeOf(type, status, context),
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
  {
    name: 'engine-429-is-backend-error',
    summary: 'Says backend_error of a 429 of the engine.',
    breaks: [`${ID}.status-429`],
    patch: deciding((type, status) =>
      type === undefined && status === 429 ? 'backend_error' : undefined,
    ),
  },
  {
    name: 'engine-503-is-backend-error',
    summary: 'Says backend_error of a 503 of the engine.',
    breaks: [`${ID}.status-503`],
    patch: deciding((type, status) =>
      type === undefined && status === 503 ? 'backend_error' : undefined,
    ),
  },
  ...(
    [
      [418, 'invalid_parameter'],
      [504, 'request_timeout'],
      [404, 'model_not_found'],
      [401, 'unauthorized'],
      [500, 'backend_unavailable'],
    ] as const
  ).map(([status, code]): Fault<RouterRules> => ({
    name: `engine-${status}-is-${code.replaceAll('_', '-')}`,
    summary: `Says ${code} of a ${status} of the engine.`,
    breaks: [`${ID}.status-other`],
    patch: deciding((type, said) => (type === undefined && said === status ? code : undefined)),
  })),
]);

export const classificationFaults: readonly Fault<RouterRules>[] = [...overlooked, ...decisions];
