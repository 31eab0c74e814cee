import { describe, expect, test } from 'vitest';
import {
  instanceFieldNames,
  instanceFields,
  instanceSchema,
} from '../../../schemas/compute/wire.ts';
import { actionRecord, exchangeOf, listRecord, verdictsOf } from './exchange.test.support.ts';

type Change = Readonly<Record<string, unknown>>;
const id = '6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11';
const another = '7f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11';

const shown = {
  list: (...records: readonly unknown[]) =>
    exchangeOf({ body: { data: records, pagination: { next: null, size: 50 } } }),
  action: (record: unknown) =>
    exchangeOf({ method: 'POST', path: `/instances/${id}/stop`, status: 202, body: record }),
} as const;
const sample = { list: listRecord, action: actionRecord } as const;
const ended = {
  status: 'TERMINATED',
  terminated_at: '2026-11-20T10:30:00Z',
  termination_reason: 'credit',
};

const brokenFields = (variant: 'list' | 'action', change: Change) =>
  verdictsOf(shown[variant](sample[variant](change))).broken.map((requirement) =>
    requirement.replace('instance-record.', ''),
  );

describe.each(['list', 'action'] as const)('the %s variant', (variant) => {
  test('of a good record holds in every field', () => {
    const { seen, broken } = verdictsOf(shown[variant](sample[variant]()));
    expect(broken).toEqual([]);
    const slugs = instanceFieldNames.map((name) => instanceFields[name].slug);
    const fields = slugs.map((slug) => `instance-record.${variant}-${slug}`);
    expect(seen).toEqual(expect.arrayContaining(fields));
  });

  const required = instanceFieldNames.filter((name) => !instanceFields[name].nullable);
  const nullable = instanceFieldNames.filter((name) => instanceFields[name].nullable);

  test.for([
    ...instanceFieldNames.map((name) => [name, { not: 'this' }] as const),
    ...required.flatMap((name) => [[name, null] as const, [name, undefined] as const]),
  ])('%s is told by its own requirement with %j', ([name, value]) => {
    const own = `${variant}-${instanceFields[name].slug}`;
    expect(brokenFields(variant, { [name]: value })).toContain(own);
  });

  test.for(nullable)('%s may be null, and is only missed when absent', (name) => {
    const stopped = { status: 'STOPPED' };
    expect(brokenFields(variant, { ...stopped, [name]: null })).toEqual([]);
    const missed = [`${variant}-nullable-there`];
    expect(brokenFields(variant, { ...stopped, [name]: undefined })).toEqual(missed);
  });

  test.for([
    ['cpu_count', 1.5, 'cpu-count'],
    ['cpu_count', '8', 'cpu-count'],
    ['status', 'running', 'status'],
    ['status', 'PAUSED', 'status'],
    ['started_at', 'yesterday', 'started-at'],
    ['started_at', '2026-02-30T10:00:00Z', 'started-at'],
    ['hourly_rate', '4.20', 'hourly-rate'],
    ['instance_id', 'i-123', 'instance-id'],
  ] as const)('%s %j is wrong', ([name, value, slug]) => {
    expect(brokenFields(variant, { [name]: value })).toContain(`${variant}-${slug}`);
  });

  test.for<readonly [Change, ...string[]]>([
    [{ cpu_count: 4.0 }],
    [{ instance_id: id.toUpperCase() }],
    [{ started_at: '2026-11-20T10:00:00.123456+02:00' }],
    [{ hourly_rate: 0 }],
    [{ zone: 4 }],
    // A date without an offset is doubtful but not wrong, and an empty reason is no reason.
    [{ started_at: '2026-11-20T10:00:00' }, 'dates-are-instants'],
    [{ status: 'STOPPED', termination_reason: '' }],
    [{ status: 'RUNNING', started_at: null }, 'running-has-started'],
    [{ ...ended, terminated_at: null }, 'terminated-has-date'],
    [{ ...ended, termination_reason: null }, 'terminated-has-reason'],
    [{ bandwidth: -1 }, 'figures-not-negative'],
    [{ status: 'STOPPED', terminated_at: '2026-11-20T10:00:00Z' }, 'alive-has-no-date'],
    [{ status: 'STOPPED', termination_reason: 'credit' }, 'alive-has-no-reason'],
    [{ ...ended, terminated_at: '2026-11-20T09:54:59Z' }, 'terminated-after-start'],
    [{ ...ended, terminated_at: '2026-11-20t10:30:00+01:00' }, 'terminated-after-start'],
    [{ ...ended, terminated_at: '2026-11-20T10:00:00Z' }],
    [{ ...ended, terminated_at: '2026-11-20T09:55:30Z' }],
    [{ ...ended, terminated_at: '2026-11-21T10:00:00Z' }],
    [{ ...ended, terminated_at: '2026-11-19T10:00:00Z', started_at: null }],
    // Whether these have a date of termination is open.
    ...['TERMINATING', 'ERRORED'].flatMap((status): [Change][] => [
      [{ status }],
      [{ status, terminated_at: '2026-11-20T10:00:00Z' }],
    ]),
  ])('%j: %s', ([change, ...broken]) => {
    expect(brokenFields(variant, change)).toEqual(broken);
  });
});

test.for<readonly ['list' | 'action', Change, ...string[]]>([
  ['list', { region: 'par-2' }, 'list-region-code'],
  ['list', { current_cost: 95 }, 'list-cost-within-total'],
  // Costs may be rounded to different places, and differ in the last binary digit.
  ['list', { current_cost: 84.0049, total_cost_incurred: 84 }],
  ['action', { current_cost: 0.1 + 0.2, total_cost_incurred: 0.3 }],
  ['action', { current_cost: 8.4 }, 'action-cost-whole-life'],
  ['action', { region: 'FR' }, 'action-region-narrower'],
  ['action', { size: 'large' }, 'action-size-headline'],
  ['action', { size: 'GPU' }, 'action-size-headline'],
  ...['8 GPUs', '1 GPU', '4x H100', '2× A100', 'GPU x 8'].map(
    (size) => ['action', { size }] as const,
  ),
])('a record of the %s variant with %j: %s', ([variant, change, ...broken]) => {
  expect(brokenFields(variant, change)).toEqual(broken);
});

describe('a list page', () => {
  test('without items says nothing of items', () => {
    const { seen } = verdictsOf(shown.list());
    expect(seen.filter((requirement) => requirement.startsWith('instance-record'))).toEqual([]);
  });

  test('with one wrong record among many has it found, once', () => {
    const records = Array.from({ length: 40 }, (_, index) =>
      listRecord({
        instance_id: `6f1c2f4e-6f0a-4b3c-9a51-${String(index).padStart(12, '0')}`,
        ...(index === 17 ? { bandwidth: null } : {}),
      }),
    );
    expect(verdictsOf(shown.list(...records)).broken).toEqual(['instance-record.list-bandwidth']);
  });

  test('with an id twice is wrong', () => {
    const twice = verdictsOf(shown.list(listRecord(), listRecord()));
    expect(twice.broken).toEqual(['instance-record.id-unique']);
    const two = shown.list(listRecord(), listRecord({ instance_id: another }));
    expect(verdictsOf(two).broken).toEqual([]);
  });

  test.for([{ items: [] }, { data: {} }, [], { data: [1] }])('%j is none', (body) => {
    expect(verdictsOf(exchangeOf({ body })).broken).toContain('list-instances.data-array');
  });

  test('says what it likes of the region at a location without one', () => {
    const page = shown.list(listRecord({ region: 'lab-1' }));
    const region = 'instance-record.list-region-code';
    expect(verdictsOf(page).broken).toEqual([region]);
    const verdicts = verdictsOf(page, { bindings: { locations: { unmapped: ['lab-1'] } } });
    expect([verdicts.broken, verdicts.seen.includes(region)]).toEqual([[], false]);
  });
});

test('an answer to an action that is no record, or that of another instance, breaks one requirement', () => {
  const brokenBy = (record: unknown) => verdictsOf(shown.action(record)).broken;
  expect(brokenBy({ instance: actionRecord() })).toEqual(['stop-instance.response-is-instance']);
  const other = actionRecord({ instance_id: another });
  expect(brokenBy(other)).toEqual(['stop-instance.response-names-instance']);
  // A terminate is judged only where it is bound.
  const end = exchangeOf({ method: 'POST', path: `/instances/${id}/end`, body: {} });
  expect(verdictsOf(end).seen).toEqual([]);
  const bindings = { terminate: 'POST /instances/{id}/end' };
  const verdicts = verdictsOf(end, { bindings }).broken;
  expect(verdicts).toEqual(['terminate-instance.response-is-instance']);
});

test('the schema of the whole record accepts what the fields accept', () => {
  const accepts = (change: Change) => instanceSchema.safeParse(listRecord(change)).success;
  expect([{ zone: 1 }, { started_at: undefined }, { name: null }].map(accepts)).toEqual([
    true,
    true,
    false,
  ]);
});
