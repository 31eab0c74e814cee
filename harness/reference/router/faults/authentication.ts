/** Doors that stand open: credentials that must be refused and are not. */

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Fault, declareFaults } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import type { KeyEntry } from '../deployment.ts';
import type { RouterRules } from '../rules/rules.ts';

type RequestTest = (context: RequestContext) => boolean;

const isModels: RequestTest = ({ path }) => path.startsWith('/v1/models');
const isChat: RequestTest = ({ path }) => path === '/v1/chat/completions';
const isRerank: RequestTest = ({ path }) => path === '/v1/rerank';
const isMessages: RequestTest = ({ path }) => path === '/v1/messages';
const isAdmin: RequestTest = ({ path }) => path.startsWith('/admin/');
const isClient: RequestTest = (context) => !isAdmin(context);

/** Refused credentials must look alike: one that is let in differs from one that is refused. */
const UNLIKE = [
  'router.authentication.refusal-same-status',
  'router.authentication.refusal-same-body',
  'router.authentication.refusal-same-challenge',
] as const;

/** A token that no client can send stands for a credential that is let in as some key. */
const LET_IN = '\u0000let in';

/** Lets requests in as the client or, on administrator routes, as the administrator. */
function letting(lets: (token: string | undefined, context: RequestContext) => boolean) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
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

/** Lets in what comes in a header that the rules do not read as a credential. */
function lettingHeader(
  test: RequestTest,
  tokenIn: (authorization: string, headers: IncomingHttpHeaders) => string | undefined,
) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    credential: (headers, context) =>
      (test(context) ? tokenIn(headers.authorization ?? '', headers) : undefined) ??
      rules.credential(headers, context),
  });
}

/** Lets a key in that is not exactly the token. */
function matching(test: (token: string, key: KeyEntry, context: RequestContext) => boolean) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    matches: (token, key, context) =>
      rules.matches(token, key, context) || test(token, key, context),
  });
}

const families = [
  ['models', isModels],
  ['chat', isChat],
  ['proxy', isRerank],
  ['admin', isAdmin],
] as const;

const isMissing = ({ headers }: RequestContext): boolean =>
  headers.authorization === undefined && headers['x-api-key'] === undefined;
/** A key that nobody has, in the form of one: neither a hash nor several words. */
const isUnknown = (token: string): boolean =>
  !token.startsWith('rk-') && !/\s|^[0-9a-f]{64}$/u.test(token);
const likeness = (family: string): readonly string[] =>
  family === 'admin' ? ['router.authentication.refusal-same-on-admin'] : UNLIKE;
const engineFor = (family: string): readonly string[] =>
  family === 'chat' || family === 'proxy'
    ? ['router.authentication.refusal-reaches-no-engine']
    : [];

const missing = families.map(([family, test]): Fault<RouterRules> => ({
  name: `no-credentials-open-${family === 'proxy' ? 'rerank' : family}`,
  summary: `Answers requests without credentials on ${family} routes.`,
  breaks: [`router.authentication.missing-on-${family}`, ...likeness(family), ...engineFor(family)],
  patch: letting((_token, context) => isMissing(context) && test(context)),
}));

/** The hash of a key is something else than a key that nobody has. */
const looksHashed = (token: string): boolean =>
  /^(?:[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/iu.test(token);

const unknown = families.map(([family, test]): Fault<RouterRules> => ({
  name: `unknown-key-opens-${family === 'proxy' ? 'rerank' : family}`,
  summary: `Answers requests with a key that nobody has on ${family} routes.`,
  breaks: [`router.authentication.unknown-on-${family}`, ...likeness(family), ...engineFor(family)],
  patch: letting(
    (token, context) =>
      token !== undefined && isUnknown(token) && !looksHashed(token) && test(context),
  ),
}));

const hashOf = (text: string, form: 'hex' | 'base64' = 'hex'): string =>
  createHash('sha256').update(text).digest(form);

const forms: readonly Fault<RouterRules>[] = [
  {
    name: 'bearer-alone-opens-embeddings',
    summary: 'Takes the scheme without a token for anybody on the embeddings route.',
    breaks: ['router.authentication.scheme-alone', ...UNLIKE],
    patch: letting(
      (_token, { headers, path }) =>
        /^bearer\s*$/iu.test(headers.authorization ?? '') && path === '/v1/embeddings',
    ),
  },
  {
    name: 'bare-key-opens-everything',
    summary: 'Takes a key without the bearer scheme.',
    breaks: ['router.authentication.scheme-missing', ...UNLIKE],
    patch: lettingHeader(isClient, (sent) => /^(rk-\S+)$/u.exec(sent)?.[1]),
  },
  {
    name: 'token-scheme-opens-models',
    summary: 'Takes a key under the Token scheme where models are listed.',
    breaks: ['router.authentication.scheme-wrong', ...UNLIKE],
    patch: lettingHeader(isModels, (sent) => /^Token (rk-\S+)$/iu.exec(sent)?.[1]),
  },
  {
    name: 'scheme-that-ends-like-bearer',
    summary:
      'Looks for the bearer scheme anywhere in the credential, so that another one may end like it.',
    breaks: ['router.authentication.scheme-wrong', ...UNLIKE],
    patch: lettingHeader(isClient, (sent) => /bearer +(rk-\S+)$/iu.exec(sent)?.[1]),
  },
  {
    name: 'basic-password-opens',
    summary: 'Takes a key as the password of Basic credentials.',
    breaks: ['router.authentication.scheme-wrong', ...UNLIKE],
    patch: lettingHeader(isClient, (sent) => {
      const pair = /^Basic (\S+)$/u.exec(sent)?.[1];
      const text = Buffer.from(pair ?? '', 'base64').toString('latin1');
      return /^[^:]*:(rk-\S+)$/u.exec(text)?.[1];
    }),
  },
  {
    name: 'any-word-before-the-key',
    summary: 'Takes the last word of the credential for the key, whatever stands before it.',
    breaks: [
      'router.authentication.scheme-wrong',
      'router.authentication.token-with-space',
      'router.authentication.scheme-missing',
      ...UNLIKE,
    ],
    patch: lettingHeader(isClient, (sent) => /(rk-\S+)$/u.exec(sent)?.[1]),
  },
  {
    name: 'first-word-of-token',
    summary: 'Reads a token to its first space alone.',
    breaks: ['router.authentication.token-with-space', ...UNLIKE],
    patch: lettingHeader(isChat, (sent) => /^Bearer (rk-\S+) /u.exec(sent)?.[1]),
  },
  {
    name: 'key-prefix-opens',
    summary: 'Compares keys by their beginning, so that longer ones pass.',
    breaks: ['router.authentication.key-altered'],
    patch: matching((token, key) => token.startsWith(key.secret) && !/\s/u.test(token)),
  },
  {
    name: 'key-compared-without-case',
    summary: 'Compares keys without regard to case.',
    breaks: ['router.authentication.key-altered'],
    patch: matching((token, key) => token.toLowerCase() === key.secret.toLowerCase()),
  },
  {
    name: 'quoted-key-opens',
    summary: 'Takes quotes away that stand around a key.',
    breaks: ['router.authentication.key-altered'],
    patch: matching((token, key) => token.replaceAll(/^"|"$/gu, '') === key.secret),
  },
  {
    name: 'key-compared-but-for-its-end',
    summary: 'Leaves the last character of a key out of the comparison.',
    breaks: ['router.authentication.key-altered'],
    patch: matching(
      (token, key) => token.slice(0, -1) === key.secret.slice(0, -1) && !/\s/u.test(token),
    ),
  },
  {
    name: 'api-key-in-query-opens',
    summary: 'Takes a key from the query where a client sends none otherwise.',
    breaks: ['router.authentication.missing-on-models', 'router.authentication.missing-on-chat'],
    patch: (rules) => ({
      ...rules,
      credential: (headers, context) =>
        new URLSearchParams(context.query).get('api_key') ?? rules.credential(headers, context),
    }),
  },
  {
    name: 'api-key-header-opens-models',
    summary: 'Takes a key from api-key where models are listed.',
    breaks: ['router.authentication.missing-on-models'],
    patch: lettingHeader(isModels, (_authorization, headers) => [headers['api-key']].flat()[0]),
  },
  {
    name: 'cookie-opens-chat',
    summary: 'Takes a key from a cookie on the chat route.',
    breaks: ['router.authentication.missing-on-chat'],
    patch: lettingHeader(isChat, (_authorization, { cookie }) => cookie?.split('=').at(-1)),
  },
  {
    name: 'x-api-key-opens-model-routes',
    summary: 'Takes a key from x-api-key on the model routes alone.',
    breaks: ['router.authentication.x-api-key-on-models'],
    patch: xApiKey(isModels),
  },
  {
    name: 'x-api-key-opens-messages',
    summary: 'Takes a key from x-api-key on the messages route, as its usual clients send it.',
    breaks: [
      'router.authentication.x-api-key-on-inference',
      'router.authentication.refusal-reaches-no-engine',
    ],
    patch: xApiKey(isMessages),
  },
  {
    name: 'x-api-key-instead-of-wrong-key',
    summary: 'Falls back to x-api-key when the bearer key is unknown.',
    breaks: [
      'router.authentication.x-api-key-on-models',
      'router.authentication.x-api-key-on-inference',
    ],
    patch: (rules) => {
      const fallback = xApiKey(({ headers }) => headers.authorization !== undefined)(rules);
      return fallback;
    },
  },
  {
    name: 'hash-opens',
    summary: 'Takes the SHA-256 of a key for the key.',
    breaks: ['router.authentication.key-hash', ...UNLIKE],
    patch: matching((token, key, context) => isClient(context) && token === hashOf(key.secret)),
  },
  {
    name: 'hash-opens-in-base64',
    summary: 'Takes the SHA-256 of a key for the key, in base64.',
    breaks: ['router.authentication.key-hash', ...UNLIKE],
    patch: matching(
      (token, key, context) => isClient(context) && token === hashOf(key.secret, 'base64'),
    ),
  },
];

function xApiKey(test: RequestTest) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    credential: (headers, context) => {
      const sent = headers['x-api-key'];
      return typeof sent === 'string' && test(context) ? sent : rules.credential(headers, context);
    },
  });
}

export const authenticationFaults = declareFaults<RouterRules>([...missing, ...unknown, ...forms]);
