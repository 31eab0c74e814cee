import { expect, test } from 'vitest';
import { oneBlock } from './one-block.ts';

test('lines that begin with the same word become one', () => {
  const lines = [
    'consent: { stop: true }',
    'keys: { second: ${KEY_2} }',
    'consent: { terminate: true }',
    'instances: { stopped: [ a-b ] }',
    'bindings: { start: POST /instances/{id}/start }',
  ];
  expect(oneBlock(lines)).toBe(
    [
      'consent:',
      '  stop: true',
      '  terminate: true',
      'keys:',
      '  second: ${KEY_2}',
      'instances:',
      '  stopped:',
      '    - a-b',
      'bindings:',
      '  start: POST /instances/{id}/start',
    ].join('\n'),
  );
});
