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

function unknownToken(): string {
  return `plumbline-unknown-${randomBytes(16).toString('hex')}`;
}

/** The SHA-256 of a key (default in lower-case hexadecimal). It is a secret, too, since keys may be stored in this form. */
export function hashOf(key: Secret, form: 'hex' | 'base64' = 'hex'): Secret {
  const hash = createHash('sha256').update(key.reveal()).digest(form);
  return new Secret(`SHA-256 of ${key.name}`, hash);
}

/** A key as name and password of the Basic scheme, as browsers and old clients send it. */
export function basicOf(key: Secret): Secret {
  const pair = `${key.reveal()}:${key.reveal()}`;
  return new Secret(`Basic credentials of ${key.name}`, Buffer.from(pair).toString('base64'));
}

/** A token of the form that identity services issue, which nobody has signed. */
const FOREIGN_JWT = ['{"alg":"HS256","typ":"JWT"}', '{"sub":"plumbline"}', 'unsigned']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');

/** Invalid credentials, with the requirements that each is for. */
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
    // A router that also knows tokens of other forms may look at these first.
    () => [unknownToken(), FOREIGN_JWT, 'x'.repeat(1_500)].map((token) => `Bearer ${token}`),
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

/** Names of query parameters in which other services take keys. */
const PARAMETERS = ['key', 'api_key', 'apikey', 'api-key', 'access_token', 'token'] as const;

/** Requests with the key in other places. Proxies log addresses, so the key is in the address only on loopback. */
export function keysElsewhere(t: Pick<RouterContext, 'secret' | 'target'>): readonly Elsewhere[] {
  const key = t.secret('client');
  const headers = [
    ['api-key', key],
    ['x-goog-api-key', key],
    ['X-Authorization', ['Bearer ', key]],
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

/** Most comparisons of refusals whose bodies differ, so that a member that changes now and then is recognised. */
const MAX_COMPARISONS = 8;

/** Compares a refusal with the `known` ones of another credential; `control` adds to those while bodies differ. */
export async function comparedRefusal(
  known: Refusals,
  { control, probe }: Readonly<Record<'control' | 'probe', () => Promise<Exchange>>>,
): Promise<{ readonly exchange: Exchange } & RefusalLikeness> {
  const [first, ...others] = known;
  for (let comparison = 1; ; comparison += 1) {
    const exchange = await probe();
    const likeness = sameRefusal([first, ...others], exchange);
    const differs = likeness.body.violations.length > 0;
    // A credential that was accepted once is accepted, whatever is refused later.
    const isOver = comparison === MAX_COMPARISONS || isSuccess(exchange);
    if (!differs || isOver) return { exchange, ...likeness };
    others.push(await control(), await control());
  }
}

/** A missing and an unknown credential, and how each client route refuses them; sent twice, once for all cases. */
const wrong = { missing: refusedTwice(() => ({ as: null })), unknown: refusedTwice(unknownKey) };

function refusedTwice(call: () => CallOptions) {
  return clientRoutes.map((route) => {
    // The route serves this model: a request with another mistake may be refused before its key is checked.
    const ask = async (t: RouterContext) => askRoute(t, route, call());
    const twice = async (t: RouterContext) => [await ask(t), await ask(t)] as const;
    return { route, ask, known: new Experiment(twice) };
  });
}

/** Sends each route at least one of the probes, and yields how the refusals compare with those of another credential. */
export async function* refusals(
  t: RouterContext,
  another: keyof typeof wrong,
  probes: readonly CallOptions[],
  turn: number,
) {
  for (const [at, call] of probes.entries()) {
    const tried = new Set(routesInTurn(t, turn + at, probes.length));
    for (const { route, ask, known } of wrong[another].filter((one) => tried.has(one.route))) {
      const others = await known.of(t);
      const probe = async () => askRoute(t, route, call);
      const compared = await comparedRefusal(others, { control: async () => ask(t), probe });
      yield { route, others, ...compared };
    }
  }
}
