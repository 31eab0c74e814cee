/** Searches of the instance list that miss names, find strangers, or count wrongly. */

import { type Instance, invalid } from '../model.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import { faultTable, forces, instancesOf, type Patch, replace } from './words.ts';
import { anySigns, asExpression, crashingSearch } from './words-lists.ts';

/** Names with a certain character cannot be found. */
function cannotFind(character: RegExp): Patch {
  return forces('searchMatches', false, (_instance, query) => character.test(query.text ?? ''));
}

/** A search of instances that looks at some texts alone. */
function lookingAt(texts: (instance: Instance) => readonly string[]) {
  return (rules: ComputeRules): ComputeRules => ({
    ...rules,
    searchMatches: (instance, query, context) =>
      query.text === undefined ||
      texts(instance).some((field) => rules.textMatches(field, query.text ?? '', context)),
  });
}

/** A search that also looks into one more member of an instance. */
function alsoLookingAt(
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

export const listSearchFaults = faultTable('compute.list-instances', {
  'free-text-too-long: search-of-256-is-cut-beside-a-sort': replace(
    'parseFreeText',
    (original, name, text, context) =>
      original(
        name,
        context.operation === 'list-instances' && context.query.includes('sort_field=')
          ? text.slice(0, 255)
          : text,
        context,
      ),
  ),
  'free-text-too-long: search-of-256-is-served': forces(
    'parseFreeText',
    (_name, text) => text,
    (_name, text, context) => context.operation === 'list-instances' && text.length === 256,
  ),
  'free-text-full-name: search-fails-with-an-emoji': cannotFind(/\p{Emoji_Presentation}/u),
  'free-text-full-name: search-leaves-out-what-erred': forces(
    'searchMatches',
    false,
    (instance, query) => query.text !== undefined && instance.state === 'ERRORED',
  ),
  'free-text-full-name: search-looks-at-the-newest-alone': forces(
    'searchMatches',
    false,
    (instance, query, context) =>
      query.text !== undefined && instancesOf(context).slice(0, 2).includes(instance),
  ),
  'free-text-characters + odd-parameters: search-for-a-quote-crashes': crashingSearch(
    'list-instances',
    /['"]/u,
  ),
  'free-text-characters: search-for-a-number-is-refused': replace(
    'parseFreeText',
    (original, name, text, context) => {
      if (context.operation === 'list-instances' && /^\d+$/u.test(text)) {
        throw invalid(`${name} must have a letter.`);
      }
      return original(name, text, context);
    },
  ),
  'free-text-absent: long-searches-of-instances-do-not-count': forces(
    'searchMatches',
    true,
    (_instance, query) => (query.text ?? '').length >= 200,
  ),
  'free-text-absent: search-takes-percent-signs-for-wildcards': replace(
    'textMatches',
    (original, field, text, context) => {
      const parts = text.toLowerCase().split('%');
      if (parts.length === 1) return original(field, text, context);
      let left: string | undefined = field.toLowerCase();
      for (const part of parts) {
        const at: number = left?.indexOf(part) ?? -1;
        left = at === -1 ? undefined : left?.slice(at + part.length);
      }
      return left !== undefined;
    },
  ),
  'free-text-absent: search-looks-at-ids': forces(
    'searchMatches',
    true,
    (instance, query) => instance.id === query.text,
  ),
  'free-text-absent: search-looks-at-the-hardware': alsoLookingAt(
    ({ preset }, { rules, ...rest }) => rules.resourceSummary(preset, { rules, ...rest }),
  ),
  'free-text-absent: instance-search-is-a-regular-expression': asExpression('list-instances'),
  'free-text-location: search-looks-at-locations': (rules) => ({
    searchMatches: (instance, query, context) =>
      rules.searchMatches(instance, query, context) ||
      rules.textMatches(instance.preset.location, query.text ?? '', context),
  }),
  'free-text-region: search-leaves-regions-out': (rules) => ({
    searchMatches: (instance, query, context) =>
      query.text === undefined ||
      [instance.name, instance.preset.gpu].some((field) =>
        rules.textMatches(field, query.text ?? '', context),
      ),
  }),
  'free-text-region: search-knows-one-region-alone': lookingAt(({ name, preset }) => [
    name,
    preset.gpu,
    preset.region === 'UAE' ? preset.region : '',
  ]),
  'free-text-maximum: search-of-255-is-refused': replace(
    'parseFreeText',
    (original, name, text, context) => {
      if (context.operation === 'list-instances' && text.length === 255) {
        throw invalid(`${name} is too long.`);
      }
      return original(name, text, context);
    },
  ),
  'free-text-other-members: search-leaves-gpu-models-out': lookingAt(({ name, preset }) => [
    name,
    preset.region ?? '',
  ]),
  'free-text-signs: signs-of-a-search-stand-for-any': anySigns('list-instances'),
});
