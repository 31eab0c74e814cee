/** Answers of the instance list as a whole, and parameters that it cannot stomach. */

import { invalid } from '../refusal.ts';
import type { ComputeRules } from '../context.ts';
import { unless, faultTable, answering, isSuccess, succeeding } from './answering.ts';

export const listAnswerFaults = faultTable({
  'compute.list-instances.answers-200': {
    'page-of-ten-is-206': (rules) =>
      answering(rules, (answer, { operation, query }) =>
        operation === 'list-instances' && query === 'size=10' && isSuccess(answer)
          ? { ...answer, status: 206 }
          : answer,
      ),
  },
  'compute.list-instances.parameters-optional': {
    'bare-instance-list-is-refused': {
      besides: ['compute.pagination.walk-default', 'compute.pagination.walk-without-gaps'],
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
  },
  'compute.presets.parameters-optional': {
    'bare-preset-list-is-refused': {
      besides: ['compute.presets.walks-agree'],
      patch: (rules) =>
        answering(rules, (answer, context) =>
          context.operation === 'presets' && context.query === '' && isSuccess(answer)
            ? rules.errorAnswer(invalid('size is missing.'), context)
            : answer,
        ),
    },
  },
  'compute.list-instances.data-array': {
    'nothing-found-is-no-list': {
      says: 'A page without instances has an object as its data.',
      patch: (rules) =>
        succeeding(rules, 'list-instances', (json) =>
          Array.isArray(json['data']) && json['data'].length === 0 ? { ...json, data: {} } : json,
        ),
    },
  },
  'compute.list-instances.odd-parameters': {
    'quotes-crash-the-list': {
      says: 'An apostrophe in a filter of the instance list brings about a 500.',
      patch: (rules) => crashing(rules, /'/u),
    },
    'null-characters-crash-the-list': (rules) => crashing(rules, /\0/u),
    'emoji-crash-the-list': {
      says: 'A character beyond the basic plane in a region brings about a 500.',
      patch: (rules) => crashing(rules, /[\u{10000}-\u{10FFFF}]/u),
    },
  },
  'compute.errors.no-internal-error': {
    'regions-crash-now-and-then': {
      says: 'Every twentieth read of presets in a region is 500.',
      patch: (rules) => {
        let reads = 0;
        return {
          presetMatchesRegion: (preset, query, context) => {
            if (query.region !== undefined && preset === context.world.presets[0]) reads += 1;
            if (reads % 20 === 19 && query.region !== undefined) throw new Error('No connection.');
            return rules.presetMatchesRegion(preset, query, context);
          },
        };
      },
    },
  },
  'compute.list-instances.own-listed': {
    'instance-list-is-always-empty': () => ({ matchesQuery: () => false }),
    'stopped-is-not-listed': unless(
      'matchesQuery',
      (instance) => instance.state === 'STOPPED',
      false,
    ),
  },
});

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
