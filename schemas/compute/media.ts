/** Requirements on bodies and their labels. */

import { section } from './section.ts';

/** Media type of every body (compute#overview/json). */
export const jsonMediaType = 'application/json';

export const mediaRequirements = section('media', {
  'success-json': {
    clause: 'compute#overview/json',
    strength: 'stated',
    statement: 'The body of a successful answer parses as JSON.',
    judged: 'What a start answers is open; a body that comes with it is JSON like any other.',
    universal: true,
  },
  'success-label': {
    clause: 'compute#overview/json',
    strength: 'stated',
    statement: 'The body of a successful answer is labelled application/json.',
    universal: true,
  },
  'error-json': {
    clause: 'compute#overview/json',
    strength: 'stated',
    statement: 'The body of an error answer parses as JSON.',
    universal: true,
  },
  'error-label': {
    clause: 'compute#overview/json',
    strength: 'stated',
    statement: 'The body of an error answer is labelled application/json.',
    universal: true,
  },
});
