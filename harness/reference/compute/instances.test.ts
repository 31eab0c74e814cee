import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Caller, codeOf, column, deploy, object } from './caller.test.support.ts';
import type { InstanceState } from './model.ts';

const unknownInstanceId = '00000000-0000-4000-8000-000000000000';
const conflict = [409, 'CONFLICT'];

describe('a stop', () => {
  test('of a running instance is accepted and settles, and billing ends', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const id = await caller.makeRunning();
    const answer = await caller.post(`/instances/${id}/stop`, { reason_note: 'enough' });
    expect([answer.status, answer.json['instance_id'], answer.json['status']]).toEqual([
      202,
      id,
      'STOPPING',
    ]);
    await caller.until(id, 'STOPPED');
    const before = await caller.get(`/instances/${id}`);
    const again = await caller.post(`/instances/${id}/stop`);
    expect([again.status, again.json['status']]).toEqual([202, 'STOPPED']);
    expect((await caller.get(`/instances/${id}`)).json).toEqual(before.json);
    expect(reference.world.audit).toMatchObject([
      { instanceId: id, operation: 'stop-instance', reasonNote: 'enough' },
      { instanceId: id, operation: 'stop-instance', reasonNote: undefined },
    ]);
  });

  test('is a conflict while terminating and ever after', async () => {
    const caller = new Caller(await deploy());
    const id = await caller.make();
    await caller.post(`/instances/${id}/terminate`);
    const early = await caller.post(`/instances/${id}/stop`);
    expect([early.status, codeOf(early)]).toEqual(conflict);
    await caller.until(id, 'TERMINATED');
    const late = await caller.post(`/instances/${id}/stop`);
    expect([late.status, codeOf(late)]).toEqual(conflict);
    expect(await caller.state(id)).toBe('TERMINATED');
  });
});

describe('a terminate', () => {
  test('is accepted in every state but TERMINATED, and settles', async () => {
    const reference = await deploy({ timings: { created: 5_000, teardown: 5_000 } });
    const caller = new Caller(reference);
    const states: readonly InstanceState[] = [
      'CREATED',
      'DEPLOYED',
      'STARTING',
      'RUNNING',
      'ERRORED',
      'STOPPING',
      'STOPPED',
      'TERMINATING',
    ];
    for (const state of states) {
      const id = await caller.make();
      const instance = reference.world.instance(id);
      if (instance === undefined) throw new Error('not made');
      instance.state = state;
      reference.deployment.rules.moveOn(instance, reference.deployment);
      const answer = await caller.post(`/instances/${id}/terminate`, { reason_note: state });
      expect([answer.status, answer.json['status']]).toEqual([202, 'TERMINATING']);
      await caller.until(id, 'TERMINATED');
      const again = await caller.post(`/instances/${id}/terminate`);
      expect([again.status, codeOf(again)]).toEqual(conflict);
    }
  });

  test('of a resource that is gone is 500 until the instance settles', async () => {
    const caller = new Caller(await deploy({ timings: { teardown: 0, terminating: 300 } }));
    const id = await caller.makeRunning();
    expect((await caller.post(`/instances/${id}/terminate`)).status).toBe(202);
    const again = await caller.post(`/instances/${id}/terminate`);
    expect([again.status, codeOf(again)]).toEqual([500, 'INTERNAL_ERROR']);
    await caller.until(id, 'TERMINATED');
    expect((await caller.post(`/instances/${id}/terminate`)).status).toBe(409);
  });

  test('that is issued again recovers a teardown that failed part-way', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const id = await caller.makeRunning();
    const instance = reference.world.instance(id);
    if (instance === undefined) throw new Error('not made');
    instance.stranded = true;
    expect((await caller.post(`/instances/${id}/terminate`)).status).toBe(202);
    expect(reference.deployment.isScheduled(instance)).toBe(false);
    expect((await caller.post(`/instances/${id}/terminate`)).status).toBe(202);
    await caller.until(id, 'TERMINATED');
  });

  test('does not wait for a stop to settle', async () => {
    const caller = new Caller(await deploy({ timings: { stopping: 60_000 } }));
    const id = await caller.makeRunning();
    await caller.post(`/instances/${id}/stop`);
    expect((await caller.post(`/instances/${id}/terminate`)).status).toBe(202);
    await caller.until(id, 'TERMINATED');
    const { json } = await caller.get(`/instances/${id}`);
    expect(json['terminated_at']).toMatch(/^\d{4}-/u);
    expect(json['termination_reason']).toBeTypeOf('string');
  });
});

describe('a start', () => {
  test('brings back what is stopped, with its storage, and nothing that is terminated', async () => {
    const caller = new Caller(await deploy());
    const id = await caller.makeRunning();
    const { json: first } = await caller.post(`/instances/${id}/stop`);
    await caller.until(id, 'STOPPED');
    expect((await caller.post(`/instances/${id}/start`)).status).toBe(202);
    await caller.until(id, 'RUNNING');
    const { json: second } = await caller.post(`/instances/${id}/stop`);
    expect(second['storage_used_gb']).toBe(first['storage_used_gb']);
    expect(second['started_at']).not.toBe(first['started_at']);
    await caller.post(`/instances/${id}/terminate`);
    expect((await caller.post(`/instances/${id}/start`)).status).toBe(409);
    await caller.until(id, 'TERMINATED');
    expect((await caller.post(`/instances/${id}/start`)).status).toBe(409);
  });
});

describe.for(['stop', 'terminate'] as const)('the body of a %s', (action) => {
  const short = JSON.stringify({ reason_note: 'x'.repeat(10_000) });
  test.for([
    '{}',
    short,
    '{"reason_note":"\\u0000\\ud83d\\ude80"}',
    '{"other":1}',
    JSON.stringify({ reason_note: '🚀'.repeat(10_000) }),
  ])('may be %.40s', async (body) => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const id = await caller.makeRunning();
    expect((await caller.send('POST', `/instances/${id}/${action}`, body)).status).toBe(202);
  });

  test.for([
    JSON.stringify({ reason_note: 'x'.repeat(10_001) }),
    '{"reason_note": 7}',
    '{"reason_note": ["x"]}',
    '{"reason_note": {}}',
    '[]',
    '"text"',
    '7',
    '{"reason_note": "x"',
    'reason_note=x',
  ])('must not be %.40s, and then nothing changes', async (body) => {
    const caller = new Caller(await deploy());
    const id = await caller.makeRunning();
    const answer = await caller.send('POST', `/instances/${id}/${action}`, body);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'VALIDATION_ERROR']);
    expect(await caller.state(id)).toBe('RUNNING');
  });
});

test('a stop whose body never arrives stops nothing', async () => {
  const reference = await deploy();
  const caller = new Caller(reference);
  const id = await caller.makeRunning();
  const socket = connect(reference.port, '127.0.0.1');
  const head = [
    `POST /v1/instances/${id}/stop HTTP/1.1`,
    `Authorization: Bearer ${reference.target().keys.primary}`,
    'Content-Length: 100',
  ].join('\r\n');
  const before = reference.world.requests;
  socket.write(`${head}\r\n\r\n{"reason_note":`);
  while (reference.world.requests === before) await nextTurn();
  socket.destroy();
  while (reference.world.inFlight > 0) await nextTurn();
  expect(reference.world.actions).toEqual([]);
  expect(await caller.state(id)).toBe('RUNNING');
});

describe('what a caller cannot see', () => {
  test('is not found, the same as what does not exist, and stays as it is', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const other = new Caller(reference, 'second');
    const id = await caller.makeRunning();
    const before = (await caller.get(`/instances/${id}`)).json;
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/stop'],
      ['POST', '/terminate'],
      ['POST', '/start'],
    ] as const) {
      const foreign = await other.send(method, `/instances/${id}${end}`);
      const unknown = await other.send(method, `/instances/${unknownInstanceId}${end}`);
      expect([foreign.status, codeOf(foreign)]).toEqual([404, 'NOT_FOUND']);
      const shape = ({ json }: typeof foreign) => ({ ...object(json['error']), request_id: '' });
      expect(shape(foreign)).toEqual(shape(unknown));
    }
    const after = (await caller.get(`/instances/${id}`)).json;
    expect(after).toMatchObject({ status: before['status'], started_at: before['started_at'] });
    const mine = column(await caller.walk('/instances'), 'instance_id');
    const theirs = column(await other.walk('/instances'), 'instance_id');
    expect(theirs).toHaveLength(15);
    expect(mine.filter((one) => theirs.includes(one))).toEqual([]);
  });

  test('has an id; what is no UUID is refused', async () => {
    const caller = new Caller(await deploy());
    for (const id of ['x', `${unknownInstanceId}0`, unknownInstanceId.slice(1), '%20', 'null']) {
      const answer = await caller.post(`/instances/${id}/stop`);
      expect([answer.status, codeOf(answer)]).toEqual([400, 'VALIDATION_ERROR']);
    }
  });
});
