import { describe, expect, test } from 'vitest';
import { requirementsOf, profilesOf } from '../../schemas/contracts.ts';
import { plannedSelection } from './selection.ts';

describe('a plan', () => {
  test('without any restriction selects the whole contract', () => {
    const { requirements } = plannedSelection('router', { only: [] });
    expect(requirements.size).toBe(requirementsOf('router').length);
  });

  test('with a profile selects what the profile asks for', () => {
    const { requirements } = plannedSelection('compute', { only: [], profile: 'read-only' });
    expect([...requirements]).toEqual(profilesOf('compute')[0]?.requirements);
    expect(requirements.size).toBeLessThan(requirementsOf('compute').length);
  });

  test('with a profile and a section selects what both ask for', () => {
    const plan = { only: [], profile: 'read-only', section: 'terminate-instance' };
    expect(plannedSelection('compute', plan).requirements).not.toContain(
      'compute.terminate-instance.running-accepted',
    );
  });

  test('of what is judged on every exchange alone takes every case, and not where cases judge it too', () => {
    const other = { judges: ['compute.terminate-instance.running-accepted'] } as const;
    const every = plannedSelection('compute', { only: ['compute.errors.envelope'] });
    expect(every.includes(other)).toBe(true);
    const regions = plannedSelection('compute', { only: ['compute.regions.codes-exact'] });
    expect(regions.includes(other)).toBe(false);
    expect(regions.includes({ judges: ['compute.regions.codes-exact'] })).toBe(true);
  });

  test('of a section takes its cases, and every case where it is about every answer', () => {
    const other = { judges: ['compute.terminate-instance.running-accepted'] } as const;
    const own = { judges: ['compute.presets.sku-exact'] } as const;
    for (const plan of [{ only: [], section: 'presets' }, { only: ['compute.presets'] }]) {
      const presets = plannedSelection('compute', plan);
      expect(presets.requirements).toContain('compute.presets.items-array');
      expect([presets.includes(own), presets.includes(other)]).toEqual([true, false]);
    }
    const errors = plannedSelection('compute', { only: [], section: 'errors' });
    expect(errors.includes(other)).toBe(true);
  });

  test('with a profile of the other contract selects nothing', () => {
    expect(plannedSelection('compute', { only: [], profile: 'client' }).requirements.size).toBe(0);
  });
});
