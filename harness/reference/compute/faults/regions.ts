/** Regions that lack a code, or have one too many. */

import { errorCodes, notFound, Refusal, regionCodes } from '../model.ts';
import { faultTable, type Patch } from './words.ts';
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
  'codes-exact: now-and-then-there-is-a-fourth-region': (rules) => {
    let reads = 0;
    return {
      regionsBody: (context) => {
        reads += 1;
        const { member, item } = context.choices.regionsBody;
        const more = reads % 7 === 0 && member === undefined ? ['DE'] : [];
        const body = rules.regionsBody(context);
        if (!Array.isArray(body)) return body;
        return [...body, ...more.map((code) => (item === undefined ? code : { [item]: code }))];
      },
    };
  },
  'codes-mentioned + codes-exact: region-codes-are-lower-case': codes((all) =>
    all.map((code) => code.toLowerCase()),
  ),
  'answers: regions-are-not-found': (rules) => {
    let reads = 0;
    return {
      regionsBody: (context) => {
        reads += 1;
        if (reads % 3 === 1) throw notFound();
        return rules.regionsBody(context);
      },
    };
  },
});
