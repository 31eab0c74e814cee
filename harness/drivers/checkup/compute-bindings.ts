/** Checks the bindings of a compute target file: do the bodies look as it says? */

import { regionCodes } from '../../../schemas/compute/regions.ts';
import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { readMember, readPresets, readRecord, readRegionCodes } from '../../target/bindings.ts';
import type { ComputeApi } from '../compute/api.ts';
import { bodyOf, NONSENSE } from '../discovery/members.ts';
import { type CheckResult, fits, mismatch, type ReportResult, tell, untried } from './lines.ts';

/** Reports a line for each binding of the file. `instance` is one that keys.primary sees, if there is one. */
export async function checkComputeBindings(
  api: ComputeApi,
  bindings: ComputeBindings,
  instance: string | undefined,
  report: ReportResult,
): Promise<void> {
  for (const action of ['terminate', 'start'] as const) {
    const bound = bindings[action];
    if (bound === undefined) continue;
    report(`bindings.${action}`, untried(`a read cannot tell whether ${bound} is right`));
  }
  const record = bindings.getInstance?.record;
  if (record !== undefined) {
    await tell(report, 'bindings.getInstance.record', async () =>
      instance === undefined
        ? untried('keys.primary sees no instance to read')
        : recordResult(await api.get(instance), instance, record),
    );
  }
  const codes = bindings.regions?.codes;
  if (codes !== undefined) {
    await tell(report, 'bindings.regions.codes', async () =>
      codesResult(await api.regions(), codes),
    );
  }
  if (bindings.presets !== undefined) await checkPresets(api, bindings.presets, report);
}

function recordResult(exchange: Exchange, id: string, path: string): CheckResult {
  const found = readRecord(bodyOf(exchange), path);
  if (exchange.response?.status === 200 && found?.['instance_id'] === id) {
    return fits(`${path} holds the instance`);
  }
  return mismatch(
    `${path} does not hold the record of ${id}: GET /instances/{id} answered ${outcome(exchange)}.`,
    'Give the JSONPath of the record in that body; $ is the body itself.',
  );
}

function codesResult(exchange: Exchange, path: string): CheckResult {
  const body = jsonBody(exchange);
  const codes = body.ok ? readRegionCodes(body.value, path) : undefined;
  const hint = 'Give a JSONPath that finds the codes, as in $[*] or $.data[*].code.';
  if (exchange.response?.status !== 200 || codes === undefined) {
    return mismatch(`GET /regions answered ${outcome(exchange)}.`, hint);
  }
  if (!codes.ok) return mismatch(`${codes.reason}.`, hint);
  if (regionCodes.some((code) => codes.value.includes(code))) {
    return fits(`finds ${codes.value.join(', ')}`);
  }
  const found = codes.value.slice(0, 5).join(', ');
  return mismatch(`${path} finds ${found || 'no codes'}, none of which is a code.`, hint);
}

type Presets = NonNullable<ComputeBindings['presets']>;

async function checkPresets(api: ComputeApi, bound: Presets, report: ReportResult): Promise<void> {
  const { items } = bound;
  if (items === undefined) {
    for (const field of Object.keys(bound.fields ?? {})) {
      report(`bindings.presets.fields.${field}`, untried('it needs bindings.presets.items'));
    }
    return;
  }
  let presets: readonly unknown[] = [];
  await tell(report, 'bindings.presets.items', async () => {
    const exchange = await api.presets({ size: 200 });
    const read = presetsIn(exchange, items);
    if (read === undefined) {
      return mismatch(
        `${items} holds no list of presets: GET /presets answered ${outcome(exchange)}.`,
        'Give the name of the member that holds the list, or its JSONPath.',
      );
    }
    presets = read;
    return fits(read.length === 0 ? 'holds no presets now' : `holds ${read.length}`);
  });
  for (const [field, member] of Object.entries(bound.fields ?? {})) {
    if (member === undefined) continue;
    report(`bindings.presets.fields.${field}`, fieldResult(member, presets));
  }
  for (const [filter, parameter] of Object.entries(bound.filters ?? {})) {
    if (parameter === undefined) continue;
    await tell(report, `bindings.presets.filters.${filter}`, async () => {
      if (presets.length === 0) return untried('there are no presets to filter');
      const query = { size: 200, [parameter]: NONSENSE };
      return filterResult(parameter, await api.presets(query), items);
    });
  }
}

function presetsIn(exchange: Exchange, items: string): readonly unknown[] | undefined {
  const read = readPresets(bodyOf(exchange), items);
  return exchange.response?.status === 200 && read.ok ? read.value : undefined;
}

function fieldResult(member: string, presets: readonly unknown[]): CheckResult {
  const [first] = presets;
  if (first === undefined) return untried('there are no presets to look at');
  const named = presets.filter((preset) => readMember(preset, member) !== undefined);
  if (named.length > 0) return fits(`${member} is in ${named.length} of ${presets.length}`);
  const names = isObject(first) ? Object.keys(first).join(', ') : '';
  return mismatch(
    `no preset has ${member}; the first has ${names}.`,
    'Name one of these, or give a JSONPath from the preset.',
  );
}

/** Most servers ignore an unknown parameter; a search for nonsense then finds everything. */
function filterResult(parameter: string, exchange: Exchange, items: string): CheckResult {
  const found = presetsIn(exchange, items);
  if (found?.length === 0) return fits(`${parameter} filters`);
  const problem =
    found === undefined
      ? `a search with ${parameter} answered ${outcome(exchange)}.`
      : `a search for nonsense with ${parameter} finds ${found.length} presets, so that it does not filter.`;
  return mismatch(problem, 'Give the name of the query parameter that the target documents.');
}

/** The status and the names of the body's members. */
function outcome(exchange: Exchange): string {
  const status = exchange.response?.status ?? exchange.ending;
  const body = jsonBody(exchange);
  if (!body.ok) return `${status}, and ${body.problem}`;
  if (Array.isArray(body.value)) return `${status} with a list`;
  if (!isObject(body.value)) return `${status} with a ${typeof body.value}`;
  return `${status} with an object of ${Object.keys(body.value).join(', ') || 'nothing'}`;
}
