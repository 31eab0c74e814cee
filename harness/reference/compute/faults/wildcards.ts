/** Filters and searches that find more than what is asked for, look at less than there is, or refuse what is good. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import { invalid } from '../refusal.ts';
import { instancesOf } from './population.ts';

/** Text as the LIKE of a database reads it. */
function likePattern(text: string): string {
  return text
    .replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
}

function isLike(field: string, text: string): boolean {
  return new RegExp(`^${likePattern(text)}$`, 'su').test(field);
}

/** A search that also looks into one more member of an instance. */
function lookingAt(
  name: string,
  summary: string,
  member: (
    instance: Parameters<ComputeRules['searchMatches']>[0],
    context: RequestContext,
  ) => string,
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks: ['compute.list-instances.free-text-absent'],
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        rules.searchMatches(instance, query, context) ||
        rules.textMatches(member(instance, context), query.text ?? '', context),
    }),
  };
}

/** A search that takes what it is asked for as a regular expression, where it is one. */
function asExpression(operation: 'list-instances' | 'presets', id: string): Fault<ComputeRules> {
  const what = operation === 'presets' ? 'preset' : 'instance';
  return {
    name: `${what}-search-is-a-regular-expression`,
    summary: `In the ${what} search a dot stands for any sign, and a star for any number of them.`,
    breaks: [id],
    patch: (rules) => ({
      ...rules,
      textMatches: (field, text, context) => {
        const asText = rules.textMatches(field, text, context);
        if (asText || context.operation !== operation) return asText;
        try {
          return new RegExp(text, 'isu').test(field);
        } catch {
          return false;
        }
      },
    }),
  };
}

export const wildcardFaults = declareFaults<ComputeRules>([
  {
    name: 'gpu-filter-knows-wildcards',
    summary: 'In the GPU filter of instances, % stands for any text and _ for any sign.',
    breaks: ['compute.list-instances.gpu-type-unknown'],
    patch: (rules) => ({
      ...rules,
      matchesGpuType: (instance, query) =>
        query.gpuType === undefined || isLike(instance.preset.gpu, query.gpuType),
    }),
  },
  {
    name: 'sku-filter-knows-wildcards',
    summary: 'In the SKU filter, % stands for any text and _ for any sign.',
    breaks: ['compute.presets.sku-part'],
    patch: (rules) => ({
      ...rules,
      presetMatchesSku: (preset, query) => query.sku === undefined || isLike(preset.sku, query.sku),
    }),
  },
  {
    name: 'preset-search-knows-wildcards',
    summary: 'In a preset search, % stands for any text and _ for any sign.',
    breaks: ['compute.presets.free-text-absent'],
    patch: (rules) => ({
      ...rules,
      textMatches: (field, text, context) =>
        context.operation === 'presets'
          ? new RegExp(likePattern(text), 'isu').test(field)
          : rules.textMatches(field, text, context),
    }),
  },
  asExpression('list-instances', 'compute.list-instances.free-text-absent'),
  asExpression('presets', 'compute.presets.free-text-absent'),
  lookingAt(
    'search-looks-at-the-hardware',
    'A search also finds instances by the summary of their hardware.',
    ({ preset }, { rules, ...rest }) => rules.resourceSummary(preset, { rules, ...rest }),
  ),
  lookingAt(
    'search-looks-at-reasons',
    'A search also finds instances by the reason of their termination.',
    ({ terminationReason }) => terminationReason ?? '',
  ),
  {
    name: 'search-looks-at-the-newest-alone',
    summary: 'A search passes over the oldest instances of an account.',
    breaks: ['compute.list-instances.free-text-full-name'],
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        rules.searchMatches(instance, query, context) &&
        (query.text === undefined || !instancesOf(context).slice(0, 2).includes(instance)),
    }),
  },
  {
    name: 'begin-always-leaves-the-oldest-out',
    summary: 'No begin date gives the oldest instance, however early it is.',
    breaks: ['compute.list-instances.date-begin'],
    patch: (rules) => ({
      ...rules,
      matchesDateBegin: (instance, query, context) =>
        rules.matchesDateBegin(instance, query, context) &&
        (query.begin === undefined || instancesOf(context)[0] !== instance),
    }),
  },
  {
    name: 'leap-days-are-refused',
    summary: 'A date on the 29th of February is refused in every year.',
    breaks: ['compute.list-instances.date-end-past'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) => {
        if (text.includes('-02-29')) throw invalid(`${name} is no date.`);
        return rules.parseDate(name, text, context);
      },
    }),
  },
]);
