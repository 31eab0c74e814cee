/** How a deployment may write lists and answers. */

import { defaultPresetFields } from '../choices.ts';
import { choosing, type ComputeVariant, presetChoices, variant } from './variant.ts';
import type { ComputeRules } from '../context.ts';
import type { InstanceState, Preset } from '../model.ts';
import { defaultPopulation, defaultPresets } from '../seed.ts';

export const answerVariants: readonly ComputeVariant[] = [
  choosing('other-paths', 'Terminate and start have other paths, and start is a PUT.', {
    terminatePath: '/instances/{id}/actions/destroy',
    start: { method: 'PUT', path: '/boot-up/{id}' },
  }),
  choosing('no-start', 'Instances cannot be started over the API.', { startOffered: false }),
  choosing('plain-200', 'Stop, terminate and provision answer 200, start answers 204.', {
    stopStatus: 200,
    terminateStatus: 200,
    startStatus: 204,
    startAnswers: 'nothing',
    provisionStatus: 200,
  }),
  choosing('created-201', 'Stop and terminate answer 201.', {
    stopStatus: 201,
    terminateStatus: 201,
  }),
  choosing('wrapped-bodies', 'A single instance and the regions stand inside an object.', {
    getInstanceMember: 'instance',
    getInstanceVariant: 'action',
    regionsBody: { member: 'regions', item: undefined },
  }),
  choosing('other-preset-names', 'Presets have other names, are nested and come by price.', {
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
  }),
  choosing('extra-members', 'Records, pages, presets and envelopes have further members.', {
    instanceExtras: { tags: ['x'], created_by: null },
    presetExtras: { soon: false },
    pageExtras: { total: 3, links: [{ rel: 'self' }], warnings: ['A page like any other.'] },
    paginationExtras: { previous: null },
    envelopeExtras: { top: { status: 'error' }, error: { details: [] } },
    extraHeaders: [['X-Trace', 'abc']],
  }),
  choosing('headline-by-model', 'Dates have whole seconds, headlines name the GPU.', {
    dates: 'seconds',
    headline: 'times-model',
  }),
  choosing('headline-by-cores', 'Dates have microseconds, headlines count cores.', {
    dates: 'microseconds',
    headline: 'vcpus',
    guestReady: { ready: 'yes', notReady: '' },
  }),
  choosing('dates-with-offset', 'Dates have a numeric offset, headlines the GPU in parentheses.', {
    dates: 'offset',
    headline: 'in-parentheses',
  }),
  choosing('other-errors', 'Errors have no text, 409 another code, unknown routes plain text.', {
    conflictCode: 'INSTANCE_GONE',
    message: () => '',
    challenge: undefined,
    malformedId: 404,
    unknownRoute: 'plain',
    wrongMethod: 405,
    precedence: 'request-first',
  }),
  choosing('conflict-is-validation', '409 carries a code of the enum.', {
    conflictCode: 'VALIDATION_ERROR',
    wrongMethod: 405,
  }),
  choosing('chunked-lower-case', 'Bodies are chunked and pretty, header names in lower case.', {
    framing: { headerCase: 'lower', chunkBytes: 100 },
    json: 'pretty',
    contentType: 'application/json; charset=utf-8',
  }),
  choosing('upper-case-ascii', 'Header names are in upper case, bodies in ASCII.', {
    framing: { headerCase: 'upper', chunkBytes: undefined },
    json: 'ascii',
    contentType: 'Application/JSON;charset=UTF-8',
  }),
];

function patched(
  name: string,
  summary: string,
  patch: (rules: ComputeRules) => ComputeRules,
): ComputeVariant {
  return { name, summary, options: () => ({ patch }) };
}

/** Presets show count and model of their GPUs in one text; a search and a sort go by model and count. */
function headlines(name: string, sign: string): ComputeVariant {
  return {
    name,
    summary: `Presets show their GPUs as "4${sign}H100 80GB"; sorts and searches go by the model.`,
    options: () => {
      const presets = defaultPresets().map((preset) => ({ ...preset, gpu: `${preset.gpu} 80GB` }));
      return {
        presets,
        population: defaultPopulation({ seed: 1, presets, instances: 72, now: Date.now() }),
        choices: presetChoices({ unbound: ['gpuCount'] }),
        patch: (rules) => ({
          ...rules,
          presetRecord: (preset, context, query) => {
            const { gpu_count: count, ...record } = rules.presetRecord(preset, context, query);
            return { ...record, gpu: `${String(count)}${sign}${preset.gpu}` };
          },
        }),
      };
    },
  };
}

const declaredModels = ['RTX 4090', 'MI300X', 'L40S', 'A100', 'H200', 'H100'];
const declaredPlaces =
  'paris-1 lab-2 dallas-3 abu-dhabi-1 lab-1 dubai-2 ashburn-1 marseille-1'.split(' ');

/** Models and locations are enums of a database, and sort as they are declared. */
function declaredOrder(rules: ComputeRules): ComputeRules {
  const place = (list: readonly string[], value: string): number => list.indexOf(value);
  return {
    ...rules,
    instanceSortKey: (instance, field, query, context) =>
      field === 'GPU_TYPE'
        ? place(declaredModels, instance.preset.gpu)
        : rules.instanceSortKey(instance, field, query, context),
    presetSortKey: (preset, field, query, context) => {
      if (field === 'GPU') return place(declaredModels, preset.gpu);
      return field === 'LOCATION'
        ? place(declaredPlaces, preset.location)
        : rules.presetSortKey(preset, field, query, context);
    },
  };
}

const ended: ReadonlySet<InstanceState> = new Set(['ERRORED', 'TERMINATING', 'TERMINATED']);
const SECOND_MS = 1_000;

/** Each preset has one id wherever it is offered, and one price within a region. */
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

export const pagedListVariants: readonly ComputeVariant[] = [
  patched(
    'cursors-carry-sizes',
    'A cursor carries the page size of its walk, whatever size stands beside it.',
    (rules) => ({
      ...rules,
      queryOfPage: (asked, begun, context) =>
        begun === undefined
          ? rules.queryOfPage(asked, begun, context)
          : { ...rules.queryOfPage(asked, begun, context), size: begun.size },
    }),
  ),
  headlines('gpus-as-headlines', 'x '),
  headlines('gpus-as-headlines-with-a-sign', '× '),
  patched(
    'enums-in-declared-order',
    'GPU models and locations sort as they are declared.',
    declaredOrder,
  ),
  patched(
    'states-in-two-groups',
    'A sort by status puts what has ended behind what has not, newest first in each.',
    (rules) => ({
      ...rules,
      instanceSortKey: (instance, field, query, context) =>
        field === 'STATUS'
          ? Number(ended.has(instance.state))
          : rules.instanceSortKey(instance, field, query, context),
    }),
  ),
  variant(
    'dates-read-to-the-second',
    'Instances are created between two seconds, and filters read dates to the second.',
    () => {
      const presets = defaultPresets();
      const { keys, accounts } = defaultPopulation({
        seed: 1,
        presets,
        instances: 72,
        now: Date.now(),
      });
      const between = accounts.map((account) => ({
        ...account,
        instances: account.instances.map((instance, index) => ({
          ...instance,
          createdAt: instance.createdAt + 5_123 + index,
        })),
      }));
      const cut = (at: number): number => Math.floor(at / SECOND_MS) * SECOND_MS;
      return {
        presets,
        population: { keys, accounts: between },
        patch: (rules) => ({
          ...rules,
          parseDate: (name, text, context) => cut(rules.parseDate(name, text, context)),
        }),
      };
    },
  ),
  variant(
    'one-preset-at-several-places',
    'A preset has one id at several locations, which the target file does not name.',
    () => {
      const presets = onePresetAtSeveralPlaces();
      return {
        presets,
        population: defaultPopulation({ seed: 1, presets, instances: 72, now: Date.now() }),
        choices: presetChoices({ unbound: ['location'] }),
      };
    },
  ),
  variant(
    'regions-of-presets-by-name',
    'Presets show the name of their region, and sort as the regions are listed.',
    () => ({
      choices: { regionOrder: 'listed' },
      patch: (rules) => ({
        ...rules,
        presetRecord: (preset, context, query) => {
          const record = rules.presetRecord(preset, context, query);
          return { ...record, region: countries.get(record['region']) ?? record['region'] };
        },
      }),
    }),
  ),
  patched(
    'searches-leave-signs-out',
    'A search leaves signs out, and gives everything where nothing is left.',
    (rules) => ({
      ...rules,
      textMatches: (field, text, context) =>
        !/[\p{L}\p{N}]/u.test(text) || rules.textMatches(field, text, context),
    }),
  ),
];
