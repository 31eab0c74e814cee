/** Regions that lack a code, or have one too many. */

import { notFound, regionCodes } from '../model.ts';
import { faultTable, type Patch } from './answering.ts';

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

export const regionFaults = faultTable({
  'compute.regions.codes-exact': {
    'region-us-is-missing': {
      besides: ['compute.regions.codes-mentioned'],
      patch: codes((all) => all.filter((code) => code !== 'US')),
    },
    'region-uae-is-spelled-ae': {
      besides: ['compute.regions.codes-mentioned'],
      patch: codes((all) => all.map((code) => (code === 'UAE' ? 'AE' : code))),
    },
    'fourth-region': {
      says: 'The regions have a fourth code.',
      patch: codes((all) => [...all, 'DE']),
    },
    'region-fr-twice': codes((all) => [...all, 'FR']),
    'now-and-then-there-is-a-fourth-region': (rules) => {
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
  },
  'compute.regions.codes-mentioned': {
    'region-codes-are-lower-case': {
      besides: ['compute.regions.codes-exact'],
      patch: codes((all) => all.map((code) => code.toLowerCase())),
    },
  },
  'compute.regions.answers': {
    'regions-are-not-found': (rules) => {
      let reads = 0;
      return {
        regionsBody: (context) => {
          reads += 1;
          if (reads % 3 === 1) throw notFound();
          return rules.regionsBody(context);
        },
      };
    },
  },
});
