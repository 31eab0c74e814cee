/** Variants in what a request may look like: credentials, paths, parameters and bodies. */

import type { HeaderLine } from '../../http.ts';
import type { Answer } from '../context.ts';
import { errorCodes, Refusal } from '../model.ts';
import {
  amend,
  before,
  chained,
  choosing,
  type ComputeVariant,
  deciding,
  forces,
  offering,
  presetChoices,
  replace,
  starting,
} from './variant.ts';

const page = (status: number, text: string): Answer => ({
  status,
  headers: [],
  json: undefined,
  text,
});

/** Query texts that a firewall takes for an attack. */
const attack = /<script|' or |\.\.\/|\$\{|"\$gt"|\0/iu;

function decoded(query: string): string {
  try {
    return decodeURIComponent(query.replaceAll('+', ' '));
  } catch {
    return '';
  }
}

const isForeignLabel = ([name, value]: HeaderLine): boolean =>
  name.toLowerCase() === 'content-type' && !value.startsWith('application/json');

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(text: string): string {
  return Array.from(
    text.replace(/^.*_/u, ''),
    (digit, at) => LETTERS[(Number.parseInt(digit, 16) + at * 5) % 32],
  ).join('');
}

export const accessVariants: readonly ComputeVariant[] = [
  ...deciding({
    'statuses-of-its-own: What is gone is 410, a null note 422, a start that is refused 402, other labels a bare 415.':
      chained(
        forces('onRequest', page(415, 'Unsupported Media Type'), ({ headers }) =>
          headers.some(isForeignLabel),
        ),
        before('singleRecord', ({ state }) => {
          if (state === 'TERMINATED') throw new Refusal(410, errorCodes[404], 'Gone.');
        }),
        before('readReasonNote', ({ body }) => {
          if (/"reason_note"\s*:\s*null/u.test(Buffer.from(body).toString()))
            throw new Refusal(422, errorCodes[400], 'reason_note must be text.');
        }),
        amend('conflict', (refusal, _message, { operation }) =>
          operation === 'start-instance'
            ? new Refusal(402, errorCodes[403], refusal.message)
            : refusal,
        ),
      ),
    'seen-by-others-first: Typed routes and a firewall answer with pages of their own what the service never sees.':
      replace('onRequest', (onRequest, context) => {
        const id = context.pathParameters['id'];
        if (id !== undefined && !context.rules.isInstanceId(id, context))
          return page(404, 'Not Found');
        const isAttack = attack.test(decoded(context.query).replace(/cursor=[^&]*/u, ''));
        return isAttack ? page(403, '<h1>Request blocked</h1>') : onRequest(context);
      }),
    'addresses-end-somewhere: A front answers 414 where a query has more than 1,900 characters.':
      forces('onRequest', page(414, 'URI Too Long'), ({ query }) => query.length > 1_900),
    'second-key-changes-nothing: Policy forbids the second key to change anything, whoever owns it.':
      forces(
        'isAllowed',
        false,
        ({ role }, _operation, { method }) => role === 'second' && method !== 'GET',
      ),
    'second-key-lists-alone: Policy lets the second key list its instances, and do nothing else.':
      forces(
        'isAllowed',
        false,
        ({ role }, operation) => role === 'second' && operation !== 'list-instances',
      ),
  }),
  ...starting({
    'keys-in-base-32: Keys are numbers in base 32, which are the same in either case.': () => ({
      ...offering(undefined, ({ keys }) => ({
        keys: keys.map((key) => ({ ...key, secret: base32(key.secret) })),
      })),
      patch: replace('findKey', (findKey, token, context) => findKey(token.toUpperCase(), context)),
    }),
  }),
];

export const requestVariants: readonly ComputeVariant[] = [
  ...choosing({
    'strict-reading: Whatever the contract does not promise is refused.': {
      schemeCase: 'exact',
      unknownParameters: 'refuse',
      emptyParameters: 'value',
      repeatedParameters: 'refuse',
      partialDates: 'refuse',
      beginAfterEnd: 'refuse',
      lengthCounts: 'bytes',
      nullNote: 'refuse',
      extraMembers: 'refuse',
      bodyLabel: 'json',
      cursorWithOtherFilters: 'refuse',
    },
    'lenient-reading: Whatever the contract does not forbid is accepted.': {
      repeatedParameters: 'last',
      brokenUtf8: 'literal',
      enumCase: 'any',
      sizeSpelling: 'numeric',
      lengthCounts: 'utf-16',
      cursorWithOtherFilters: 'request-wins',
      cursorKeepsSize: true,
    },
    'sizes-by-disk: Sizes are sorted by their disk, which lists do not show.': {
      sizeOrder: 'disk',
    },
    'locale-order: Text is sorted as a person would, sizes and GPUs by GPU count; a location without a region stands for one.':
      {
        collation: 'locale',
        ties: 'oldest-first',
        sizeOrder: 'gpu-count',
        ...presetChoices({ gpuOrder: 'count', noRegion: 'location' }),
      },
    'order-without-case: Text is sorted without case, states and regions as listed.': {
      collation: 'ignore-case',
      ties: 'with-direction',
      statusOrder: 'lifecycle',
      regionOrder: 'listed',
      ...presetChoices({ noRegion: 'empty', noRegionSorts: 'last' }),
      directionAlone: 'creation',
    },
    'search-by-words: A search finds whole words only.': { search: 'words' },
    'search-with-case: A search minds case; terminated instances show on request only.': {
      search: 'exact-case',
      terminatedListed: 'when-asked',
    },
    'stored-cursors: Cursors are random; a full last page is followed by an empty one.': {
      cursor: 'stored',
      emptyLastPage: true,
    },
    'long-cursors: Cursors have kilobytes; a short page tells how many items it has.': {
      cursor: 'long',
      shortPageSize: 'items',
    },
    'awkward-cursors: Cursors are full of what URLs must escape.': { cursor: 'awkward' },
  }),
];
