import { expect, test } from 'vitest';
import { mostShared } from './most-shared.ts';

test('the values that go together most often', () => {
  const records = [
    { status: 'RUNNING', region: 'FR' },
    { status: 'STOPPED', region: 'FR' },
    { status: 'STOPPED', region: 'US' },
    { status: 'STOPPED', region: 'FR' },
    { status: 'STOPPED' },
  ];
  expect(mostShared(records, ['status', 'region'])).toEqual({
    values: { status: 'STOPPED', region: 'FR' },
    count: 2,
  });
});

test('records without text in every field share nothing', () => {
  expect(mostShared([{ status: 'RUNNING', region: 7 }], ['status', 'region'])).toEqual({
    values: {},
    count: 0,
  });
});
