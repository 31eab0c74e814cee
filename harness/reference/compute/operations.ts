/** The operations of the compute contract. */

import { randomUUID } from 'node:crypto';
import { type Answer, callerOf, moveOn, type RequestContext } from './context.ts';
import {
  type Cursor,
  errorCodes,
  type Instance,
  type InstanceQuery,
  instanceSortFields,
  invalid,
  isRecord,
  notFound,
  type PresetQuery,
  presetSortFields,
  Refusal,
  sortDirections,
} from './model.ts';

const instanceParameters = [
  'cursor',
  'size',
  'status',
  'region',
  'gpu_type',
  'date_range_begin',
  'date_range_end',
  'free_text_search',
  'sort_field',
  'sort_direction',
] as const;

/** Reads a parameter and parses it if it is present. */
function reading(context: RequestContext) {
  return <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = context.rules.readParameter(name, context);
    return text === undefined ? undefined : parse(text);
  };
}

/** Reads the parameters of a first page. @throws {Refusal} 400 for an invalid parameter */
export function readInstanceQuery(context: RequestContext): InstanceQuery {
  const { rules } = context;
  const read = reading(context);
  const date = (name: string) => read(name, (text) => rules.parseDate(name, text, context));
  const [begin, end] = [date('date_range_begin'), date('date_range_end')];
  const wrongWay = begin !== undefined && end !== undefined && begin > end;
  if (wrongWay && context.choices.beginAfterEnd === 'refuse') {
    throw invalid('date_range_begin is after date_range_end.');
  }
  return {
    status: read('status', (text) => rules.parseStatus(text, context)),
    region: read('region', (text) => rules.parseRegion(text, context)),
    gpuType: rules.readParameter('gpu_type', context),
    begin,
    end,
    text: read('free_text_search', (text) =>
      rules.parseFreeText('free_text_search', text, context),
    ),
    sortField: read('sort_field', (text) =>
      rules.parseWord('sort_field', text, instanceSortFields, context),
    ),
    sortDirection: read('sort_direction', (text) =>
      rules.parseWord('sort_direction', text, sortDirections, context),
    ),
    page: 1,
    size: read('size', (text) => rules.parseSize(text, context)) ?? rules.instancePageSize(),
    asOf: context.now,
  };
}

/** Reads the parameters of a first page. @throws {Refusal} 400 for an invalid parameter */
function readPresetQuery(context: RequestContext): PresetQuery {
  const { rules, choices } = context;
  const { skuFilter, freeTextFilter, defaultSize } = choices.presets;
  const read = reading(context);
  const sortField = read('sort_field', (text) =>
    rules.parseWord('sort_field', text, presetSortFields, context),
  );
  return {
    region: read('region', (text) => rules.parseRegion(text, context)),
    sku: rules.readParameter(skuFilter, context),
    text: read(freeTextFilter, (text) => rules.parseFreeText(freeTextFilter, text, context)),
    sortField,
    // Without a sort field, any value of the direction is ignored.
    sortDirection:
      sortField === undefined
        ? undefined
        : read('sort_direction', (text) =>
            rules.parseWord('sort_direction', text, sortDirections, context),
          ),
    page: 1,
    size: read('size', (text) => rules.parseSize(text, context)) ?? defaultSize,
  };
}

/** A page of the caller's own instances, newest first unless sorted. */
export function listInstances(context: RequestContext): Answer {
  const { rules } = context;
  rules.refuseUnknownParameters(instanceParameters, context);
  const asked = readInstanceQuery(context);
  const cursor = cursorOf('instances', context);
  const begun = cursor?.list === 'instances' ? cursor.query : undefined;
  const query = rules.queryOfPage(asked, begun, context);
  const page = rules.selectInstances(query, cursor?.after, context);
  // A walk sorted by cost shows the costs that it is sorted by, those of the moment when it began.
  const at = query.sortField === 'CURRENT_COST' ? query.asOf : context.now;
  const records = page.items.map((instance) => rules.listRecord(instance, at, context, query));
  const next = page.end && ({ list: 'instances', query, after: page.end } as const);
  return pageOf('data', records, next, query.size, context);
}

/** A page of the presets. */
export function listPresets(context: RequestContext): Answer {
  const { rules, choices } = context;
  const { items, skuFilter, freeTextFilter } = choices.presets;
  rules.refuseUnknownParameters(
    ['cursor', 'size', 'region', skuFilter, freeTextFilter, 'sort_field', 'sort_direction'],
    context,
  );
  const asked = readPresetQuery(context);
  const cursor = cursorOf('presets', context);
  const begun = cursor?.list === 'presets' ? cursor.query : undefined;
  const query = rules.queryOfPage(asked, begun, context);
  const page = rules.selectPresets(query, cursor?.after, context);
  const records = page.items.map((preset) => rules.presetRecord(preset, context, query));
  const next = page.end && ({ list: 'presets', query, after: page.end } as const);
  return pageOf(items, records, next, query.size, context);
}

function cursorOf(list: Cursor['list'], context: RequestContext): Cursor | undefined {
  return reading(context)('cursor', (text) => context.rules.decodeCursor(text, list, context));
}

function pageOf(
  member: string,
  records: readonly unknown[],
  cursor: Cursor | undefined,
  size: number,
  context: RequestContext,
): Answer {
  const { rules, choices } = context;
  const next = cursor === undefined ? null : rules.encodeCursor(cursor, context);
  const isShort = next === null && records.length < size && choices.shortPageSize === 'items';
  const shown = isShort ? records.length : size;
  const pagination = { next, size: shown, ...choices.paginationExtras };
  return { status: 200, json: { [member]: records, pagination, ...choices.pageExtras } };
}

/** GET /regions: all regions, unpaginated. */
export function listRegions(context: RequestContext): Answer {
  return { status: 200, json: context.rules.regionsBody(context) };
}

/** GET /instances/{id} */
export function getInstance(context: RequestContext): Answer {
  const instance = context.rules.findInstance(context);
  if (instance.state === 'TERMINATED' && !context.choices.terminatedReadable) throw notFound();
  return { status: 200, json: context.rules.singleRecord(instance, context) };
}

/** POST /instances/{id}/stop */
export function stopInstance(context: RequestContext): Answer {
  const { rules, choices } = context;
  const instance = instanceAndNote(context);
  const before = answerBefore(instance, context);
  switch (rules.stopOutcome(instance, context)) {
    case 'conflict':
      throw rules.conflict(`The instance is ${instance.state}.`, context);
    case 'stop':
      rules.beginStop(instance, context);
      break;
    case 'ignore':
      break;
  }
  return accepted(choices.stopStatus, instance, before, context);
}

/** POST to a path that this deployment chooses. */
export function terminateInstance(context: RequestContext): Answer {
  const { rules, choices } = context;
  const instance = instanceAndNote(context);
  const before = answerBefore(instance, context);
  switch (rules.terminateOutcome(instance, context)) {
    case 'conflict':
      throw rules.conflict('The instance is TERMINATED.', context);
    case 'gone':
      throw new Refusal(500, errorCodes[500], 'The resource is gone, and the instance settles.');
    case 'reissue':
      rules.reissueTerminate(instance, context);
      break;
    case 'terminate':
      rules.beginTerminate(instance, context);
      break;
  }
  return accepted(choices.terminateStatus, instance, before, context);
}

/** Starts a stopped instance. Method, path and response are choices of this deployment. */
export function startInstance(context: RequestContext): Answer {
  const { rules, choices } = context;
  const instance = rules.findInstance(context);
  const before = answerBefore(instance, context);
  switch (rules.startOutcome(instance, context)) {
    case 'conflict':
      throw rules.conflict(`The instance is ${instance.state}.`, context);
    case 'refuse':
      throw new Refusal(422, errorCodes[400], `The instance is ${instance.state}.`);
    case 'start':
      rules.beginStart(instance, context);
      break;
    case 'ignore':
      break;
  }
  if (choices.startAnswers === 'nothing') {
    return { status: choices.startStatus };
  }
  return accepted(choices.startStatus, instance, before, context);
}

/** Creates an instance of the caller: `{name?, sku?, region?}`. The contract does not describe this operation. */
export function provision(context: RequestContext): Answer {
  const body = context.rules.parseBody(context);
  const wishes = isRecord(body) ? body : {};
  const preset = context.world.presets.find(
    ({ sku, region }) =>
      region !== undefined &&
      (wishes['sku'] === undefined || sku === wishes['sku']) &&
      (wishes['region'] === undefined || region === wishes['region']),
  );
  if (preset === undefined) throw invalid('There is no such preset.');
  const { name } = wishes;
  const instance = context.world.create(callerOf(context).name, {
    id: randomUUID(),
    name: typeof name === 'string' && name !== '' ? name : 'unnamed',
    preset,
    origin: 'provision',
  });
  // A setup fee, so that the cost of a second run differs from the total cost.
  instance.settledCost = 2 + 2 * preset.hourlyPrice;
  moveOn(instance, context.deployment);
  return {
    status: context.choices.provisionStatus,
    json: { id: instance.id, name: instance.name, status: instance.state },
  };
}

/** Finds the instance and reads the note. A choice says which of the two errors comes first. */
function instanceAndNote(context: RequestContext): Instance {
  const { rules } = context;
  if (context.choices.precedence === 'request-first') rules.readReasonNote(context);
  const instance = rules.findInstance(context);
  rules.readReasonNote(context);
  return instance;
}

/** The record before the action, if this deployment shows that one. */
function answerBefore(instance: Instance, context: RequestContext): unknown {
  return context.choices.answerShows === 'before'
    ? context.rules.actionRecord(instance, context.now, context)
    : undefined;
}

function accepted(
  status: number,
  instance: Instance,
  before: unknown,
  context: RequestContext,
): Answer {
  const record = before ?? context.rules.actionRecord(instance, context.now, context);
  return { status, json: record };
}
