/**
 * Presets: their values and identity by the bindings of a target, the checks of every page, and filtered pages against
 * the full list.
 */

import { isJson } from '../../target/bindings.ts';
import { query } from 'jsonpath-rfc9535';
import type { ComputeBindings, PresetField } from '../../../schemas/compute/target.ts';
import { isObject, jsonBody, canonicalJson } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, notObserved, pass, violated, expectThat } from '../judgement.ts';
import { judgedAs } from '../universal.ts';
import { isSuccess, type WireRecord } from './records.ts';
import type { ComputeVerdicts } from './operation.ts';
import { isSameSequence } from '../collection/bracket.ts';
import { notAnswered, type Selection } from '../collection/filter.ts';
import { answered, isInformative } from './answers.ts';

/** A member by its name, or by a JSONPath from the object that holds it; undefined when it is absent. */
function memberOf(holder: unknown, member: string): unknown {
  if (!member.startsWith('$')) return isObject(holder) ? holder[member] : undefined;
  if (!isJson(holder)) return undefined;
  const found: readonly unknown[] = query(holder, member);
  return found.length === 1 ? found[0] : undefined;
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

/**
 * The filter gives exactly the presets that match it, each as often as in the full list. Nothing is observed when nothing
 * matches and nothing came, or when the full list changed or was not read to its end. A filtered walk that was not read to
 * its end is judged only by its extra presets: those may be why it is so long.
 */
export function selectsPresets({ before, after, part, matches, filter }: Selection): Judgement {
  const broken = notAnswered(part, filter);
  if (broken !== undefined) return broken;
  const isKnown = [before, after].every(({ end }) => end === 'last-page');
  if (!isKnown || !isSameSequence(before.ids, after.ids)) return notObserved;
  const expected = before.ids.filter((_, index) => {
    const preset = before.records[index];
    return preset !== undefined && matches(preset);
  });
  if (expected.length === 0 && part.ids.length === 0) return notObserved;
  const missing = part.end === 'last-page' ? without(expected, part.ids) : [];
  const extra = without(part.ids, expected);
  if (part.end !== 'last-page' && extra.length === 0) return notObserved;
  return expectThat(
    missing.length === 0 && extra.length === 0,
    `The filter ${filter} does not give the presets that it means.`,
    {
      expected: `${expected.length} presets`,
      actual: `${part.ids.length} presets; missing: ${missing[0] ?? 'none'}; too many: ${extra[0] ?? 'none'}`,
    },
    ...part.exchanges,
  );
}

/** The items of one list that the other lacks, repeats counted. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const item of other) left.set(item, (left.get(item) ?? 0) + 1);
  return list.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}

/** A body nested deeper than this is hostile and holds no presets. */
const DEPTH = 8;

/** Paths to the lists of objects in a body, each as JSON of its member names. */
function* listsIn(value: unknown, above: readonly string[] = []): Generator<string> {
  if (Array.isArray(value)) {
    if (value.some((item) => isObject(item))) yield JSON.stringify(above);
  } else if (isObject(value) && above.length < DEPTH) {
    for (const [name, member] of Object.entries(value)) yield* listsIn(member, [...above, name]);
  }
}

function filledLists(page: Exchange): readonly string[] {
  const body = jsonBody(page);
  return isSuccess(page) && body.ok ? [...listsIn(body.value)] : [];
}

/**
 * A 2xx without presets. Without a binding for the list of presets, it is one of the lists that `plain`, an unfiltered
 * page, fills. A page may have other lists too, such as links, so at least one of them must now be empty. When `plain` is
 * empty as well, an empty page shows nothing.
 */
export function isEmptyPage(
  exchange: Exchange,
  what: string,
  plain: Exchange,
  bindings: ComputeBindings | undefined,
): Judgement {
  if (!isInformative(exchange)) return notObserved;
  const message = `${what} did not give an empty page.`;
  const sides = { expected: 'a 2xx without presets', actual: answered(exchange) };
  if (!isSuccess(exchange) || !jsonBody(exchange).ok) return violated(message, sides, exchange);
  if (bindings?.presets?.items !== undefined) {
    const isEmpty = presetsOf(exchange, bindings)?.length === 0;
    if (isEmpty && presetsOf(plain, bindings)?.length === 0) return notObserved;
    return expectThat(isEmpty, message, sides, exchange);
  }
  const candidates = filledLists(plain);
  if (candidates.length === 0) return notObserved;
  const filled = new Set(filledLists(exchange));
  return expectThat(
    candidates.some((list) => !filled.has(list)),
    message,
    sides,
    exchange,
    plain,
  );
}
