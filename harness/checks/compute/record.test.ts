import { describe, expect, test } from 'vitest';
import {
  instanceFieldNames,
  instanceFields,
  instanceSchema,
} from '../../../schemas/compute/wire.ts';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import { verdictsOf } from './verdicts.test.support.ts';

const id = '6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11';
const another = '7f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11';

const shown = {
  list: (...records: readonly unknown[]) =>
    exchangeOf({ body: { data: records, pagination: { next: null, size: 50 } } }),
  action: (record: unknown) =>
    exchangeOf({ method: 'POST', path: `/instances/${id}/stop`, status: 202, body: record }),
} as const;
const sample = { list: listRecord, action: actionRecord } as const;

function brokenFields(variant: 'list' | 'action', change: Readonly<Record<string, unknown>>) {
  const { broken } = verdictsOf(shown[variant](sample[variant](change)));
  return broken.map((requirement) => requirement.replace('instance-record.', ''));
}

describe.each(['list', 'action'] as const)('the %s variant', (variant) => {
  test('of a good record holds in every field', () => {
    const { seen, broken } = verdictsOf(shown[variant](sample[variant]()));
    expect(broken).toEqual([]);
    for (const name of instanceFieldNames) {
      expect(seen).toContain(`instance-record.${variant}-${instanceFields[name].slug}`);
    }
  });

  test.each(instanceFieldNames)('%s of another type is told by its own requirement', (name) => {
    const broken = brokenFields(variant, { [name]: { not: 'this' } });
    expect(broken).toContain(`${variant}-${instanceFields[name].slug}`);
  });

  test.each(instanceFieldNames.filter((name) => !instanceFields[name].nullable))(
    '%s may be neither null nor absent',
    (name) => {
      const own = `${variant}-${instanceFields[name].slug}`;
      expect(brokenFields(variant, { [name]: null })).toContain(own);
      expect(brokenFields(variant, { [name]: undefined })).toContain(own);
    },
  );

  test.each(instanceFieldNames.filter((name) => instanceFields[name].nullable))(
    '%s may be null, and is only missed when absent',
    (name) => {
      const stopped = { status: 'STOPPED' };
      expect(brokenFields(variant, { ...stopped, [name]: null })).toEqual([]);
      expect(brokenFields(variant, { ...stopped, [name]: undefined })).toEqual([
        `${variant}-nullable-there`,
      ]);
    },
  );

  test('further fields are allowed', () => {
    expect(brokenFields(variant, { zone: 4 })).toEqual([]);
  });

  test.each([
    ['cpu_count', 1.5, 'cpu-count'],
    ['cpu_count', '8', 'cpu-count'],
    ['status', 'running', 'status'],
    ['status', 'PAUSED', 'status'],
    ['started_at', 'yesterday', 'started-at'],
    ['started_at', '2026-02-30T10:00:00Z', 'started-at'],
    ['hourly_rate', '4.20', 'hourly-rate'],
    ['instance_id', 'i-123', 'instance-id'],
  ])('%s %j is wrong', (name, value, slug) => {
    expect(brokenFields(variant, { [name]: value })).toContain(`${variant}-${slug}`);
  });

  test.each([
    ['cpu_count', 4.0],
    ['instance_id', id.toUpperCase()],
    ['started_at', '2026-11-20T10:00:00.123456+02:00'],
    ['hourly_rate', 0],
  ])('%s %j is right', (name, value) => {
    expect(brokenFields(variant, { [name]: value })).toEqual([]);
  });

  test('a date without an offset is doubted, not wrong', () => {
    expect(brokenFields(variant, { started_at: '2026-11-20T10:00:00' })).toEqual([
      'dates-are-instants',
    ]);
  });

  test.each([
    [{ status: 'RUNNING', started_at: null }, 'running-has-started'],
    [{ ...ended, terminated_at: null }, 'terminated-has-date'],
    [{ ...ended, termination_reason: null }, 'terminated-has-reason'],
    [{ bandwidth: -1 }, 'figures-not-negative'],
    [{ status: 'STOPPED', terminated_at: '2026-11-20T10:00:00Z' }, 'alive-has-no-date'],
    [{ status: 'STOPPED', termination_reason: 'credit' }, 'alive-has-no-reason'],
    [{ ...ended, terminated_at: '2026-11-20T09:54:59Z' }, 'terminated-after-start'],
    [{ ...ended, terminated_at: '2026-11-20t10:30:00+01:00' }, 'terminated-after-start'],
  ])('%j contradicts itself', (change, requirement) => {
    expect(brokenFields(variant, change)).toEqual([requirement]);
  });

  test('costs may be rounded to different places', () => {
    const costs = { current_cost: 84.0049, total_cost_incurred: 84 };
    expect(brokenFields('list', costs)).toEqual([]);
  });

  test('an empty reason of termination is none', () => {
    expect(brokenFields(variant, { status: 'STOPPED', termination_reason: '' })).toEqual([]);
  });

  test.each([
    { terminated_at: '2026-11-20T10:00:00Z' },
    { terminated_at: '2026-11-20T09:55:30Z' },
    { terminated_at: '2026-11-21T10:00:00Z' },
    { terminated_at: '2026-11-19T10:00:00Z', started_at: null },
  ])('%j may be told of what is terminated', (change) => {
    expect(brokenFields(variant, { ...ended, ...change })).toEqual([]);
  });

  test.each(['TERMINATING', 'ERRORED'])('the date of termination of %s is open', (status) => {
    expect(brokenFields(variant, { status })).toEqual([]);
    expect(brokenFields(variant, { status, terminated_at: '2026-11-20T10:00:00Z' })).toEqual([]);
  });
});

const ended = {
  status: 'TERMINATED',
  terminated_at: '2026-11-20T10:30:00Z',
  termination_reason: 'credit',
};

describe('a list page', () => {
  test('without items says nothing of items', () => {
    const { seen } = verdictsOf(shown.list());
    expect(seen.filter((requirement) => requirement.startsWith('instance-record'))).toEqual([]);
  });

  test('one wrong record among many is found, once', () => {
    const records = Array.from({ length: 40 }, (_, index) =>
      listRecord({
        instance_id: `6f1c2f4e-6f0a-4b3c-9a51-${String(index).padStart(12, '0')}`,
        ...(index === 17 ? { bandwidth: null } : {}),
      }),
    );
    expect(verdictsOf(shown.list(...records)).broken).toEqual(['instance-record.list-bandwidth']);
  });

  test('an id twice is wrong', () => {
    expect(verdictsOf(shown.list(listRecord(), listRecord())).broken).toEqual([
      'instance-record.id-unique',
    ]);
    const two = shown.list(listRecord(), listRecord({ instance_id: another }));
    expect(verdictsOf(two).broken).toEqual([]);
  });

  test.each([
    [{ region: 'par-2' }, 'list-region-code'],
    [{ current_cost: 95 }, 'list-cost-within-total'],
  ])('%j is doubted', (change, requirement) => {
    expect(brokenFields('list', change)).toEqual([requirement]);
  });

  test.each([{ items: [] }, { data: {} }, [], { data: [1] }])('%j is none', (body) => {
    expect(verdictsOf(exchangeOf({ body })).broken).toContain('list-instances.data-array');
  });
});

describe('an answer to a stop', () => {
  test.each([
    [{ region: 'FR' }, 'action-region-narrower'],
    [{ size: 'large' }, 'action-size-headline'],
    [{ size: 'GPU' }, 'action-size-headline'],
    [{ current_cost: 8.4 }, 'action-cost-whole-life'],
  ])('%j follows the wrong variant', (change, requirement) => {
    expect(brokenFields('action', change)).toEqual([requirement]);
  });

  test.each(['8 GPUs', '1 GPU', '4x H100', '2× A100', 'GPU x 8'])('%s is a size', (size) => {
    expect(brokenFields('action', { size })).toEqual([]);
  });

  test('costs that differ in the last binary digit are equal', () => {
    expect(brokenFields('action', { current_cost: 0.1 + 0.2, total_cost_incurred: 0.3 })).toEqual(
      [],
    );
  });

  test('a body that is no record breaks one requirement', () => {
    expect(verdictsOf(shown.action({ instance: actionRecord() })).broken).toEqual([
      'stop-instance.response-is-instance',
    ]);
  });

  test('the record of another instance is told', () => {
    expect(verdictsOf(shown.action(actionRecord({ instance_id: another }))).broken).toEqual([
      'stop-instance.response-names-instance',
    ]);
  });

  test('a terminate is judged where it is bound', () => {
    const answer = exchangeOf({ method: 'POST', path: `/instances/${id}/end`, body: {} });
    expect(verdictsOf(answer).seen).toEqual([]);
    expect(
      verdictsOf(answer, { bindings: { terminate: 'POST /instances/{id}/end' } }).broken,
    ).toEqual(['terminate-instance.response-is-instance']);
  });
});

test('the schema of the whole record accepts what the fields accept', () => {
  expect(instanceSchema.safeParse(listRecord({ zone: 1 })).success).toBe(true);
  expect(instanceSchema.safeParse(listRecord({ started_at: undefined })).success).toBe(true);
  expect(instanceSchema.safeParse(listRecord({ name: null })).success).toBe(false);
});

test('what the region of an instance at a location without a region says is open', () => {
  const body = { data: [listRecord({ region: 'lab-1' })], pagination: { next: null, size: 50 } };
  const region = 'instance-record.list-region-code';
  expect(verdictsOf(exchangeOf({ body })).broken).toEqual([region]);
  const told = verdictsOf(exchangeOf({ body }), {
    bindings: { locations: { unmapped: ['lab-1'] } },
  });
  expect([told.broken, told.seen.includes(region)]).toEqual([[], false]);
});
