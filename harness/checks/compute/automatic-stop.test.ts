import { expect, test } from 'vitest';
import { mayBeAutomatic } from './actions.ts';
import { listRecord } from './exchange.test.support.ts';

const left = (ttl_remaining_hours: number) => listRecord({ ttl_remaining_hours });

test.each([
  ['RUNNING', 'STOPPING', 0.01],
  ['RUNNING', 'STOPPED', 0.01],
  ['STOPPING', 'STOPPED', 5],
])('from %s to %s with %d hours left nobody need have acted', (before, after, hours) => {
  expect(mayBeAutomatic(before, after, left(hours))).toBe(true);
});

test.each([
  ['RUNNING', 'STOPPED', 5],
  ['RUNNING', 'STOPPED', 0],
  ['RUNNING', 'TERMINATING', 0.01],
  ['STOPPED', 'RUNNING', 0.01],
])('from %s to %s with %d hours left somebody has acted', (before, after, hours) => {
  expect(mayBeAutomatic(before, after, left(hours))).toBe(false);
});

test('what is in no list tells no hours', () => {
  expect(mayBeAutomatic('RUNNING', 'STOPPED', undefined)).toBe(false);
});

test.each(['STOPPING', 'STOPPED'])('what the list showed as %s stopped before', (status) => {
  const listed = listRecord({ status, ttl_remaining_hours: 0 });
  expect(mayBeAutomatic('RUNNING', 'STOPPED', listed)).toBe(true);
});
