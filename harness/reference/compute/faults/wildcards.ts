/** Filters and searches that find more than what is asked for, look at less than there is, or refuse what is good. */

import type { ComputeRules, RequestContext } from '../context.ts';
import { invalid } from '../model.ts';
import { instancesOf } from './population.ts';
import { amend, unless, replace, faultTable, type Patch } from './answering.ts';

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
  member: (
    instance: Parameters<ComputeRules['searchMatches']>[0],
    context: RequestContext,
  ) => string,
): Patch {
  return (rules) => ({
    searchMatches: (instance, query, context) =>
      rules.searchMatches(instance, query, context) ||
      rules.textMatches(member(instance, context), query.text ?? '', context),
  });
}

/** A search that takes what it is asked for as a regular expression, where it is one. */
function asExpression(operation: 'list-instances' | 'presets'): Patch {
  return amend('textMatches', (asText, field, text, context) => {
    if (asText || context.operation !== operation) return asText;
    try {
      return new RegExp(text, 'isu').test(field);
    } catch {
      return false;
    }
  });
}

export const wildcardFaults = faultTable({
  'compute.list-instances.gpu-type-unknown': {
    'gpu-filter-knows-wildcards': () => ({
      matchesGpuType: (instance, query) =>
        query.gpuType === undefined || isLike(instance.preset.gpu, query.gpuType),
    }),
  },
  'compute.presets.sku-part': {
    'sku-filter-knows-wildcards': () => ({
      presetMatchesSku: (preset, query) => query.sku === undefined || isLike(preset.sku, query.sku),
    }),
  },
  'compute.presets.free-text-absent': {
    'preset-search-is-a-regular-expression': asExpression('presets'),
    'preset-search-knows-wildcards': unless(
      'textMatches',
      (_field, _text, context) => context.operation === 'presets',
      (field, text) => new RegExp(likePattern(text), 'isu').test(field),
    ),
  },
  'compute.list-instances.free-text-absent': {
    'search-looks-at-the-hardware': lookingAt(({ preset }, { rules, ...rest }) =>
      rules.resourceSummary(preset, { rules, ...rest }),
    ),
    'instance-search-is-a-regular-expression': asExpression('list-instances'),
    'search-looks-at-reasons': lookingAt(({ terminationReason }) => terminationReason ?? ''),
  },
  'compute.list-instances.free-text-full-name': {
    'search-looks-at-the-newest-alone': {
      says: 'A search passes over the oldest instances of an account.',
      patch: unless(
        'searchMatches',
        (instance, query, context) =>
          query.text !== undefined && instancesOf(context).slice(0, 2).includes(instance),
        false,
      ),
    },
  },
  'compute.list-instances.date-begin': {
    'begin-always-leaves-the-oldest-out': unless(
      'matchesDateBegin',
      (instance, query, context) =>
        query.begin !== undefined && instancesOf(context)[0] === instance,
      false,
    ),
  },
  'compute.list-instances.date-end-past': {
    'leap-days-are-refused': {
      says: 'A date on the 29th of February is refused in every year.',
      patch: replace('parseDate', (original, name, text, context) => {
        if (text.includes('-02-29')) throw invalid(`${name} is no date.`);
        return original(name, text, context);
      }),
    },
  },
});
