import { describe, expect, test } from 'vitest';
import { Caller, ascendingOrder, column, deploy } from './caller.test.support.ts';

describe('sorting', () => {
  const fields = {
    NAME: 'name',
    GPU_TYPE: 'gpu_type',
    SIZE: 'size',
    REGION: 'region',
    HOURLY_RATE: 'hourly_rate',
    CURRENT_COST: 'current_cost',
    STATUS: 'status',
  } as const;

  test.for(Object.entries(fields))(
    'by %s holds over pages in both directions, and is descending unless told',
    async ([sortField, member]) => {
      // Costs stand still between two readings of the meter: the walks agree.
      const caller = new Caller(await deploy({ choices: { meteringMs: 3_600_000 } }));
      const sorted = (extra: Record<string, string>) =>
        caller.walk('/instances', { sort_field: sortField, size: '7', ...extra });
      const descending = await sorted({ sort_direction: 'DESC' });
      const ascending = await sorted({ sort_direction: 'ASC' });
      const unsaid = await sorted({});
      const values = column(ascending, member);
      expect(new Set(column(ascending, 'instance_id')).size).toBe(72);
      expect(new Set(values).size).toBeGreaterThan(1);
      const inOrder = values.toSorted(ascendingOrder);
      expect(values).toEqual(inOrder);
      expect(column(descending, member)).toEqual(values.toReversed());
      expect(column(unsaid, 'instance_id')).toEqual(column(descending, 'instance_id'));
    },
  );

  test('by cost shows on each page the costs that the walk goes by', async () => {
    const caller = new Caller(await deploy({ choices: { meteringMs: 1 } }));
    const walked = await caller.walk('/instances', { sort_field: 'CURRENT_COST', size: '2' });
    const costs = column(walked, 'current_cost').map(Number);
    expect(costs).toEqual(costs.toSorted((left, right) => right - left));
    expect(new Set(costs).size).toBeGreaterThan(10);
  });

  test('keeps filters and searches', async () => {
    const caller = new Caller(await deploy());
    const parameters = { status: 'running', free_text_search: 'h100', sort_field: 'NAME' };
    const found = await caller.walk('/instances', { ...parameters, size: '1' });
    expect(found.length).toBeGreaterThan(1);
    for (const item of found) {
      expect([item['status'], item['gpu_type']]).toEqual(['RUNNING', 'H100']);
    }
  });
});
