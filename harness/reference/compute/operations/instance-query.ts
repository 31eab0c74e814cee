/** What a caller wants of the instance list. */

import type { RequestContext } from '../context.ts';
import { type InstanceQuery, instanceSortFields, sortDirections } from '../queries.ts';
import { invalid } from '../refusal.ts';

export const instanceParameters = [
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

/** Reads the parameters of a first page. @throws {Refusal} 400 for each that is not what it may be. */
export function readInstanceQuery(context: RequestContext): InstanceQuery {
  const { rules } = context;
  const read = <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = rules.readParameter(name, context);
    return text === undefined ? undefined : parse(text);
  };
  const begin = read('date_range_begin', (text) =>
    rules.parseDate('date_range_begin', text, context),
  );
  const end = read('date_range_end', (text) => rules.parseDate('date_range_end', text, context));
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
