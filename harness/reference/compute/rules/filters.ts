/** Which instances a list holds. */

import { type RequestContext, callerOf } from '../context.ts';
import type { Instance } from '../model.ts';
import type { InstanceQuery } from '../queries.ts';

/** What a caller may list, oldest first: its own instances and nothing else. */
export function instancesInReach(context: RequestContext): readonly Instance[] {
  return callerOf(context).instances;
}

/** Whether a caller may see an instance. */
export function visibleTo(instance: Instance, context: RequestContext): boolean {
  return instance.account === callerOf(context).name;
}

/** Whether an instance is listed at all, whatever the filters. */
export function isListed(
  instance: Instance,
  query: InstanceQuery,
  context: RequestContext,
): boolean {
  if (instance.state !== 'TERMINATED') return true;
  return context.choices.terminatedListed === 'always' || query.status === 'TERMINATED';
}

export function matchesStatus(instance: Instance, query: InstanceQuery): boolean {
  return query.status === undefined || instance.state === query.status;
}

/** By region code; a location is never one. */
export function matchesRegion(instance: Instance, query: InstanceQuery): boolean {
  return query.region === undefined || instance.preset.region === query.region;
}

export function matchesGpuType(instance: Instance, query: InstanceQuery): boolean {
  return query.gpuType === undefined || instance.preset.gpu === query.gpuType;
}

/** Created at the begin or after it. */
export function matchesDateBegin(instance: Instance, query: InstanceQuery): boolean {
  return query.begin === undefined || instance.createdAt >= query.begin;
}

/** Created at the end or before it. */
export function matchesDateEnd(instance: Instance, query: InstanceQuery): boolean {
  return query.end === undefined || instance.createdAt <= query.end;
}

/** Free text in the name, the region or the GPU model. */
export function searchMatches(
  instance: Instance,
  query: InstanceQuery,
  context: RequestContext,
): boolean {
  const { text } = query;
  if (text === undefined) return true;
  return [instance.name, instance.preset.region ?? '', instance.preset.gpu].some((field) =>
    context.rules.textMatches(field, text, context),
  );
}

/** Whether a searched text is in a field. */
export function textMatches(field: string, text: string, context: RequestContext): boolean {
  const { search } = context.choices;
  if (search === 'exact-case') return field.includes(text);
  if (search === 'substring') return field.toLowerCase().includes(text.toLowerCase());
  const words = new Set(wordsOf(field));
  const wanted = wordsOf(text);
  return wanted.length === 0 ? field.includes(text) : wanted.every((word) => words.has(word));
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
}

/** Every filter together. */
export function matchesQuery(
  instance: Instance,
  query: InstanceQuery,
  context: RequestContext,
): boolean {
  const { rules } = context;
  return (
    rules.isListed(instance, query, context) &&
    rules.matchesStatus(instance, query, context) &&
    rules.matchesRegion(instance, query, context) &&
    rules.matchesGpuType(instance, query, context) &&
    rules.matchesDateBegin(instance, query, context) &&
    rules.matchesDateEnd(instance, query, context) &&
    rules.searchMatches(instance, query, context)
  );
}
