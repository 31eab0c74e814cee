/** Credentials that pass although they are none, and keys that are known and refused in the wrong way. */

import { type ComputeRules, type RequestContext, headerValues } from '../context.ts';
import { type Fault, declareFaults } from '../../fault.ts';
import type { KeyEntry } from '../model.ts';
import { Refusal, errorCodes } from '../refusal.ts';
import { answering, enveloping, isSuccess } from './answering.ts';

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
  const own = `compute.authentication.${form}`;
  if (form === 'scheme-alone') return [own, 'compute.authentication.token-empty'];
  if (form === 'token-unknown') return [own, 'compute.authentication.key-altered'];
  return [own];
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
  ['header-missing', 'stop-instance', 'form'],
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

function formPasses([form, operation, aim]: (typeof pairs)[number]): Fault<ComputeRules> {
  const ofForm = brokenBy(form);
  const ofOperation = `compute.authentication.${operation}`;
  return {
    name: `${form}-passes-on-${operation}`,
    summary: `On ${operation}, and nowhere else, a credential of the form ${form} passes as a valid key.`,
    breaks: {
      form: [...ofForm, ofOperation],
      'empty token': [...ofForm.toReversed(), ofOperation],
      operation: [ofOperation, ...ofForm],
    }[aim],
    patch: (rules) => ({
      ...rules,
      authenticate: (context) =>
        context.operation === operation && forms[form](context)
          ? primaryKey(context)
          : rules.authenticate(context),
    }),
  };
}

/** On the list alone, so that no form but that of an altered key shows it. */
function keyPasses(
  name: string,
  what: string,
  isTaken: (token: string, key: string) => boolean,
  breaks: readonly string[] = ['compute.authentication.key-altered'],
): Fault<ComputeRules> {
  return {
    name,
    summary: `On the instance list, ${what} passes as that key.`,
    breaks,
    patch: (rules) => ({
      ...rules,
      findKey: (token, context) => {
        const key = rules.findKey(token, context);
        if (key !== undefined || context.operation !== 'list-instances') return key;
        return context.world.keys.find(({ secret }) => isTaken(token, secret));
      },
    }),
  };
}

export const authenticationFaults = declareFaults<ComputeRules>([
  ...pairs.map(formPasses),
  {
    name: 'token-is-cut-at-its-first-space',
    summary: 'A valid key with a space and more text behind it passes.',
    breaks: [
      'compute.authentication.token-with-space',
      ...operations.map((operation) => `compute.authentication.${operation}`),
    ],
    patch: (rules) => ({
      ...rules,
      bearerToken: (context) =>
        /^Bearer (\S+) /u.exec(credential(context) ?? '')?.[1] ?? rules.bearerToken(context),
    }),
  },
  {
    name: 'any-key-passes-as-x-api-key',
    summary: 'Without an Authorization header, whatever stands in X-API-Key passes.',
    breaks: ['compute.authentication.header-missing'],
    patch: (rules) => ({
      ...rules,
      authenticate: (context) =>
        credential(context) === undefined && headerValues(context, 'x-api-key').length > 0
          ? primaryKey(context)
          : rules.authenticate(context),
    }),
  },
  {
    name: 'key-passes-without-a-scheme',
    summary: 'Authorization may hold the key alone.',
    breaks: [
      'compute.authentication.scheme-wrong',
      ...operations.map((operation) => `compute.authentication.${operation}`),
    ],
    patch: (rules) => ({
      ...rules,
      bearerToken: (context) => {
        const alone = credential(context) ?? '';
        return context.world.key(alone) === undefined ? rules.bearerToken(context) : alone;
      },
    }),
  },
  keyPasses(
    'key-without-its-end-passes',
    'a valid key without its last character',
    (token, key) => key.startsWith(token) && token.length === key.length - 1,
    ['compute.authentication.key-altered', 'compute.authentication.list-instances'],
  ),
  keyPasses('key-with-more-before-it-passes', 'a text that ends in a valid key', (token, key) =>
    token.endsWith(key),
  ),
  keyPasses(
    'key-in-other-case-passes',
    'a valid key in which a letter has the other case',
    (token, key) => token.toLowerCase() === key.toLowerCase(),
  ),
  {
    name: 'second-key-with-more-behind-it-passes',
    summary: 'Any text that begins with the key of the second account passes as that key.',
    breaks: ['compute.authentication.key-altered'],
    patch: (rules) => ({
      ...rules,
      findKey: (token, context) =>
        rules.findKey(token, context) ??
        context.world.keys.find(
          ({ role, secret }) => role === 'second' && token.startsWith(secret),
        ),
    }),
  },
  {
    name: 'cursor-stands-for-a-key',
    summary: 'A request with a cursor is served without a key.',
    breaks: ['compute.authentication.list-instances', 'compute.authentication.presets'],
    patch: (rules) => ({
      ...rules,
      authenticate: (context) =>
        forms['header-missing'](context) && context.query.includes('cursor=')
          ? primaryKey(context)
          : rules.authenticate(context),
    }),
  },
  {
    name: 'missing-credential-is-400',
    summary: 'A request without a credential to the regions is refused with 400.',
    breaks: ['compute.authentication.header-missing', 'compute.authentication.regions'],
    patch: (rules) => ({
      ...rules,
      unauthorized: (context) =>
        context.operation === 'regions' && forms['header-missing'](context)
          ? new Refusal(400, errorCodes[400], 'Authorization is missing.')
          : rules.unauthorized(context),
    }),
  },
  {
    name: 'false-key-on-unknown-id-is-404',
    summary: 'A stop looks for the instance before it looks at the key: unknown ids are 404.',
    breaks: [
      ...Object.keys(forms).map((form) => `compute.authentication.${form}`),
      'compute.authentication.token-empty',
      'compute.authentication.key-altered',
      'compute.authentication.stop-instance',
    ],
    patch: (rules) => ({
      ...rules,
      unauthorized: (context) =>
        context.operation === 'stop-instance' &&
        context.world.instance(context.pathParameters['id'] ?? '') === undefined
          ? new Refusal(404, errorCodes[404], 'There is no such instance.')
          : rules.unauthorized(context),
    }),
  },
  {
    name: 'policy-refusal-is-401',
    summary: 'A key whose policy forbids an operation is told that it is not valid.',
    breaks: ['compute.authentication.policy-refusal'],
    patch: (rules) => ({
      ...rules,
      isAllowed: (key, operation, context) => {
        if (!rules.isAllowed(key, operation, context)) throw rules.unauthorized(context);
        return true;
      },
    }),
  },
  {
    name: 'policy-refusal-is-400',
    summary: 'A key whose policy forbids an operation is told that its request is malformed.',
    breaks: ['compute.authentication.policy-refusal'],
    patch: (rules) => ({
      ...rules,
      isAllowed: (key, operation, context) => {
        if (!rules.isAllowed(key, operation, context)) {
          throw new Refusal(400, errorCodes[400], 'Not for this key.');
        }
        return true;
      },
    }),
  },
  {
    name: 'empty-account-is-404',
    summary: 'The instance list of an account without instances is 404.',
    breaks: ['compute.authentication.empty-account'],
    patch: (rules) =>
      answering(rules, (answer, context) =>
        context.operation === 'list-instances' && context.key?.role === 'empty' && isSuccess(answer)
          ? rules.errorAnswer(new Refusal(404, errorCodes[404], 'Nothing here.'), context)
          : answer,
      ),
  },
  {
    name: 'empty-account-gets-null-data',
    summary: 'The instance list of an account without instances has null as its data.',
    breaks: ['compute.authentication.empty-account', 'compute.list-instances.data-array'],
    patch: (rules) =>
      answering(rules, (answer, context) =>
        context.operation === 'list-instances' && context.key?.role === 'empty' && isSuccess(answer)
          ? { ...answer, json: { data: null, pagination: { next: null, size: 50 } } }
          : answer,
      ),
  },
  {
    name: 'refusal-without-key-tells-that-an-id-exists',
    summary: 'Without a key, a 401 has one member more when the id exists.',
    breaks: ['compute.authentication.tells-nothing'],
    patch: (rules) =>
      enveloping(rules, (error, refusal, { world, pathParameters }) => ({
        error:
          refusal.status === 401 && world.instance(pathParameters['id'] ?? '') !== undefined
            ? { ...error, resource: 'instance' }
            : error,
      })),
  },
]);
