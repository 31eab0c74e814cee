/** The region codes and the requirements of listing them. */

import { section } from './section.ts';

/** The whole fixed set of region codes (compute#regions/codes). */
export const regionCodes = ['UAE', 'FR', 'US'] as const;

/** True for a region code in any case: whether a filter takes it for one in another case is open. */
export function isCodeInAnyCase(text: string): boolean {
  return regionCodes.some((code) => code.toLowerCase() === text.toLowerCase());
}

export const regionsRequirements = section('regions', {
  answers: {
    clause: 'compute#get-regions',
    strength: 'stated',
    statement: 'The regions can be read with a 2xx status.',
  },
  'codes-mentioned': {
    clause: 'compute#regions/codes',
    strength: 'stated',
    statement: 'Each of UAE, FR and US stands somewhere in the regions body.',
    judged: 'As a whole string or member name anywhere in the JSON, so that no binding is needed.',
    universal: true,
    hasCases: true,
  },
  'codes-exact': {
    clause: 'compute#regions/fixed',
    strength: 'stated',
    statement: 'The regions are exactly UAE, FR and US, each once and all in one answer.',
    needs: ['bindings.regions.codes'],
    universal: true,
    hasCases: true,
  },
  'codes-filter-instances': {
    clause: 'compute#regions/filters',
    strength: 'stated',
    statement: 'Every region code is accepted as a region filter of the instance list.',
  },
  'codes-filter-presets': {
    clause: 'compute#get-regions/filter-value',
    strength: 'stated',
    statement: 'Every region code is accepted as a region filter of the presets.',
  },
  body: {
    clause: 'compute#other-records/region',
    strength: 'open',
    statement: 'The shape of the regions body and the fields of a region.',
  },
  parameters: {
    clause: 'compute#get-regions/not-shown',
    strength: 'open',
    statement: 'What the regions do with query parameters.',
  },
});
