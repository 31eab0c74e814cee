/** Reads presets by the bindings of a target: their values and identity, and the checks of every page. */

import { type JsonValue, query } from 'jsonpath-rfc9535';
import type { ComputeBindings, PresetField } from '../../../schemas/compute/target.ts';
import { isObject, jsonBody, canonicalJson } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, notObserved, pass, violated } from '../judgement.ts';
import { judgedAs } from '../universal.ts';
import { isSuccess, type WireRecord } from './records.ts';
import type { ComputeVerdicts } from './operation.ts';

/** A member by its name, or by a JSONPath from the object that holds it; undefined when it is absent. */
function memberOf(holder: unknown, member: string): unknown {
  if (!member.startsWith('$')) return isObject(holder) ? holder[member] : undefined;
  if (!isJson(holder)) return undefined;
  const found: readonly unknown[] = query(holder, member);
  return found.length === 1 ? found[0] : undefined;
}

/** Every value of a parsed JSON text is JSON; only an absent member is not. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}

/** The presets of a page; undefined when the array is not bound or absent, or holds other items than objects. */
export function presetsOf(
  exchange: Exchange,
  bindings: ComputeBindings | undefined,
): readonly WireRecord[] | undefined {
  const member = bindings?.presets?.items;
  const body = jsonBody(exchange);
  if (member === undefined || !isSuccess(exchange) || !body.ok) return undefined;
  const items = memberOf(body.value, member);
  return Array.isArray(items) && items.every((item) => isObject(item)) ? items : undefined;
}

/** The value of a bound field of a preset; undefined when it is not bound or absent. */
export function presetValue(
  preset: WireRecord,
  field: PresetField,
  bindings: ComputeBindings | undefined,
): unknown {
  const member = bindings?.presets?.fields?.[field];
  return member === undefined ? undefined : memberOf(preset, member);
}

/** The model in `8x H100 80GB`, `8 × H100` or `H100 x8`; a text without a count stays as it is. */
export function withoutCount(gpu: string): string {
  const { model } =
    /^\d+\s*[x×*]\s*(?<model>\S.*)$/isu.exec(gpu)?.groups ??
    /^(?<model>.*\S)\s*[x×*]\s*\d+$/isu.exec(gpu)?.groups ??
    {};
  return model ?? gpu;
}

/** The values of one member over all presets of each SKU name or location; one may be offered in several ways. */
export function offered(
  presets: readonly WireRecord[],
  field: PresetField,
  bindings: ComputeBindings,
  by: 'sku' | 'location' = 'sku',
): ReadonlyMap<string, ReadonlySet<unknown>> {
  const values = new Map<string, Set<unknown>>();
  for (const preset of presets) {
    const name = presetValue(preset, by, bindings);
    const value = presetValue(preset, field, bindings);
    if (typeof name !== 'string' || value === undefined) continue;
    values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  return values;
}

/** Judges a successful page of presets as far as the bindings reach. */
export function* presetPage(
  exchange: Exchange,
  bindings: ComputeBindings | undefined,
): ComputeVerdicts {
  const member = bindings?.presets?.items;
  if (member === undefined) return;
  const items = presetsOf(exchange, bindings);
  yield judgedAs(
    'compute.presets.items-array',
    items !== undefined,
    `A page of presets has no list of objects under ${member}, where the target file says that it is.`,
    { expected: `a list under ${member}`, actual: 'none' },
    exchange,
  );
  if (items === undefined || items.length === 0) return;
  if (bindings?.presets?.fields?.price === undefined) return;
  const free = items.find((item) => (presetValue(item, 'price', bindings) ?? null) === null);
  const sides = { expected: 'a price', actual: free };
  const judgement =
    free === undefined
      ? pass(items.length)
      : violated('A preset carries no hourly price.', sides, exchange);
  yield { requirement: 'compute.presets.price-there', judgement };
}

/** The fields of a preset (compute#other-records/preset); its price is judged on every page. */
const always = ['sku', 'location', 'gpu', 'gpuCount', 'cpu', 'memory', 'storage'] as const;

/** Every preset has every field that the bindings name. */
export function fieldsThere(
  {
    records,
    exchanges,
  }: { readonly records: readonly WireRecord[]; readonly exchanges: readonly Exchange[] },
  bindings: ComputeBindings,
): Judgement {
  const bound = always.filter((field) => bindings.presets?.fields?.[field] !== undefined);
  if (bound.length === 0 || records.length === 0) return notObserved;
  const lacks = (preset: WireRecord) =>
    bound.filter((field) => (presetValue(preset, field, bindings) ?? null) === null);
  const poor = records.find((preset) => lacks(preset).length > 0);
  if (poor === undefined) return pass(records.length);
  return violated(
    'A preset lacks a documented field.',
    { expected: `a value for ${lacks(poor).join(', ')}`, actual: poor },
    ...exchanges,
  );
}

/** Fields that identify a preset; one preset may be offered in several places. */
const naming = ['id', 'sku', 'region', 'location', 'gpu'] as const;

/** All fields that can be bound and do not change; prices may change between two reads. */
const lasting = [...naming, 'gpuCount', 'cpu', 'memory', 'storage'] as const;

/**
 * The content of a preset as text. Where the target file binds the id, only bound fields count, since a deployment may add
 * members that change all the time, such as the number of free hosts. Otherwise the whole record identifies it.
 */
export function presetContent(preset: WireRecord, bindings: ComputeBindings | undefined): string {
  const { fields } = bindings?.presets ?? {};
  if (fields?.id === undefined) return canonicalJson(preset);
  const bound = lasting.filter((field) => fields[field] !== undefined);
  return canonicalJson(bound.map((field) => presetValue(preset, field, bindings) ?? null));
}

/** A name for each preset, in order; undefined when the target file binds neither id nor SKU name. */
export function presetNames(
  presets: readonly WireRecord[],
  bindings: ComputeBindings | undefined,
): readonly string[] | undefined {
  const { id, sku } = bindings?.presets?.fields ?? {};
  if (id === undefined && sku === undefined) return undefined;
  return presets.map((preset) =>
    canonicalJson(naming.map((field) => presetValue(preset, field, bindings) ?? null)),
  );
}
