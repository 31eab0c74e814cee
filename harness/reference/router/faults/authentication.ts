/** Invalid credentials that are accepted. */

import type { IncomingHttpHeaders } from 'node:http';
import { createHash } from 'node:crypto';
import type { RequestContext } from '../model.ts';

import {
  each,
  faultTable,
  gathered,
  isAdmin,
  isModels,
  on,
  onChat,
  onMessages,
  type Patch,
  replace,
  type RequestTest,
  rows,
} from './words.ts';

const isRerank: RequestTest = on({ path: '/v1/rerank' });

const isClient: RequestTest = (context) => !isAdmin(context);

/** Stands for any credential that a fault accepts. No client can send this token. */
const LET_IN = '\u0000let in';

/** Accepts requests with the client key or, on administrator routes, the administrator key. */
function letting(lets: (token: string | undefined, context: RequestContext) => boolean): Patch {
  return (rules) => ({
    credential: (headers, context) => {
      const token = rules.credential(headers, context);
      return lets(token, context) ? LET_IN : token;
    },
    matches: (token, key, context) =>
      token === LET_IN
        ? key.name === (isAdmin(context) ? 'admin' : 'client')
        : rules.matches(token, key, context),
  });
}

/** Accepts a credential from a header that the contract does not allow. */
function lettingHeader(
  test: RequestTest,
  tokenIn: (authorization: string, headers: IncomingHttpHeaders) => string | undefined,
): Patch {
  return (rules) => ({
    credential: (headers, context) =>
      (test(context) ? tokenIn(headers.authorization ?? '', headers) : undefined) ??
      rules.credential(headers, context),
  });
}

const families = [
  ['models', isModels],
  ['chat', onChat],
  ['proxy', isRerank],
  ['admin', isAdmin],
] as const;

const isMissing = ({ headers }: RequestContext): boolean =>
  headers.authorization === undefined && headers['x-api-key'] === undefined;

/** True for an unknown key that looks like one: a single word, not a hash. */
const isUnknown = (token: string): boolean =>
  !token.startsWith('rk-') && !/\s|^[0-9a-f]{64}$/u.test(token);

const engineFor = (family: string): string =>
  family === 'chat' || family === 'proxy' ? ' + refusal-reaches-no-engine' : '';

/** A hash of a key is a separate case from an unknown key. */
const looksHashed = (token: string): boolean =>
  /^(?:[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/iu.test(token);

const hashOf = (text: string, form: 'hex' | 'base64' = 'hex'): string =>
  createHash('sha256').update(text).digest(form);

function xApiKey(test: RequestTest): Patch {
  return (rules) => ({
    credential: (headers, context) => {
      const sent = headers['x-api-key'];
      return typeof sent === 'string' && test(context) ? sent : rules.credential(headers, context);
    },
  });
}

const missing = gathered(families, ([family, test]) => ({
  [`missing-on-${family}${engineFor(family)}: no-credentials-open-${family === 'proxy' ? 'rerank' : family}`]:
    letting((_token, context) => isMissing(context) && test(context)),
}));

const unknown = gathered(families, ([family, test]) => ({
  [`unknown-on-${family}${engineFor(family)}: unknown-key-opens-${family === 'proxy' ? 'rerank' : family}`]:
    letting(
      (token, context) =>
        token !== undefined && isUnknown(token) && !looksHashed(token) && test(context),
    ),
}));

export const authenticationFaults = faultTable('router.authentication', {
  'scheme-alone: bearer-alone-opens-embeddings': letting(
    (_token, { headers, path }) =>
      /^bearer\s*$/iu.test(headers.authorization ?? '') && path === '/v1/embeddings',
  ),
  'scheme-missing: bare-key-opens-everything': lettingHeader(
    isClient,
    (sent) => /^(rk-\S+)$/u.exec(sent)?.[1],
  ),
  'scheme-wrong: scheme-that-ends-like-bearer': lettingHeader(
    isClient,
    (sent) => /bearer +(rk-\S+)$/iu.exec(sent)?.[1],
  ),
  'scheme-wrong: basic-password-opens': lettingHeader(isClient, (sent) => {
    const pair = /^Basic (\S+)$/u.exec(sent)?.[1];
    const text = Buffer.from(pair ?? '', 'base64').toString('latin1');
    return /^[^:]*:(rk-\S+)$/u.exec(text)?.[1];
  }),
  'token-with-space: first-word-of-token': lettingHeader(
    onChat,
    (sent) => /^Bearer (rk-\S+) /u.exec(sent)?.[1],
  ),
  ...each.forces('matches', true, {
    'key-altered: key-prefix-opens': (token, key) =>
      token.startsWith(key.secret) && !/\s/u.test(token),
    'key-altered: key-prefix-opens-chat': (token, key, context) =>
      onChat(context) && token.startsWith(key.secret) && !/\s/u.test(token),
    'unknown-on-admin: hash-of-an-administrator-key-opens': (token, key, context) =>
      isAdmin(context) && token === hashOf(key.secret),
    'key-altered: key-compared-without-case': (token, key) =>
      token.toLowerCase() === key.secret.toLowerCase(),
    'key-altered: quoted-key-opens': (token, key) => token.replaceAll(/^"|"$/gu, '') === key.secret,
    'key-altered: key-before-a-comma-opens': (token, key) => token.split(',')[0] === key.secret,
    'key-hash: hash-opens': (token, key, context) =>
      isClient(context) && token === hashOf(key.secret),
    'key-hash: hash-opens-in-base64': (token, key, context) =>
      isClient(context) && token === hashOf(key.secret, 'base64'),
  }),
  'missing-on-models + missing-on-chat: api-key-in-query-opens': replace(
    'credential',
    (original, headers, context) =>
      new URLSearchParams(context.query).get('api_key') ?? original(headers, context),
  ),
  'missing-on-models: api-key-header-opens-models': lettingHeader(
    isModels,
    (_authorization, headers) => [headers['api-key']].flat()[0],
  ),
  'missing-on-chat: cookie-opens-chat': lettingHeader(onChat, (_authorization, { cookie }) =>
    cookie?.split('=').at(-1),
  ),
  ...rows(xApiKey, {
    'x-api-key-on-models: x-api-key-opens-model-routes': isModels,
    'x-api-key-on-models + x-api-key-on-inference + refusal-reaches-no-engine: x-api-key-opens-all-routes':
      () => true,
    'x-api-key-on-inference + refusal-reaches-no-engine: x-api-key-opens-messages': onMessages,
    'x-api-key-on-inference: x-api-key-with-a-version-opens-messages': (context) =>
      onMessages(context) &&
      context.headers['anthropic-version'] !== undefined &&
      context.headers.authorization === undefined,
  }),
  ...missing,
  ...unknown,
});
