/** How a deployment may be asked: credentials, paths, parameters and bodies. */

import type { Answer, ComputeRules, RequestContext } from '../context.ts';
import { errorCodes, Refusal } from '../model.ts';
import { isInstanceId } from '../rules/requests.ts';
import { defaultPopulation, defaultPresets } from '../seed.ts';
import { choosing, type ComputeVariant, presetChoices, variant } from './variant.ts';

const page = (status: number, text: string): Answer => ({
  status,
  headers: [],
  json: undefined,
  text,
});

/** Texts that a firewall takes for an attack. */
const attack = /<script|' or |\.\.\/|\$\{|"\$gt"|\0/iu;

function decoded(query: string): string {
  try {
    return decodeURIComponent(query.replaceAll('+', ' '));
  } catch {
    return '';
  }
}

/** Routes take nothing but UUIDs for ids, and a firewall sees queries before the service does. */
function seenByOthersFirst(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    onRequest: async (context) => {
      const id = context.pathParameters['id'];
      if (id !== undefined && !isInstanceId(id)) return page(404, 'Not Found');
      const isAttack = attack.test(decoded(context.query).replace(/cursor=[^&]*/u, ''));
      return isAttack ? page(403, '<h1>Request blocked</h1>') : rules.onRequest(context);
    },
  };
}

/** 410 with NOT_FOUND, 422 with VALIDATION_ERROR, 402 with FORBIDDEN, and a bare 415. */
function statusesOfItsOwn(rules: ComputeRules): ComputeRules {
  const status = (refusal: Refusal, other: number): Refusal =>
    new Refusal(other, errorCodes[403], refusal.message);
  return {
    ...rules,
    onRequest: async (context) => {
      const labels = context.headers.filter(([name]) => name.toLowerCase() === 'content-type');
      const isJson = labels.every(([, value]) => value.startsWith('application/json'));
      return isJson ? rules.onRequest(context) : page(415, 'Unsupported Media Type');
    },
    singleRecord: (instance, context) => {
      if (instance.state === 'TERMINATED') throw new Refusal(410, errorCodes[404], 'Gone.');
      return rules.singleRecord(instance, context);
    },
    readReasonNote: (context) => {
      if (/"reason_note"\s*:\s*null/u.test(Buffer.from(context.body).toString())) {
        throw new Refusal(422, errorCodes[400], 'reason_note must be text.');
      }
      return rules.readReasonNote(context);
    },
    conflict: (message, context) => {
      const refusal = rules.conflict(message, context);
      return context.operation === 'start-instance' ? status(refusal, 402) : refusal;
    },
  };
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(text: string): string {
  return Array.from(
    text.replace(/^.*_/u, ''),
    (digit, at) => LETTERS[(Number.parseInt(digit, 16) + at * 5) % 32],
  ).join('');
}

const isSecondChanging = (
  key: { readonly role: string },
  { method }: Pick<RequestContext, 'method'>,
): boolean => key.role === 'second' && method !== 'GET';

export const accessVariants: readonly ComputeVariant[] = [
  variant(
    'statuses-of-its-own',
    'What is gone is 410, a null note 422, a start that is refused 402, other labels a bare 415.',
    () => ({ patch: statusesOfItsOwn }),
  ),
  variant(
    'seen-by-others-first',
    'Typed routes and a firewall answer with pages of their own what the service never sees.',
    () => ({ patch: seenByOthersFirst }),
  ),
  variant(
    'second-key-changes-nothing',
    'Policy forbids the second key to change anything, whoever owns it.',
    () => ({
      patch: (rules) => ({
        ...rules,
        isAllowed: (key, operation, context) =>
          !isSecondChanging(key, context) && rules.isAllowed(key, operation, context),
      }),
    }),
  ),
  variant(
    'keys-in-base-32',
    'Keys are numbers in base 32, which are the same in either case.',
    () => {
      const presets = defaultPresets();
      const population = defaultPopulation({ seed: 1, presets, instances: 72, now: Date.now() });
      const keys = population.keys.map((key) => ({ ...key, secret: base32(key.secret) }));
      return {
        presets,
        population: { ...population, keys },
        patch: (rules) => ({
          ...rules,
          findKey: (token, context) => rules.findKey(token.toUpperCase(), context),
        }),
      };
    },
  ),
];

export const requestVariants: readonly ComputeVariant[] = [
  choosing('strict-reading', 'Whatever the contract does not promise is refused.', {
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
  }),
  choosing('lenient-reading', 'Whatever the contract does not forbid is accepted.', {
    repeatedParameters: 'last',
    brokenEscapes: 'literal',
    enumCase: 'any',
    sizeSpelling: 'numeric',
    lengthCounts: 'utf-16',
    cursorWithOtherFilters: 'request-wins',
    cursorKeepsSize: true,
  }),
  choosing('sizes-by-disk', 'Sizes are sorted by their disk, which lists do not show.', {
    sizeOrder: 'disk',
  }),
  choosing('locale-order', 'Text is sorted as a person would, sizes and GPUs by GPU count.', {
    collation: 'locale',
    ties: 'oldest-first',
    sizeOrder: 'gpu-count',
    ...presetChoices({ gpuOrder: 'count' }),
  }),
  choosing('order-without-case', 'Text is sorted without case, states and regions as listed.', {
    collation: 'ignore-case',
    ties: 'with-direction',
    statusOrder: 'lifecycle',
    regionOrder: 'listed',
    ...presetChoices({ noRegion: 'empty', noRegionSorts: 'last' }),
    directionAlone: 'creation',
  }),
  choosing('search-by-words', 'A search finds whole words only.', { search: 'words' }),
  choosing('search-with-case', 'A search minds case; terminated instances show on request only.', {
    search: 'exact-case',
    terminatedListed: 'when-asked',
  }),
  choosing('stored-cursors', 'Cursors are random; a full last page is followed by an empty one.', {
    cursor: 'stored',
    emptyLastPage: true,
  }),
  choosing('long-cursors', 'Cursors have kilobytes; a short page tells how many items it has.', {
    cursor: 'long',
    shortPageSize: 'items',
  }),
  choosing('awkward-cursors', 'Cursors are full of what URLs must escape.', { cursor: 'awkward' }),
];
