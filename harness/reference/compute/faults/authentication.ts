/** Invalid credentials that pass, keys that are refused in the wrong way, and rate limits. */

import { headerValues, type RequestContext } from '../context.ts';
import { errorCodes, type KeyEntry, notFound, Refusal } from '../model.ts';
import {
  amend,
  answering,
  chained,
  enveloping,
  fails,
  faultTable,
  forces,
  isSuccess,
  limited,
  namedInstance,
  nowAndThen,
  type Patch,
  replace,
  each,
  gathered,
} from './words.ts';
import type { HeaderLine } from '../../http.ts';

const credential = (context: RequestContext): string | undefined =>
  headerValues(context, 'authorization')[0];

/** Forms of an invalid credential, each with a test whether a request carries it. */
const forms = {
  'header-missing': (context: RequestContext) => credential(context) === undefined,
  'scheme-alone': (context: RequestContext) => credential(context) === 'Bearer',
  'scheme-wrong': (context: RequestContext) =>
    /^(?!bearer\b)\S+ \S+$/iu.test(credential(context) ?? ''),
  'token-with-space': (context: RequestContext) =>
    /^Bearer \S+ +\S+/u.test(credential(context) ?? ''),
  'token-unknown': (context: RequestContext) => {
    const [, token] = /^Bearer (\S+)$/u.exec(credential(context) ?? '') ?? [];
    return token !== undefined && context.world.key(token) === undefined;
  },
} as const;

type Form = keyof typeof forms;

const operations = [
  'list-instances',
  'get-instance',
  'stop-instance',
  'terminate-instance',
  'start-instance',
  'regions',
  'presets',
] as const;

function primaryKey({ world }: RequestContext): KeyEntry {
  const key = world.keys.find(({ role }) => role === 'primary');
  if (key === undefined) throw new Error('There is no primary key.');
  return key;
}

/** Requirements that a form breaks. An empty token arrives as the scheme alone; an altered key is an unknown token. */
function brokenBy(form: Form): readonly string[] {
  if (form === 'scheme-alone') return [form, 'token-empty'];
  return form === 'token-unknown' ? [form, 'key-altered'] : [form];
}

/** Form, operation, and which of them (or the empty token) the fault aims at. */
const pairs: readonly (readonly [
  Form,
  (typeof operations)[number],
  'form' | 'empty token' | 'operation',
])[] = [
  ['header-missing', 'list-instances', 'form'],
  ['header-missing', 'regions', 'operation'],
  ['header-missing', 'presets', 'operation'],
  ['scheme-alone', 'get-instance', 'form'],
  ['scheme-alone', 'presets', 'empty token'],
  ['scheme-wrong', 'stop-instance', 'operation'],
  ['scheme-wrong', 'list-instances', 'form'],
  ['token-with-space', 'terminate-instance', 'form'],
  ['token-with-space', 'regions', 'form'],
  ['token-unknown', 'start-instance', 'operation'],
  ['token-unknown', 'get-instance', 'operation'],
  ['token-unknown', 'list-instances', 'operation'],
  ['token-unknown', 'terminate-instance', 'operation'],
  ['token-unknown', 'presets', 'form'],
];

/** Only on the list, so that only the case of an altered key notices it. */
function keyPasses(isTaken: (token: string, key: string) => boolean): Patch {
  return amend('findKey', (key, token, context) => {
    if (key !== undefined || context.operation !== 'list-instances') return key;
    return context.world.keys.find(({ secret }) => isTaken(token, secret));
  });
}

/** Replaces the refusal of a policy. A case that tries several actions then ends at the first. */
function refusedByPolicy(refusal: (context: RequestContext) => Refusal): Patch {
  return amend('isAllowed', (isAllowed, _key, _operation, context) => {
    if (isAllowed) return true;
    throw refusal(context);
  });
}

const policies = gathered(['stop', 'start', 'terminate'], (action) => ({
  [`policy-refuses-${action}: policy-lets-the-forbidden-key-${action}`]: replace(
    'isAllowed',
    (original, key, operation, context) =>
      (key.role === 'forbidden' && operation === `${action}-instance`) ||
      original(key, operation, context),
  ),
}));

/** The forbidden key may only read; a start with it is refused, but the instance starts all the same. */
const startsAndRefuses: Patch = replace('isAllowed', (original, key, operation, context) => {
  if (key.role !== 'forbidden') return original(key, operation, context);
  const instance = operation === 'start-instance' ? namedInstance(context) : undefined;
  if (instance?.state === 'STOPPED') context.rules.beginStart(instance, context);
  return context.method === 'GET';
});

/** A credential of one form passes as a valid key on one operation. */
const passing = gathered(pairs, ([form, operation, aim]) => {
  const ofForm = brokenBy(form);
  const broken = {
    form: [...ofForm, operation],
    'empty token': [...ofForm.toReversed(), operation],
    operation: [operation, ...ofForm],
  }[aim];
  return {
    [`${broken.join(' + ')}: ${form}-passes-on-${operation}`]: forces(
      'authenticate',
      (context) => primaryKey(context),
      (context) => context.operation === operation && forms[form](context),
    ),
  };
});

/** A 429 with other headers. */
function waiting(
  headers: (seconds: number, context: RequestContext) => readonly HeaderLine[],
): Patch {
  return (rules) => ({
    ...limited(rules),
    tooManyRequests: (...of) =>
      new Refusal(429, errorCodes[429], 'The rate limit is exceeded.', headers(...of)),
  });
}

export const authenticationFaults = [
  ...faultTable('compute.authentication', {
    ...each.forces('authenticate', (context) => primaryKey(context), {
      'header-missing: any-key-passes-as-x-api-key': (context) =>
        credential(context) === undefined && headerValues(context, 'x-api-key').length > 0,
      'list-instances + presets: cursor-stands-for-a-key': (context) =>
        forms['header-missing'](context) && context.query.includes('cursor='),
    }),
    'header-missing + regions: missing-credential-is-400': forces(
      'unauthorized',
      () => new Refusal(400, errorCodes[400], 'Authorization is missing.'),
      (context) => context.operation === 'regions' && forms['header-missing'](context),
    ),
    [`scheme-wrong + ${operations.join(' + ')}: key-passes-without-a-scheme`]: replace(
      'bearerToken',
      (original, context) => {
        const alone = credential(context) ?? '';
        return context.world.key(alone) === undefined ? original(context) : alone;
      },
    ),
    'key-elsewhere: key-passes-as-x-api-key': replace(
      'bearerToken',
      (original, context) => original(context) ?? headerValues(context, 'x-api-key')[0],
    ),
    'scheme-wrong: key-passes-right-behind-its-scheme': replace(
      'bearerToken',
      (original, context) =>
        original(context) ?? /^Bearer(\S+)$/u.exec(credential(context) ?? '')?.[1],
    ),
    'key-stays-valid + compute.regions.answers: regions-refuse-a-key-now-and-then': nowAndThen(
      5,
      (isDue) =>
        replace('authenticate', (original, context) => {
          const key = original(context);
          if (context.operation === 'regions' && isDue()) throw context.rules.unauthorized(context);
          return key;
        }),
    ),
    'token-with-space: key-passes-behind-another-word': replace(
      'bearerToken',
      (original, context) =>
        original(context) ?? /^Bearer \S+ (\S+)$/u.exec(credential(context) ?? '')?.[1],
    ),
    'token-unknown: token-is-a-pattern': amend('findKey', (key, token, { world }) =>
      token === '%' ? world.keys[0] : key,
    ),
    'key-altered + list-instances: key-without-its-end-passes': keyPasses(
      (token, key) => key.startsWith(token) && token.length === key.length - 1,
    ),
    'key-altered: key-in-other-case-passes': keyPasses(
      (token, key) => token.toLowerCase() === key.toLowerCase(),
    ),
    'key-altered: key-before-a-comma-passes': keyPasses(
      (token, key) => token.split(',')[0] === key,
    ),
    'key-altered: second-key-with-more-behind-it-passes': amend(
      'findKey',
      (key, token, { world }) =>
        key ?? world.keys.find(({ role, secret }) => role === 'second' && token.startsWith(secret)),
    ),
    'policy-refuses-start: policy-refuses-what-has-begun': startsAndRefuses,
    'policy-refusal + policy-refuses-stop: policy-refusal-is-401': refusedByPolicy((context) =>
      context.rules.unauthorized(context),
    ),
    'policy-refusal + policy-refuses-stop: policy-refusal-is-400': refusedByPolicy(
      () => new Refusal(400, errorCodes[400], 'Not for this key.'),
    ),
    'empty-account + compute.list-instances.data-array: empty-account-gets-null-data': answering(
      (answer, context) =>
        context.operation === 'list-instances' && context.key?.role === 'empty' && isSuccess(answer)
          ? { ...answer, json: { data: null, pagination: { next: null, size: 50 } } }
          : answer,
    ),
    'empty-account: empty-account-filters-are-404': fails(
      'instancesInReach',
      notFound,
      (context) => context.key?.role === 'empty' && context.query !== '',
    ),
    'empty-account: empty-account-is-shown-gpus-of-others': amend(
      'instancesInReach',
      (all, { key, query, world }) =>
        key?.role === 'empty' && query.includes('gpu_type') ? world.instances() : all,
    ),
    'tells-nothing: refusal-without-key-tells-that-an-id-exists': enveloping(
      (error, { status }, context) => ({
        error:
          status === 401 && namedInstance(context) !== undefined
            ? { ...error, resource: 'instance' }
            : error,
      }),
    ),
    ...policies,
    ...passing,
  }),
  ...faultTable('compute.rate-limiting', {
    'retry-after-there: 429-tells-no-wait': waiting(() => []),
    'retry-after-there: 429-of-a-stop-tells-no-wait': waiting((seconds, { operation }) =>
      operation === 'stop-instance' ? [] : [['Retry-After', String(seconds)]],
    ),
    'retry-after-integer: retry-after-has-a-fraction': waiting((seconds) => [
      ['Retry-After', `${seconds}.0`],
    ]),
    'retry-after-integer: retry-after-is-an-instant': waiting((seconds) => [
      ['Retry-After', String(Math.ceil(Date.now() / 1_000) + seconds)],
    ]),
    'retry-after-integer: retry-after-is-a-date': waiting((seconds) => [
      ['Retry-After', new Date(Date.now() + seconds * 1_000).toUTCString()],
    ]),
    'exceeding-gives-429: limit-is-403-now-and-then': nowAndThen(2, (isDue) =>
      chained(
        limited,
        forces(
          'tooManyRequests',
          () => new Refusal(403, errorCodes[403], 'Too many requests.'),
          isDue,
        ),
      ),
    ),
    'exceeding-gives-429: limit-is-503-with-its-code': chained(limited, () => ({
      tooManyRequests: () => new Refusal(503, errorCodes[429], 'Too many requests.'),
    })),
    'per-key: limit-is-shared-by-all-keys': chained(
      limited,
      replace('takeRequest', (original, key, context) =>
        original({ ...key, secret: 'everybody' }, context),
      ),
    ),
    'resumes: wait-is-not-enough': (rules) => {
      const refused = new Map<string, number>();
      return chained(
        limited,
        replace('takeRequest', (original, key, context) => {
          if (context.now - (refused.get(key.secret) ?? 0) < 10_000) return 1;
          const wait = original(key, context);
          if (wait !== undefined) refused.set(key.secret, context.now);
          return wait;
        }),
      )(rules);
    },
  }),
];
