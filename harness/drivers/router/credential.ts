/** Credentials that are wrong on purpose, and how they are refused. */

import { createHash, randomBytes } from 'node:crypto';
import {
  type RefusalLikeness,
  type Refusals,
  sameRefusal,
} from '../../checks/router/credentials.ts';
import { isSuccess } from '../../checks/router/outcome.ts';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { type Exchange, isLoopback } from '../../exchange/exchange.ts';
import type { HeaderContent, Outgoing } from '../../exchange/outgoing.ts';
import { Secret } from '../../target/keys.ts';
import { type CallOptions, inferenceBody, inferencePaths } from './api.ts';
import {
  askRoute,
  clientRoutes,
  FEW_TOKENS,
  routesInTurn,
  UNKNOWN_MODEL,
} from './client-routes.ts';
import { Experiment } from '../../runner/case.ts';
import type { RouterContext } from './session.ts';

interface Elsewhere {
  readonly models: Outgoing;
  readonly chat: Outgoing;
}

/** A call with this as its only credential. */
export function withAuthorization(value: HeaderContent): Pick<CallOptions, 'as' | 'headers'> {
  return { as: null, headers: [['Authorization', value]] };
}

/** A call with this as its only bearer token. */
export function withBearer(token: string | Secret): Pick<CallOptions, 'as' | 'headers'> {
  return withAuthorization(['Bearer ', token]);
}

/** A call with a key that nobody has. */
export function unknownKey(): Pick<CallOptions, 'as' | 'headers'> {
  return withBearer(unknownToken());
}

/** A key that nobody has. */
function unknownToken(): string {
  return `plumbline-unknown-${randomBytes(16).toString('hex')}`;
}

/** The SHA-256 of a key, in lower-case hexadecimal unless told. It stays a secret: where keys are stored so, it is one. */
export function hashOf(key: Secret, form: 'hex' | 'base64' = 'hex'): Secret {
  const hash = createHash('sha256').update(key.reveal()).digest(form);
  return new Secret(`SHA-256 of ${key.name}`, hash);
}

/** A key as name and password of the Basic scheme, as browsers and old clients would send it. */
export function basicOf(key: Secret): Secret {
  const pair = `${key.reveal()}:${key.reveal()}`;
  return new Secret(`Basic credentials of ${key.name}`, Buffer.from(pair).toString('base64'));
}

/** Credentials that are invalid, by the requirements that each is for. */
export const invalidCredentials: readonly (readonly [
  title: string,
  ids: readonly [RouterRequirementId, ...RouterRequirementId[]],
  values: (key: Secret) => readonly HeaderContent[],
])[] = [
  [
    'a key that nobody has',
    [
      'router.authentication.unknown-on-models',
      'router.authentication.unknown-on-chat',
      'router.authentication.unknown-on-proxy',
    ],
    () => [`Bearer ${unknownToken()}`],
  ],
  ['the bearer scheme alone', ['router.authentication.scheme-alone'], () => ['Bearer']],
  ['a key without a scheme', ['router.authentication.scheme-missing'], (key) => [key]],
  [
    'a key under another scheme',
    ['router.authentication.scheme-wrong'],
    (key) => [
      ['Basic ', basicOf(key)],
      ...['Basic ', 'Token ', 'BearerToken ', 'NotBearer '].map((scheme) => [scheme, key]),
    ],
  ],
  [
    'a token with a space in it',
    ['router.authentication.token-with-space'],
    (key) => ['Bearer two words', ['Bearer ', key, ' ', key], ['Bearer x ', key]],
  ],
  [
    'the hash of a key',
    ['router.authentication.key-hash'],
    (key) => [hashOf(key), hashOf(key, 'base64')].map((hash) => ['Bearer ', hash]),
  ],
];

/** Names of query parameters in which others take keys. */
const PARAMETERS = ['key', 'api_key', 'apikey', 'api-key', 'access_token', 'token'] as const;

/**
 * A listing and a chat completion whose key stands where others keep one: in headers and in a cookie, and in the address.
 * A proxy in between writes addresses down: a key goes into one only on loopback.
 */
export function keysElsewhere(t: Pick<RouterContext, 'secret' | 'target'>): readonly Elsewhere[] {
  const key = t.secret('client');
  const headers = [
    ['api-key', key],
    ['x-goog-api-key', key],
    ['Cookie', ['api_key=', key]],
  ] as const;
  const query = Object.fromEntries(PARAMETERS.map((name) => [name, key.reveal()]));
  const places = isLoopback(new URL(t.target.baseUrl)) ? [{ headers }, { query }] : [{ headers }];
  const json = inferenceBody('chat', UNKNOWN_MODEL, { maxTokens: FEW_TOKENS });
  return places.map((place) => ({
    models: { method: 'GET', path: '/v1/models', as: null, ...place },
    chat: { method: 'POST', path: inferencePaths.chat, json, as: null, ...place },
  }));
}

/** How often refusals are compared whose bodies differ: a member that moves now and then shows as one in the end. */
const MAX_COMPARISONS = 8;

/**
 * Compares the refusal of a credential with those of another one that are `known` on the same route, which grow by what `control` gets
 * as long as the bodies differ.
 */
export async function comparedRefusal(
  known: Refusals,
  { control, probe }: Readonly<Record<'control' | 'probe', () => Promise<Exchange>>>,
): Promise<{ readonly exchange: Exchange } & RefusalLikeness> {
  const [first, ...others] = known;
  for (let comparison = 1; ; comparison += 1) {
    const exchange = await probe();
    const likeness = sameRefusal([first, ...others], exchange);
    const differs = likeness.body.violations.length > 0;
    // What was let in once was let in, whatever is refused later.
    const isOver = comparison === MAX_COMPARISONS || isSuccess(exchange);
    if (!differs || isOver) return { exchange, ...likeness };
    others.push(await control(), await control());
  }
}

/** Credentials as wrong as can be, and how each client route refuses them: asked twice, once for all cases. */
const wrong = { missing: refusedTwice(() => ({ as: null })), unknown: refusedTwice(unknownKey) };

function refusedTwice(call: () => CallOptions) {
  return clientRoutes.map((route) => {
    // A model that the route serves: a request that is wrong itself may be refused before its key is.
    const ask = async (t: RouterContext) => askRoute(t, route, call());
    const twice = async (t: RouterContext) => [await ask(t), await ask(t)] as const;
    return { route, ask, known: new Experiment(twice) };
  });
}

/**
 * Asks client routes with each of the probes, the first of which has this turn, and tells how its refusal compares with
 * those of another credential.
 */
export async function* refusals(
  t: RouterContext,
  another: keyof typeof wrong,
  probes: readonly CallOptions[],
  turn: number,
) {
  for (const [at, call] of probes.entries()) {
    const tried = new Set(routesInTurn(t, turn + at));
    for (const { route, ask, known } of wrong[another].filter((one) => tried.has(one.route))) {
      const others = await known.of(t);
      const probe = async () => askRoute(t, route, call);
      const compared = await comparedRefusal(others, { control: async () => ask(t), probe });
      yield { route, others, ...compared };
    }
  }
}
