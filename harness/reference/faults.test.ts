/** Rules for every fault. The proof shows that each breaks exactly what it declares. */

import { expect, test } from 'vitest';
import { computeFaults } from './compute/faults/index.ts';
import { routerFaults } from './router/faults/index.ts';

test.each([
  ['compute', computeFaults],
  ['router', routerFaults],
])('faults of the %s contract have names and requirements', (contract, faults) => {
  const names = faults.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  for (const { name, summary, aims, besides } of faults) {
    const broken = [aims, ...besides];
    expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u);
    expect(summary).toMatch(/\.$/u);
    expect(new Set(broken).size, name).toBe(broken.length);
    for (const id of broken)
      expect(id).toMatch(new RegExp(`^${contract}\\.[a-z-]+\\.[a-z0-9_-]+$`, 'u'));
  }
});
