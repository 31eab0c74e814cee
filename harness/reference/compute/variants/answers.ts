/** Variants in lists and responses. */

import { defaultPresetFields } from '../choices.ts';
import {
  amend,
  chained,
  choosing,
  type ComputeVariant,
  deciding,
  forces,
  instancesLike,
  offering,
  presetChoices,
  starting,
} from './variant.ts';
import type { RequestContext } from '../context.ts';
import type { InstanceState, Page, PagedQuery, Position, Preset } from '../model.ts';
import { defaultPresets } from '../seed.ts';

export const answerVariants: readonly ComputeVariant[] = [
  ...choosing({
    'other-paths: Terminate and start have other paths, and start is a PUT.': {
      terminatePath: '/instances/{id}/actions/destroy',
      start: { method: 'PUT', path: '/boot-up/{id}' },
    },
    'no-start: Instances cannot be started over the API.': { startOffered: false },
    'plain-200: Stop, terminate and provision answer 200, start answers 204.': {
      stopStatus: 200,
      terminateStatus: 200,
      startStatus: 204,
      startAnswers: 'nothing',
      provisionStatus: 200,
    },
    'created-201: Stop and terminate answer 201.': { stopStatus: 201, terminateStatus: 201 },
    'wrapped-bodies: A single instance and the regions stand inside an object.': {
      getInstanceMember: 'instance',
      getInstanceVariant: 'action',
      regionsBody: { member: 'regions', item: undefined },
    },
    'other-preset-names: Presets have other names, are nested and come by price.': {
      ...presetChoices({
        items: 'presets',
        skuFilter: 'sku_name',
        freeTextFilter: 'q',
        defaultSize: 100,
        fields: { ...defaultPresetFields, sku: 'sku', price: 'credits_per_hour', cpu: 'vcpus' },
        shape: 'nested',
        noRegion: 'absent',
        noRegionSorts: 'last',
        order: 'price',
      }),
    },
    'extra-members: Records, pages, presets and envelopes have further members.': {
      instanceExtras: { tags: ['x'], created_by: null },
      presetExtras: { soon: false },
      pageExtras: { total: 3, links: [{ rel: 'self' }], warnings: ['A page like any other.'] },
      paginationExtras: { previous: null },
      envelopeExtras: { top: { status: 'error' }, error: { details: [] } },
      extraHeaders: [['X-Trace', 'abc']],
    },
    'headline-by-model: Dates have whole seconds, headlines name the GPU.': {
      dates: 'seconds',
      headline: 'times-model',
    },
    'headline-by-cores: Dates have microseconds, headlines count cores.': {
      dates: 'microseconds',
      headline: 'vcpus',
      guestReady: { ready: 'yes', notReady: '' },
    },
    'dates-with-offset: Dates have a numeric offset, headlines the GPU in parentheses.': {
      dates: 'offset',
      headline: 'in-parentheses',
    },
    'other-errors: Errors have no text, 409 another code, unknown routes plain text.': {
      conflictCode: 'INSTANCE_GONE',
      message: () => '',
      challenge: undefined,
      malformedId: 404,
      unknownRoute: 'plain',
      wrongMethod: 405,
      precedence: 'request-first',
    },
    'conflict-is-validation: 409 carries a code of the enum.': {
      conflictCode: 'VALIDATION_ERROR',
      wrongMethod: 405,
    },
    'chunked-lower-case: Bodies are chunked and pretty, header names in lower case.': {
      framing: { headerCase: 'lower', chunkBytes: 100 },
      json: 'pretty',
      contentType: 'application/json; charset=utf-8',
    },
    'upper-case-ascii: Header names are in upper case, bodies in ASCII.': {
      framing: { headerCase: 'upper', chunkBytes: undefined },
      json: 'ascii',
      contentType: 'Application/JSON;charset=UTF-8',
    },
  }),
];

/** Presets show GPU count and model in one text, with `sign` between them. Search and sort use the model. */
const headlines = (sign: string) => () => {
  const presets = defaultPresets().map((preset) => ({ ...preset, gpu: `${preset.gpu} 80GB` }));
  return {
    ...offering(presets),
    choices: presetChoices({ unbound: ['gpuCount'] }),
    patch: amend('presetRecord', ({ gpu_count: count, ...record }, { gpu }) => ({
      ...record,
      gpu: `${String(count)}${sign}${gpu}`,
    })),
  };
};

/** The place of a value in the order in which the catalogue has its values first. */
const placeOf = (value: string, field: 'gpu' | 'location', { world }: RequestContext): number =>
  world.presets.findIndex((preset) => preset[field] === value);

const ended: ReadonlySet<InstanceState> = new Set(['ERRORED', 'TERMINATING', 'TERMINATED']);
const SECOND_MS = 1_000;

/** A preset has one id at all its locations, and one price within a region. */
function onePresetAtSeveralPlaces(): readonly Preset[] {
  const offers = defaultPresets().map((preset) => ({ ...preset, id: `preset-${preset.sku}` }));
  const twins = offers
    .filter(({ location }) => location === 'paris-1')
    .map((preset) => ({ ...preset, location: 'marseille-1' }));
  const all = [...offers.filter(({ location }) => location !== 'marseille-1'), ...twins];
  return [...new Map(all.map((offer) => [`${offer.id} ${offer.location}`, offer])).values()];
}

const countries = new Map<unknown, string>([
  ['FR', 'France'],
  ['UAE', 'United Arab Emirates'],
  ['US', 'America'],
]);

/** Returns about half of the requested page, and at every third request one item less. */
function halved<Query extends PagedQuery, Item>(
  select: (query: Query, after: Position | undefined, context: RequestContext) => Page<Item>,
): typeof select {
  return (query, after, context) => {
    const page = select(query, after, context);
    const size = Math.ceil(page.items.length / 2) - (context.sequence % 3 === 0 ? 1 : 0);
    return size < 2 ? page : select({ ...query, size }, after, context);
  };
}

const unfiltered = {
  status: undefined,
  region: undefined,
  gpuType: undefined,
  begin: undefined,
  end: undefined,
  text: undefined,
} as const;

export const pagedListVariants: readonly ComputeVariant[] = [
  ...deciding({
    'cursors-carry-sizes: A cursor carries the page size of its walk, whatever size stands beside it.':
      (rules) => ({
        queryOfPage: (asked, begun, context) => {
          const query = rules.queryOfPage(asked, begun, context);
          return begun === undefined ? query : { ...query, size: begun.size };
        },
      }),
    'short-pages: Pages hold about half of what they may, and lead on.': (rules) => ({
      selectInstances: halved(rules.selectInstances),
      selectPresets: halved(rules.selectPresets),
    }),
    'filters-each-page: A page holds what a filter leaves of as many items; an empty one may lead on.':
      (rules) => ({
        selectInstances: (query, after, context) => {
          const page = rules.selectInstances({ ...query, ...unfiltered }, after, context);
          const items = page.items.filter((one) => rules.matchesQuery(one, query, context));
          return { ...page, items };
        },
      }),
  }),
  ...starting({
    'gpus-as-headlines: Presets show their GPUs as "4x H100 80GB"; sorts and searches go by the model.':
      headlines('x '),
    'gpus-as-headlines-with-a-sign: Presets show their GPUs as "4× H100 80GB"; sorts and searches go by the model.':
      headlines('× '),
  }),
  ...deciding({
    'enums-in-declared-order: GPU models and locations sort as they are declared.': chained(
      forces(
        'instanceSortKey',
        ({ preset }, _field, _query, context) => placeOf(preset.gpu, 'gpu', context),
        (_instance, field) => field === 'GPU_TYPE',
      ),
      forces(
        'presetSortKey',
        ({ gpu, location }, field, _query, context) =>
          field === 'GPU' ? placeOf(gpu, 'gpu', context) : placeOf(location, 'location', context),
        (_preset, field) => field === 'GPU' || field === 'LOCATION',
      ),
    ),
    'states-in-two-groups: A sort by status puts what has ended behind what has not, newest first in each.':
      forces(
        'instanceSortKey',
        ({ state }) => Number(ended.has(state)),
        (_instance, field) => field === 'STATUS',
      ),
  }),
  ...starting({
    'dates-read-to-the-second: Instances are created between two seconds, and filters read dates to the second.':
      () => ({
        ...instancesLike((instance, index) => ({
          ...instance,
          createdAt: instance.createdAt + 5_123 + index,
        })),
        patch: amend('parseDate', (at) => Math.floor(at / SECOND_MS) * SECOND_MS),
      }),
    'one-preset-at-several-places: A preset has one id at several locations, which the target file does not name.':
      () => ({
        ...offering(onePresetAtSeveralPlaces()),
        choices: presetChoices({ unbound: ['location'] }),
      }),
    'regions-of-presets-by-name: Presets show the name of their region, and sort as the regions are listed.':
      () => ({
        choices: { regionOrder: 'listed' },
        patch: amend('presetRecord', (record) => ({
          ...record,
          region: countries.get(record['region']) ?? record['region'],
        })),
      }),
  }),
  ...deciding({
    'searches-leave-signs-out: A search leaves signs out, and gives everything where nothing is left.':
      forces('textMatches', true, (_field, text) => !/[\p{L}\p{N}]/u.test(text)),
  }),
];
