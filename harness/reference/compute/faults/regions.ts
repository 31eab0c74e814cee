/** Regions that lack a code, or have one too many. */

import { type Fault, declareFaults } from '../../fault.ts';
import { regionCodes } from '../model.ts';
import { notFound } from '../refusal.ts';
import type { ComputeRules } from '../context.ts';

/** Other codes in the body of this deployment. */
function codes(
  name: string,
  summary: string,
  change: (right: readonly string[]) => readonly string[],
  breaks: readonly string[],
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks,
    patch: (rules) => ({
      ...rules,
      regionsBody: ({ choices }) => {
        const { member, item } = choices.regionsBody;
        const list = change(regionCodes).map((code) =>
          item === undefined ? code : { [item]: code },
        );
        return member === undefined ? list : { [member]: list };
      },
    }),
  };
}

const exact = 'compute.regions.codes-exact';
const mentioned = 'compute.regions.codes-mentioned';

export const regionFaults = declareFaults<ComputeRules>([
  codes(
    'region-us-is-missing',
    'The regions lack US.',
    (all) => all.filter((code) => code !== 'US'),
    [exact, mentioned],
  ),
  codes(
    'region-uae-is-spelled-ae',
    'The regions call UAE AE.',
    (all) => all.map((code) => (code === 'UAE' ? 'AE' : code)),
    [exact, mentioned],
  ),
  codes(
    'region-codes-are-lower-case',
    'Region codes are in lower case.',
    (all) => all.map((code) => code.toLowerCase()),
    [mentioned, exact],
  ),
  codes('fourth-region', 'The regions have a fourth code.', (all) => [...all, 'DE'], [exact]),
  codes('region-fr-twice', 'The regions have FR twice.', (all) => [...all, 'FR'], [exact]),
  {
    name: 'now-and-then-there-is-a-fourth-region',
    summary: 'Every seventh read of the regions has a fourth code.',
    breaks: [exact],
    patch: (rules) => {
      let reads = 0;
      return {
        ...rules,
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
  {
    name: 'regions-are-not-found',
    summary: 'Every third read of the regions is 404.',
    breaks: ['compute.regions.answers'],
    patch: (rules) => {
      let reads = 0;
      return {
        ...rules,
        regionsBody: (context) => {
          reads += 1;
          if (reads % 3 === 1) throw notFound();
          return rules.regionsBody(context);
        },
      };
    },
  },
]);
