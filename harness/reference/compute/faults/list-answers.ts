/** Answers of the instance list as a whole, and parameters that it cannot stomach. */

import { declareFaults } from '../../fault.ts';
import { invalid } from '../refusal.ts';
import type { ComputeRules } from '../context.ts';
import { answering, isSuccess, succeeding } from './answering.ts';

export const listAnswerFaults = declareFaults<ComputeRules>([
  {
    name: 'page-of-ten-is-206',
    summary: 'A page of instances of size 10 is answered with 206.',
    breaks: ['compute.list-instances.answers-200'],
    patch: (rules) =>
      answering(rules, (answer, { operation, query }) =>
        operation === 'list-instances' && query === 'size=10' && isSuccess(answer)
          ? { ...answer, status: 206 }
          : answer,
      ),
  },
  {
    name: 'bare-instance-list-is-refused',
    summary: 'The instance list without any parameter is refused.',
    breaks: [
      'compute.list-instances.parameters-optional',
      'compute.pagination.walk-default',
      'compute.pagination.walk-without-gaps',
    ],
    patch: (rules) =>
      answering(rules, (answer, context) =>
        context.operation === 'list-instances' &&
        context.query === '' &&
        context.key?.role === 'primary' &&
        isSuccess(answer)
          ? rules.errorAnswer(invalid('size is missing.'), context)
          : answer,
      ),
  },
  {
    name: 'bare-preset-list-is-refused',
    summary: 'The presets without any parameter are refused.',
    breaks: ['compute.presets.parameters-optional', 'compute.presets.walks-agree'],
    patch: (rules) =>
      answering(rules, (answer, context) =>
        context.operation === 'presets' && context.query === '' && isSuccess(answer)
          ? rules.errorAnswer(invalid('size is missing.'), context)
          : answer,
      ),
  },
  {
    name: 'nothing-found-is-no-list',
    summary: 'A page without instances has an object as its data.',
    breaks: ['compute.list-instances.data-array'],
    patch: (rules) =>
      succeeding(rules, 'list-instances', (json) =>
        Array.isArray(json['data']) && json['data'].length === 0 ? { ...json, data: {} } : json,
      ),
  },
  {
    name: 'quotes-crash-the-list',
    summary: 'An apostrophe in a filter of the instance list brings about a 500.',
    breaks: ['compute.list-instances.odd-parameters'],
    patch: (rules) => crashing(rules, /'/u),
  },
  {
    name: 'null-characters-crash-the-list',
    summary: 'A null character in a filter of the instance list brings about a 500.',
    breaks: ['compute.list-instances.odd-parameters'],
    patch: (rules) => crashing(rules, /\0/u),
  },
  {
    name: 'emoji-crash-the-list',
    summary: 'A character beyond the basic plane in a region brings about a 500.',
    breaks: ['compute.list-instances.odd-parameters'],
    patch: (rules) => crashing(rules, /[\u{10000}-\u{10FFFF}]/u),
  },
  {
    name: 'regions-crash-now-and-then',
    summary: 'Every twentieth read of presets in a region is 500.',
    breaks: ['compute.errors.no-internal-error'],
    patch: (rules) => {
      let reads = 0;
      return {
        ...rules,
        presetMatchesRegion: (preset, query, context) => {
          if (query.region !== undefined && preset === context.world.presets[0]) reads += 1;
          if (reads % 20 === 19 && query.region !== undefined) throw new Error('No connection.');
          return rules.presetMatchesRegion(preset, query, context);
        },
      };
    },
  },
  {
    name: 'instance-list-is-always-empty',
    summary: 'The instance list is empty, whatever the account has.',
    breaks: ['compute.list-instances.own-listed'],
    patch: (rules) => ({ ...rules, matchesQuery: () => false }),
  },
  {
    name: 'stopped-is-not-listed',
    summary: 'Instances that are stopped can be read and acted on, and are not listed.',
    breaks: ['compute.list-instances.own-listed'],
    patch: (rules) => ({
      ...rules,
      matchesQuery: (instance, query, context) =>
        instance.state !== 'STOPPED' && rules.matchesQuery(instance, query, context),
    }),
  },
]);

/** Regions and GPU models of the instance list bring about a 500 with a certain character. */
function crashing(rules: ComputeRules, character: RegExp): ComputeRules {
  return {
    ...rules,
    matchesQuery: (instance, query, context) => {
      if (character.test(`${query.region ?? ''}${query.gpuType ?? ''}`)) {
        throw new Error('The database refused the text.');
      }
      return rules.matchesQuery(instance, query, context);
    },
  };
}
