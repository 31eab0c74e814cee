/** The region codes and the requirements of listing them. */

import { clause, excluded, stated, open, section } from '../requirement.ts';

/** The whole fixed set of region codes (compute#regions/codes). */
export const regionCodes = ['UAE', 'FR', 'US'] as const;

/** True for a region code. A location never is one. */
export function isRegionCode(value: unknown): boolean {
  return regionCodes.some((code) => code === value);
}

/** True for a region code in any letter case: the contract does not say whether filters ignore case. */
export function isCodeInAnyCase(text: string): boolean {
  return regionCodes.some((code) => code.toLowerCase() === text.toLowerCase());
}

export const regions = section('compute', 'regions', [
  clause('regions/codes', 'Regions, the codes', {
    'codes-mentioned': stated.universal(
      'Each of UAE, FR and US stands somewhere in the regions body.',
      {
        judged:
          'As a whole string or member name anywhere in the JSON, so that no binding is needed.',
        hasCases: true,
      },
    ),
  }),
  clause('regions/fixed', 'Regions, fixed set in one answer', {
    'codes-exact': stated.universal(
      'The regions are exactly UAE, FR and US, each once and all in one answer.',
      { needs: ['bindings.regions.codes'], hasCases: true },
    ),
  }),
  clause('regions/filters', 'Regions, which values the filters accept', {
    'codes-filter-instances': stated(
      'Every region code is accepted as a region filter of the instance list.',
    ),
  }),
  excluded(
    'regions/capacity',
    'Regions, capacity',
    'It says what the list does not tell, which cannot be wrong.',
  ),
  excluded('other-records/ssh-key', 'Other records, SSH key', 'Not shown.'),
  clause('other-records/region', 'Other records, region', {
    body: open('The shape of the regions body and the fields of a region.'),
  }),
  clause('get-regions', 'GET /regions, all codes', {
    answers: stated('The regions can be read with a 2xx status.'),
  }),
  clause('get-regions/filter-value', 'GET /regions, codes as filter values', {
    'codes-filter-presets': stated(
      'Every region code is accepted as a region filter of the presets.',
    ),
  }),
  clause('get-regions/not-shown', 'GET /regions, what is not shown', {
    parameters: open('What the regions do with query parameters.'),
  }),
]);
