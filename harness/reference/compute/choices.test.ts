import { describe, expect, test } from 'vitest';
import {
  Caller,
  ascendingOrder,
  codeOf,
  column,
  deploy,
  list,
  object,
  textOf,
} from './caller.test-support.ts';
import { type ComputeChoices, defaultChoices, defaultPresetFields } from './choices.ts';
import { instantTimings } from './model.ts';
import type { ComputeOptions } from './start.ts';

const choices = (some: Partial<ComputeChoices>): ComputeOptions => ({ choices: some });
const presets = (some: Partial<ComputeChoices['presets']>): ComputeOptions =>
  choices({ presets: { ...defaultChoices.presets, ...some } });

const deployments: Readonly<Record<string, ComputeOptions>> = {
  defaults: {},
  'other paths': choices({
    terminatePath: '/instances/{id}/actions/destroy',
    start: { method: 'PUT', path: '/boot/{id}' },
  }),
  'no start': choices({ startOffered: false }),
  'other statuses of success': choices({
    stopStatus: 200,
    terminateStatus: 200,
    startStatus: 204,
    startAnswers: 'nothing',
    provisionStatus: 200,
  }),
  'wrapped bodies': choices({
    getInstanceMember: 'instance',
    getInstanceVariant: 'action',
    regionsBody: { member: 'regions', item: undefined },
  }),
  'other names in presets': presets({
    items: 'presets',
    skuFilter: 'sku_name',
    freeTextFilter: 'q',
    defaultSize: 100,
    fields: { ...defaultPresetFields, sku: 'sku', price: 'credits_per_hour', cpu: 'vcpus' },
    shape: 'nested',
    noRegion: 'absent',
    noRegionSorts: 'last',
    order: 'price',
  }),
  'extra members': choices({
    instanceExtras: { tags: ['x'], created_by: null },
    presetExtras: { soon: false },
    pageExtras: { total: 3 },
    paginationExtras: { previous: null },
    envelopeExtras: { top: { status: 'error' }, error: { details: [] } },
    extraHeaders: [['X-Trace', 'abc']],
  }),
  'absent nulls and other dates': choices({ nulls: 'absent', dates: 'offset' }),
  'seconds, and headlines by model': choices({ dates: 'seconds', headline: 'times-model' }),
  'microseconds, and headlines by cores': choices({ dates: 'microseconds', headline: 'vcpus' }),
  'other errors': choices({
    conflictCode: 'INSTANCE_GONE',
    message: () => '',
    challenge: undefined,
    malformedId: 404,
    unknownRoute: 'plain',
    wrongMethod: 405,
    precedence: 'request-first',
  }),
  'strict reading': choices({
    schemeCase: 'exact',
    unknownParameters: 'refuse',
    emptyParameters: 'value',
    repeatedParameters: 'refuse',
    partialDates: 'refuse',
    beginAfterEnd: 'refuse',
    lengthCounts: 'bytes',
    nullNote: 'refuse',
    extraMembers: 'refuse',
    bodyLabel: 'json',
    cursorWithOtherFilters: 'refuse',
  }),
  'lenient reading': choices({
    repeatedParameters: 'last',
    brokenEscapes: 'literal',
    enumCase: 'any',
    sizeSpelling: 'numeric',
    lengthCounts: 'utf-16',
    cursorWithOtherFilters: 'request-wins',
    cursorKeepsSize: true,
  }),
  'locale order': choices({ collation: 'locale', ties: 'oldest-first', sizeOrder: 'gpu-count' }),
  'order without case': choices({
    collation: 'ignore-case',
    ties: 'with-direction',
    statusOrder: 'lifecycle',
    directionAlone: 'creation',
  }),
  'search by words': choices({ search: 'words' }),
  'search with case': choices({ search: 'exact-case', terminatedListed: 'when-asked' }),
  'stored cursors': choices({ cursor: 'stored', emptyLastPage: true }),
  'long cursors': choices({ cursor: 'long', shortPageSize: 'items' }),
  'awkward cursors': choices({ cursor: 'awkward' }),
  'chunked, lower case, pretty': choices({
    framing: { headerCase: 'lower', chunkBytes: 100 },
    json: 'pretty',
    contentType: 'application/json; charset=utf-8',
  }),
  'upper case, ASCII': choices({
    framing: { headerCase: 'upper', chunkBytes: undefined },
    json: 'ascii',
  }),
  'at once': { timings: instantTimings },
  'the state before, early dates': choices({
    answerShows: 'before',
    terminatedAtFrom: 'TERMINATING',
    startElsewhere: 'ignore',
  }),
  slow: { latencyMs: 20 },
};

describe.for(Object.entries(deployments))('a deployment with %s', ([, options]) => {
  test('walks, filters, stops, starts and terminates as its target file says', async () => {
    const reference = await deploy(options);
    const { bindings, instances, keys } = reference.target();
    expect(Object.keys(keys)).toEqual(['primary', 'second', 'empty', 'forbidden']);
    const caller = new Caller(reference);

    const all = column(await caller.walk('/instances', { size: '18' }), 'instance_id');
    expect(all.length).toBeGreaterThan(50);
    for (const size of ['5', '200']) {
      expect(column(await caller.walk('/instances', { size }), 'instance_id')).toEqual(all);
    }
    const [stoppedId = ''] = instances.stopped ?? [];
    const name = reference.world.instance(stoppedId)?.name ?? '';
    const named = await caller.walk('/instances', { free_text_search: name, sort_field: 'NAME' });
    expect(column(named, 'instance_id')).toContain(stoppedId);
    const sorted = await caller.walk('/instances', { sort_field: 'STATUS', size: '9' });
    expect(column(sorted, 'instance_id').toSorted(ascendingOrder)).toEqual(
      all.toSorted(ascendingOrder),
    );

    const { items, filters, fields } = bindings.presets;
    const catalogue = await caller.walk('/presets', { size: '9' }, items);
    expect(catalogue).toHaveLength(reference.world.presets.length);
    const byId = await caller.walk('/presets', { sort_field: 'ID', size: '8' }, items);
    expect(column(byId, fields.id)).toEqual(column(catalogue, fields.id).toSorted(ascendingOrder));
    const sku = textOf(catalogue[0]?.[fields.sku]);
    const ofSku = await caller.walk('/presets', { [filters.sku]: sku }, items);
    expect(new Set(column(ofSku, fields.sku))).toEqual(new Set([sku]));
    expect(await caller.walk('/presets', { [filters.freeText]: 'xyzzy' }, items)).toEqual([]);

    const refused = await caller.get('/instances', { size: '0' });
    expect([refused.status, codeOf(refused)]).toEqual([400, 'VALIDATION_ERROR']);

    const id = await caller.make();
    const record = async () => {
      const { json } = await caller.get(`/instances/${id}`);
      return bindings.getInstance.record === '$' ? json : object(json['instance']);
    };
    const until = async (status: string) => {
      while ((await record())['status'] !== status);
    };
    const act = (binding: string, body?: string) => {
      const [method = '', path = ''] = binding.split(' ');
      return caller.send(method, path.replace('{id}', id), body);
    };
    await until('RUNNING');
    const stopped = await act('POST /instances/{id}/stop', '{"reason_note":"a"}');
    expect([200, 202]).toContain(stopped.status);
    expect(stopped.json).toMatchObject({ instance_id: id });
    await until('STOPPED');
    const started = bindings.start === undefined ? undefined : await act(bindings.start);
    expect([undefined, 202, 204]).toContain(started?.status);
    if (started !== undefined) await until('RUNNING');
    expect((await act(bindings.terminate)).json).toMatchObject({ instance_id: id });
    await until('TERMINATED');
    expect((await act(bindings.terminate)).status).toBe(409);
  });
});

test('a deployment that keeps terminated instances out of sight shows them on request', async () => {
  const caller = new Caller(await deploy(choices({ terminatedListed: 'when-asked' })));
  expect(column(await caller.walk('/instances'), 'status')).not.toContain('TERMINATED');
  const asked = column(await caller.walk('/instances', { status: 'terminated' }), 'status');
  expect(new Set(asked)).toEqual(new Set(['TERMINATED']));
});

test('an empty page may follow a full last one', async () => {
  const caller = new Caller(await deploy(choices({ emptyLastPage: true })));
  const first = await caller.get('/instances', { size: '72' });
  const cursor = textOf(object(first.json['pagination'])['next']);
  const second = await caller.get('/instances', { size: '72', cursor });
  expect([list(second.json['data']), object(second.json['pagination'])['next']]).toEqual([
    [],
    null,
  ]);
});
