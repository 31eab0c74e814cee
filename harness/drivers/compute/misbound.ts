/** Preset bindings that fit no preset: then the target file is wrong, and not the target. */

import { type ComputeNeed, isComputeNeed } from '../../../schemas/compute/needs.ts';
import type { ComputeBindings, PresetField } from '../../../schemas/compute/target.ts';
import { regionCodes } from '../../../schemas/compute/regions.ts';
import { presetContent, presetValue } from '../../checks/compute/presets.ts';
import { type WireRecord, isSuccess } from '../../checks/compute/records.ts';
import { present } from '../../checks/judgement.ts';
import { canonicalJson, isObject, jsonBody } from '../../exchange/body.ts';
import { BudgetSpent } from '../../exchange/budget.ts';
import { TransportError } from '../../exchange/repeating.ts';
import { Inconclusive } from '../../runner/case.ts';
import { readMember } from '../../target/bindings.ts';
import type { MissingNeed } from '../../target/offers.ts';
import type { ComputeApi } from './api.ts';
import { type Listing, readPresetList, WHOLE_PAGES } from '../collection/reading.ts';

type Presets = NonNullable<ComputeBindings['presets']>;

/** For each misbound need of presets, why what the target file names does not serve. */
export type Misbound = ReadonlyMap<ComputeNeed, string>;

const NONE: Misbound = new Map();

/** Finds bindings that fit no preset at all; the suites judge those that fit some. Empty without readable presets. */
export async function misboundPresets(
  api: ComputeApi,
  bindings: ComputeBindings,
): Promise<Misbound> {
  const { presets } = bindings;
  if (presets?.items === undefined) return NONE;
  try {
    const list = await readPresetList(api, bindings, {}, { mostPages: WHOLE_PAGES });
    return list.readable ? absentFields(list, bindings) : absentList(list, presets.items);
  } catch (error) {
    // Every case meets a target in trouble, too, and reports it.
    if (isTrouble(error)) return NONE;
    throw error;
  }
}

function isTrouble(error: unknown): boolean {
  return [TransportError, BudgetSpent, Inconclusive].some((kind) => error instanceof kind);
}

function absentFields({ records }: Listing, bindings: ComputeBindings): Misbound {
  const [first] = records;
  if (first === undefined) return NONE;
  const absent = new Map<ComputeNeed, string>();
  for (const [need, field] of presetNeeds) {
    const member = bindings.presets?.fields?.[field];
    if (member === undefined) continue;
    const values = records.map((preset) => presetValue(preset, field, bindings));
    const holder = named.has(field) ? onlyHolder(values) : undefined;
    if (holder !== undefined) {
      absent.set(
        need,
        `${member}, which the file names, holds no text or number itself but ${present(holder)}`,
      );
      continue;
    }
    if (values.every((value) => value === undefined)) {
      const names = Object.keys(first).join(', ');
      absent.set(need, `no preset has ${member}, which the file names; the first has ${names}`);
      continue;
    }
    if (field === 'region' && !values.some((value) => codes.has(value))) {
      const shown = present([...new Set(values)].slice(0, 3));
      absent.set(need, `no preset shows a region code in ${member}, but for example ${shown}`);
    }
    const twin = field === 'id' ? sameByName(records, bindings) : undefined;
    if (twin !== undefined) {
      absent.set(need, `several presets are ${twin}, and nothing else that the file names differs`);
    }
  }
  return absent;
}

const codes: ReadonlySet<unknown> = new Set(regionCodes);
/** Presets of one page: across two pages a preset may appear twice, and may have changed. */
const LARGEST_PAGE = 200;

/** The id that several presets share although they differ, but in nothing that the file names. */
function sameByName(presets: readonly WireRecord[], bindings: ComputeBindings): string | undefined {
  const met = new Map<string, string>();
  const twin = presets.slice(0, LARGEST_PAGE).find((preset) => {
    const [name, whole] = [presetContent(preset, bindings), canonicalJson(preset)];
    const isTwin = (met.get(name) ?? whole) !== whole;
    met.set(name, whole);
    return isTwin;
  });
  return twin === undefined ? undefined : present(presetValue(twin, 'id', bindings));
}

/** Fields that are compared with filters and between presets, so their path must lead to the value itself. */
const named: ReadonlySet<PresetField> = new Set(['id', 'sku', 'region', 'location', 'gpu']);

/** An object or list in place of a value, if no preset has a value there; some presets may have nothing there. */
function onlyHolder(values: readonly unknown[]): unknown {
  const there = values.filter((value) => value !== undefined && value !== null);
  return there.every((value) => typeof value === 'object') ? there[0] : undefined;
}

function absentList({ exchanges }: Listing, items: string): Misbound {
  const [page] = exchanges;
  const body = page === undefined || !isSuccess(page) ? undefined : jsonBody(page);
  if (body?.ok !== true || !isObject(body.value) || readMember(body.value, items) !== undefined) {
    return NONE;
  }
  const names = Object.keys(body.value).join(', ');
  return new Map([
    [
      'bindings.presets.items',
      `no ${items}, which the file names, is in the body; it has ${names}`,
    ],
  ]);
}

const presetNeeds = [
  ['bindings.presets.fields.id', 'id'],
  ['bindings.presets.fields.sku', 'sku'],
  ['bindings.presets.fields.region', 'region'],
  ['bindings.presets.fields.location', 'location'],
  ['bindings.presets.fields.gpu', 'gpu'],
  ['bindings.presets.fields.gpuCount', 'gpuCount'],
  ['bindings.presets.fields.cpu', 'cpu'],
  ['bindings.presets.fields.memory', 'memory'],
  ['bindings.presets.fields.storage', 'storage'],
  ['bindings.presets.fields.price', 'price'],
] as const satisfies readonly (readonly [ComputeNeed, keyof NonNullable<Presets['fields']>])[];

/** The bindings without the misbound ones. */
export function fittingBindings(bindings: ComputeBindings, misbound: Misbound): ComputeBindings {
  if (misbound.size === 0 || bindings.presets === undefined) return bindings;
  const { items, fields, ...rest } = bindings.presets;
  if (items === undefined || misbound.has('bindings.presets.items')) {
    return { ...bindings, presets: rest };
  }
  const dropped = new Set(
    presetNeeds.filter(([need]) => misbound.has(need)).map(([, field]) => field),
  );
  const fitting = Object.fromEntries(
    Object.entries(fields ?? {}).filter(([field]) => ![...dropped].some((one) => one === field)),
  );
  return { ...bindings, presets: { ...rest, items, fields: fitting } };
}

/** A need, and why what the file names does not serve it; then its usual line would not help. */
export function withMisbound(need: MissingNeed, misbound: Misbound): MissingNeed {
  const why = isComputeNeed(need.need) ? misbound.get(need.need) : undefined;
  return why === undefined ? need : { ...need, purpose: `${need.purpose}: ${why}`, line: '' };
}
