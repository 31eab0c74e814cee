import { expect, test } from 'vitest';

import { catalogueDigest } from './model/verdict.ts';
import { sampleRequirement } from './sample.test.support.ts';

const one = sampleRequirement('compute.a.one', { needs: ['keys.second', 'consent.stop'] });
const two = sampleRequirement('compute.a.two');

test('does not depend on order', () => {
  const shuffled = { ...one, needs: ['consent.stop', 'keys.second'] };
  expect(catalogueDigest([two, shuffled])).toBe(catalogueDigest([one, two]));
  expect(catalogueDigest([one])).toMatch(/^[0-9a-f]{64}$/u);
});

test.for<Partial<typeof two>>([
  { statement: 'Something else.' },
  { strength: 'open' },
  { clause: 'elsewhere' },
  { needs: ['keys.second'] },
  { judged: 'by hand' },
])('changes with what is judged: %j', (change) => {
  expect(catalogueDigest([one, { ...two, ...change }])).not.toBe(catalogueDigest([one, two]));
});
