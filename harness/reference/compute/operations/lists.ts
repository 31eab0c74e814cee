/** GET /instances and GET /presets. */

import type { Answer, RequestContext } from '../context.ts';
import { instanceParameters, readInstanceQuery } from './instance-query.ts';
import { readPresetQuery } from './preset-query.ts';

/** A page of the caller's own instances, newest first unless sorted. */
export function listInstances(context: RequestContext): Answer {
  const { rules, choices } = context;
  rules.refuseUnknownParameters(instanceParameters, context);
  const asked = readInstanceQuery(context);
  const text = rules.readParameter('cursor', context);
  const cursor = text === undefined ? undefined : rules.decodeCursor(text, 'instances', context);
  const begun = cursor?.list === 'instances' ? cursor.query : undefined;
  const query = rules.queryOfPage(asked, begun, context);
  const page = rules.selectInstances(query, cursor?.after, context);
  const next =
    page.end === undefined
      ? null
      : rules.encodeCursor({ list: 'instances', query, after: page.end }, context);
  // A walk by cost shows the costs that it goes by: those of the moment at which it began.
  const at = query.sortField === 'CURRENT_COST' ? query.asOf : context.now;
  return {
    status: 200,
    headers: [],
    json: {
      data: page.items.map((instance) => rules.listRecord(instance, at, context, query)),
      pagination: rules.paginationObject(next, query.size, page.items.length, context, query),
      ...choices.pageExtras,
    },
  };
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
  const text = rules.readParameter('cursor', context);
  const cursor = text === undefined ? undefined : rules.decodeCursor(text, 'presets', context);
  const begun = cursor?.list === 'presets' ? cursor.query : undefined;
  const query = rules.queryOfPage(asked, begun, context);
  const page = rules.selectPresets(query, cursor?.after, context);
  const next =
    page.end === undefined
      ? null
      : rules.encodeCursor({ list: 'presets', query, after: page.end }, context);
  return {
    status: 200,
    headers: [],
    json: {
      [items]: page.items.map((preset) => rules.presetRecord(preset, context, query)),
      pagination: rules.paginationObject(next, query.size, page.items.length, context, query),
      ...choices.pageExtras,
    },
  };
}

/** GET /regions: all of them, not paginated. */
export function listRegions(context: RequestContext): Answer {
  return { status: 200, headers: [], json: context.rules.regionsBody(context) };
}
