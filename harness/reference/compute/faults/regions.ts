/** Regions that lack a code, or have one too many. */

import { errorCodes, notFound, Refusal, regionCodes } from '../model.ts';
import { amend, fails, faultTable, nowAndThen, type Patch } from './words.ts';
import { refusesRegion } from './words-lists.ts';

/** Other codes in the body of this deployment. */
function codes(change: (right: readonly string[]) => readonly string[]): Patch {
  return () => ({
    regionsBody: ({ choices }) => {
      const { member, item } = choices.regionsBody;
      const list = change(regionCodes).map((code) =>
        item === undefined ? code : { [item]: code },
      );
      return member === undefined ? list : { [member]: list };
    },
  });
}

export const regionsFaults = faultTable('compute.regions', {
  'codes-filter-instances: region-uae-is-refused': {
    besides: ['compute.list-instances.region-filter', 'compute.list-instances.filters-combine'],
    patch: refusesRegion('list-instances', (text) => text === 'UAE', notFound),
  },
  'codes-filter-presets + compute.presets.region-fr: region-fr-of-presets-is-refused':
    refusesRegion(
      'presets',
      (text) => text === 'FR',
      () => new Refusal(403, errorCodes[403], 'FR is not for this account.'),
    ),
  'codes-filter-presets: region-us-of-presets-is-404-without-offers': refusesRegion(
    'presets',
    (_text, { query }) => query === 'region=US',
    notFound,
  ),
  'codes-exact + codes-mentioned: region-us-is-missing': codes((all) =>
    all.filter((code) => code !== 'US'),
  ),
  'codes-exact: region-fr-twice': codes((all) => [...all, 'FR']),
  'codes-exact: now-and-then-there-is-a-fourth-region': nowAndThen(7, (isDue) =>
    amend('regionsBody', (body, { choices }) => {
      if (!Array.isArray(body) || !isDue()) return body;
      const { item } = choices.regionsBody;
      return [...body, item === undefined ? 'DE' : { [item]: 'DE' }];
    }),
  ),
  'codes-mentioned + codes-exact: region-codes-are-lower-case': codes((all) =>
    all.map((code) => code.toLowerCase()),
  ),
  'answers: regions-are-not-found': nowAndThen(3, (isDue) => fails('regionsBody', notFound, isDue)),
});
