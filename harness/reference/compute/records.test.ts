import { describe, expect, test } from 'vitest';
import { Caller, column, deploy, textOf } from './caller.test.support.ts';

describe('records', () => {
  const fields = {
    instance_id: 'string',
    name: 'string',
    status: 'string',
    region: 'string',
    gpu_type: 'string',
    size: 'string',
    cpu_count: 'number',
    resources: 'string',
    bandwidth: 'number',
    storage_used_gb: 'number',
    hourly_rate: 'number',
    current_cost: 'number',
    total_cost_incurred: 'number',
    total_runtime_hours: 'number',
    ttl_remaining_hours: 'number',
    guest_ready: 'string',
  } as const;

  test('of every state have all fields, and hang together', async () => {
    const reference = await deploy();
    const all = await new Caller(reference).walk('/instances');
    expect(new Set(column(all, 'status')).size).toBe(9);
    const skus = new Set(reference.world.presets.map(({ sku }) => sku));
    for (const record of all) {
      for (const [name, type] of Object.entries(fields)) expect(record[name]).toBeTypeOf(type);
      expect(['UAE', 'FR', 'US']).toContain(record['region']);
      expect(skus).toContain(record['size']);
      expect(Number.isInteger(record['cpu_count'])).toBe(true);
      expect(Number(record['current_cost'])).toBeLessThanOrEqual(
        Number(record['total_cost_incurred']),
      );
      const status = textOf(record['status']);
      expect(record['terminated_at'] === null).toBe(status !== 'TERMINATED');
      expect(record['termination_reason'] === null).toBe(!status.startsWith('TERMINAT'));
      expect(status !== 'RUNNING' || typeof record['started_at'] === 'string').toBe(true);
    }
  });

  test('in answers to stops are of the other variant', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const stopped = reference.target().instances.stopped ?? [];
    expect(stopped).toHaveLength(3);
    const answers = await Promise.all(stopped.map((id) => caller.post(`/instances/${id}/stop`)));
    const records = answers.map(({ json }) => json);
    for (const record of records) {
      for (const [name, type] of Object.entries(fields)) expect(record[name]).toBeTypeOf(type);
      const instance = reference.world.instance(textOf(record['instance_id']));
      expect(record).toMatchObject({
        region: instance?.preset.location,
        storage_used_gb: instance?.preset.storageGb,
        current_cost: record['total_cost_incurred'],
        size: expect.stringMatching(/^\d+ GPUs?$/u),
        status: 'STOPPED',
      });
      const region = { region: textOf(record['region']) };
      expect((await caller.get('/instances', region)).json['data']).toEqual([]);
      expect((await caller.get('/presets', region)).json['data']).toEqual([]);
    }
    expect(new Set(column(records, 'ttl_remaining_hours')).size).toBe(1);
    const [listed] = await caller.walk('/instances', { status: 'running' });
    expect(Number(listed?.['ttl_remaining_hours'])).toBeGreaterThan(0);
  });

  test('of a single instance are those of the list', async () => {
    const caller = new Caller(await deploy());
    const [listed] = await caller.walk('/instances', { status: 'stopped' });
    const single = await caller.get(`/instances/${textOf(listed?.['instance_id'])}`);
    expect([single.status, single.json]).toEqual([200, listed]);
  });
});
