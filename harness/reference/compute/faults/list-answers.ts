/** Answers of the instance list as a whole, and parameters that it cannot stomach. */

import { invalid } from '../model.ts';
import {
  fails,
  type Patch,
  unless,
  faultTable,
  answering,
  isSuccess,
  succeeding,
} from './answering.ts';

export const listAnswerFaults = faultTable({
  'compute.list-instances.answers-200': {
    'page-of-ten-is-206': answering((answer, { operation, query }) =>
      operation === 'list-instances' && query === 'size=10' && isSuccess(answer)
        ? { ...answer, status: 206 }
        : answer,
    ),
  },
  'compute.list-instances.parameters-optional': {
    'bare-instance-list-is-refused': {
      besides: ['compute.pagination.walk-default', 'compute.pagination.walk-without-gaps'],
      patch: (rules) =>
        answering((answer, context) =>
          context.operation === 'list-instances' &&
          context.query === '' &&
          context.key?.role === 'primary' &&
          isSuccess(answer)
            ? rules.errorAnswer(invalid('size is missing.'), context)
            : answer,
        )(rules),
    },
  },
  'compute.presets.parameters-optional': {
    'bare-preset-list-is-refused': {
      besides: ['compute.presets.walks-agree'],
      patch: (rules) =>
        answering((answer, context) =>
          context.operation === 'presets' && context.query === '' && isSuccess(answer)
            ? rules.errorAnswer(invalid('size is missing.'), context)
            : answer,
        )(rules),
    },
  },
  'compute.list-instances.data-array': {
    'nothing-found-is-no-list': {
      says: 'A page without instances has an object as its data.',
      patch: succeeding('list-instances', (json) =>
        Array.isArray(json['data']) && json['data'].length === 0 ? { ...json, data: {} } : json,
      ),
    },
  },
  'compute.list-instances.odd-parameters': {
    'quotes-crash-the-list': {
      says: 'An apostrophe in a filter of the instance list brings about a 500.',
      patch: crashing(/'/u),
    },
    'null-characters-crash-the-list': crashing(/\0/u),
    'emoji-crash-the-list': {
      says: 'A character beyond the basic plane in a region brings about a 500.',
      patch: crashing(/[\u{10000}-\u{10FFFF}]/u),
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
function crashing(character: RegExp): Patch {
  return fails(
    'matchesQuery',
    (_instance, query) => character.test(`${query.region ?? ''}${query.gpuType ?? ''}`),
    () => new Error('The database refused the text.'),
  );
}
