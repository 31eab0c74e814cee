/** Finds out, with reads alone, how a compute deployment does what its contract leaves open. */

import type { ComputeNeed } from '../../../schemas/compute/needs.ts';
import { regionCodes } from '../../../schemas/compute/regions.ts';
import type { OnExchange } from '../../exchange/client.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { readMember, readRegionCodes } from '../../target/bindings.ts';
import type { Finding, Known } from '../../target/draft.ts';
import { ComputeApi } from '../compute/api.ts';
import type { Connection } from '../connection.ts';
import {
  bodyOf,
  idsIn,
  leavesOf,
  listsOf,
  NONSENSE,
  objectsOf,
  presetMembers,
  shortest,
} from './members.ts';

const skuParameters = ['sku', 'sku_name', 'name', 'preset', 'preset_name'];
const textParameters = ['free_text_search', 'free_text', 'search', 'q', 'query', 'text'];

/** Sends about twenty reads with the primary key; `onExchange` gets each exchange. */
export async function discoverCompute(
  connection: Connection,
  onExchange: OnExchange = () => {},
): Promise<Known<ComputeNeed>> {
  const api = new ComputeApi(connection.httpClient, onExchange, {});
  return new Map<ComputeNeed, Finding>([
    ['bindings.regions.codes', codesIn(await api.regions())],
    ...(await instances(api)),
    ...(await presets(api)),
  ]);
}

/** The path that finds all three codes. */
function codesIn(exchange: Exchange): Finding {
  const body = bodyOf(exchange);
  const paths = new Set(
    leavesOf(body).flatMap(({ path, value }) =>
      regionCodes.some((code) => code === value) ? [path] : [],
    ),
  );
  for (const path of paths) {
    const read = readRegionCodes(body, path);
    if (read.ok && regionCodes.every((code) => read.value.includes(code))) return { value: path };
  }
  return { remark: 'No list of UAE, FR and US was found in the body of GET /regions.' };
}

async function instances(api: ComputeApi): Promise<readonly (readonly [ComputeNeed, Finding])[]> {
  const record = 'bindings.getInstance.record';
  const listed = async (query: Readonly<Record<string, string>>) =>
    idsIn(await api.list({ ...query, size: 20 }), 'instance_id');
  const ids = await listed({});
  if (ids === undefined) {
    return [[record, { remark: 'GET /instances showed no list of instances.' }]];
  }
  const [id] = ids;
  if (id === undefined) {
    return [[record, { remark: 'The account has no instance of which to read the record.' }]];
  }
  const body = bodyOf(await api.get(id));
  const holder = objectsOf(body).find(({ object }) => object['instance_id'] === id);
  return [
    [
      record,
      holder === undefined
        ? { remark: 'The body of GET /instances/{id} does not seem to hold the record.' }
        : { value: holder.path },
    ],
    ['instances.stopped', suggestion('stopped', await listed({ status: 'stopped' }))],
    ['instances.terminated', suggestion('terminated', await listed({ status: 'terminated' }))],
  ];
}

/** Fixtures are a promise of the person who names them, so they are suggested and never filled in. */
function suggestion(state: string, ids: readonly string[] | undefined): Finding {
  if (ids === undefined) return { remark: 'GET /instances showed no list of instances.' };
  const some = ids.slice(0, 3);
  return {
    remark:
      some.length === 0
        ? `None is ${state} now.`
        : `These are ${state} now; name those that stay so: ${some.join(', ')}`,
  };
}

async function presets(api: ComputeApi): Promise<readonly (readonly [ComputeNeed, Finding])[]> {
  const lists = listsOf(bodyOf(await api.presets({ size: 200 })));
  const [list] = lists;
  if (list === undefined || lists.length > 1) {
    const remark =
      list === undefined
        ? 'The body of GET /presets holds no list of objects.'
        : `The body of GET /presets holds several lists: ${lists.map(({ path }) => shortest(path)).join(', ')}`;
    return [['bindings.presets.items', { remark }]];
  }
  const members = presetMembers(list.items);
  const sku = members.get('sku');
  const named =
    sku !== undefined && 'member' in sku
      ? list.items.map((item) => readMember(item, sku.member)).find((name) => name !== undefined)
      : undefined;
  const within = { api, items: list.path, all: list.items.length };
  return [
    ['bindings.presets.items', { value: shortest(list.path) }],
    ...[...members].map(([field, found]): readonly [ComputeNeed, Finding] => [
      `bindings.presets.fields.${field}`,
      'member' in found ? { value: found.member } : undecided(found.candidates),
    ]),
    ['bindings.presets.filters.sku', await filter(within, skuParameters, named)],
    ['bindings.presets.filters.freeText', await filter(within, textParameters, named)],
  ];
}

function undecided(candidates: readonly string[]): Finding {
  if (candidates.length === 0) return { remark: 'No member of the presets looks like it.' };
  return { remark: `It may be any of ${candidates.join(', ')}` };
}

interface PresetSearch {
  readonly api: ComputeApi;
  readonly items: string;
  /** Number of presets without a filter. */
  readonly all: number;
}

/** The parameter for which nonsense finds nothing and the SKU of a preset finds some presets, but not all. */
async function filter(
  { api, items, all }: PresetSearch,
  parameters: readonly string[],
  sku: unknown,
): Promise<Finding> {
  if (typeof sku !== 'string') return { remark: 'It cannot be tried without the SKU of a preset.' };
  const found = async (query: Readonly<Record<string, string | number>>) => {
    const exchange = await api.presets({ ...query, size: 200 });
    const read =
      exchange.response?.status === 200 ? readMember(bodyOf(exchange), items) : undefined;
    return Array.isArray(read) ? read.length : undefined;
  };
  for (const parameter of parameters) {
    if ((await found({ [parameter]: NONSENSE })) !== 0) continue;
    const some = (await found({ [parameter]: sku })) ?? 0;
    if (some > 0 && (some < all || all === 1)) return { value: parameter };
  }
  return { remark: `None of ${parameters.join(', ')} filters.` };
}
