/** Credentials that pass although they are none, and keys that are known and refused in the wrong way. */

import { headerValues, type RequestContext } from '../context.ts';
import { errorCodes, type KeyEntry, notFound, Refusal } from '../model.ts';
import {
  amend,
  answering,
  enveloping,
  fails,
  faultTable,
  forces,
  isSuccess,
  type Patch,
  replace,
} from './words.ts';

const credential = (context: RequestContext): string | undefined =>
  headerValues(context, 'authorization')[0];

/** Forms of a credential that is none: whether a request brings it. */
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

/**
 * Requirements that a form breaks: an empty token is trimmed on its way, and arrives as the scheme alone; an altered key
 * is one that nobody has.
 */
function brokenBy(form: Form): readonly string[] {
  if (form === 'scheme-alone') return [form, 'token-empty'];
  return form === 'token-unknown' ? [form, 'key-altered'] : [form];
}

/** Form, operation, and which of the two the fault is aimed at. */
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

/** On the list alone, so that no form but that of an altered key shows it. */
function keyPasses(isTaken: (token: string, key: string) => boolean): Patch {
  return amend('findKey', (key, token, context) => {
    if (key !== undefined || context.operation !== 'list-instances') return key;
    return context.world.keys.find(({ secret }) => isTaken(token, secret));
  });
}

/** What is refused by policy is not only reads; an attempt ends with the first action that is not. */
const policyRefuses = ['policy-refuses-stop'];

const policies = (['stop', 'start', 'terminate'] as const).flatMap((action) =>
  faultTable('compute.authentication', {
    [`policy-refuses-${action}: policy-lets-the-forbidden-key-${action}`]: replace(
      'isAllowed',
      (original, key, operation, context) =>
        (key.role === 'forbidden' && operation === `${action}-instance`) ||
        original(key, operation, context),
    ),
  }),
);

/** On one operation, and nowhere else, a credential of one form passes as a valid key. */
const passing = pairs.flatMap(([form, operation, aim]) => {
  const ofForm = brokenBy(form);
  const [first = '', ...besides] = {
    form: [...ofForm, operation],
    'empty token': [...ofForm.toReversed(), operation],
    operation: [operation, ...ofForm],
  }[aim];
  return faultTable('compute.authentication', {
    [`${first}: ${form}-passes-on-${operation}`]: {
      besides,
      patch: forces(
        'authenticate',
        (context) => primaryKey(context),
        (context) => context.operation === operation && forms[form](context),
      ),
    },
  });
});

export const authenticationFaults = [
  ...faultTable('compute.authentication', {
    'header-missing: any-key-passes-as-x-api-key': forces(
      'authenticate',
      (context) => primaryKey(context),
      (context) =>
        credential(context) === undefined && headerValues(context, 'x-api-key').length > 0,
    ),
    'header-missing + regions: missing-credential-is-400': forces(
      'unauthorized',
      () => new Refusal(400, errorCodes[400], 'Authorization is missing.'),
      (context) => context.operation === 'regions' && forms['header-missing'](context),
    ),
    'scheme-wrong: key-passes-without-a-scheme': {
      besides: [
        'list-instances',
        'get-instance',
        'stop-instance',
        'terminate-instance',
        'start-instance',
        'regions',
        'presets',
      ],
      patch: replace('bearerToken', (original, context) => {
        const alone = credential(context) ?? '';
        return context.world.key(alone) === undefined ? original(context) : alone;
      }),
    },
    'key-altered + list-instances: key-without-its-end-passes': keyPasses(
      (token, key) => key.startsWith(token) && token.length === key.length - 1,
    ),
    'key-altered: key-in-other-case-passes': keyPasses(
      (token, key) => token.toLowerCase() === key.toLowerCase(),
    ),
    'key-altered: second-key-with-more-behind-it-passes': replace(
      'findKey',
      (original, token, context) =>
        original(token, context) ??
        context.world.keys.find(
          ({ role, secret }) => role === 'second' && token.startsWith(secret),
        ),
    ),
    'list-instances + presets: cursor-stands-for-a-key': forces(
      'authenticate',
      (context) => primaryKey(context),
      (context) => forms['header-missing'](context) && context.query.includes('cursor='),
    ),
    'policy-refusal: policy-refusal-is-401': {
      besides: policyRefuses,
      patch: (rules) => ({
        isAllowed: (key, operation, context) => {
          if (!rules.isAllowed(key, operation, context)) throw rules.unauthorized(context);
          return true;
        },
      }),
    },
    'policy-refusal: policy-refusal-is-400': {
      besides: policyRefuses,
      patch: replace('isAllowed', (original, key, operation, context) => {
        if (!original(key, operation, context)) {
          throw new Refusal(400, errorCodes[400], 'Not for this key.');
        }
        return true;
      }),
    },
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
    'tells-nothing: refusal-without-key-tells-that-an-id-exists': enveloping(
      (error, refusal, { world, pathParameters }) => ({
        error:
          refusal.status === 401 && world.instance(pathParameters['id'] ?? '') !== undefined
            ? { ...error, resource: 'instance' }
            : error,
      }),
    ),
  }),
  ...policies,
  ...passing,
];
