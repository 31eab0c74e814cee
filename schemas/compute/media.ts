/** Requirements on bodies and their content types. */

import { clause, stated, section } from '../requirement.ts';

/** Media type of every body (compute#overview/json). */
export const jsonMediaType = 'application/json';

export const media = section('compute', 'media', [
  clause('overview/json', 'What the service does, bullet: bodies are JSON', {
    'success-json': stated.universal('The body of a successful answer parses as JSON.', {
      judged: 'What a start answers is open; a body that comes with it is JSON like any other.',
    }),
    'success-label': stated.universal(
      'The body of a successful answer is labelled application/json.',
    ),
    'error-json': stated.universal('The body of an error answer parses as JSON.'),
    'error-label': stated.universal('The body of an error answer is labelled application/json.'),
  }),
]);
