/** What is hard to test from outside: the state of a deployment, and its own failures. */

import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Caller, deploy, object } from './caller.test.support.ts';

describe('the world', () => {
  test('tells which bystanders were touched', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const [bystander] = reference.world.bystanders();
    expect(bystander?.account).toBe('acme-primary');
    const target = reference.target();
    await caller.post(`/instances/${target.instances.stopped?.[0] ?? ''}/stop`);
    await caller.post(`/instances/${await caller.make()}/terminate`);
    await new Caller(reference, 'second').post(`/instances/${bystander?.id ?? ''}/terminate`);
    expect(reference.world.touchedBystanders()).toEqual([]);
    await caller.post(`/instances/${bystander?.id ?? ''}/stop`);
    expect(reference.world.touchedBystanders()).toMatchObject([
      { instanceId: bystander?.id, operation: 'stop-instance', account: 'acme-primary' },
    ]);
  });

  test('changes by itself when others are at work, but for fixtures', async () => {
    const reference = await deploy({ activity: { perSecond: 1_000 } });
    const caller = new Caller(reference);
    while ((await caller.walk('/instances')).length < 80) await caller.get('/regions');
    const target = reference.target();
    expect(target.instances.stopped).toHaveLength(3);
    expect(target.instances.terminated).toHaveLength(2);
    expect(reference.world.actions).toEqual([]);
  });

  test('is the same for the same seed', async () => {
    const [one, other, third] = await Promise.all([
      deploy({ seed: 7 }),
      deploy({ seed: 7 }),
      deploy({ seed: 8 }),
    ]);
    const ids = ({ world }: typeof one) => world.instances().map(({ id, name }) => [id, name]);
    expect(ids(one)).toEqual(ids(other));
    expect(one.target().keys).toEqual(other.target().keys);
    expect(ids(one)).not.toEqual(ids(third));
  });
});

test('a terminate that is issued again recovers a teardown that failed part-way', async () => {
  const reference = await deploy();
  const caller = new Caller(reference);
  const id = await caller.makeRunning();
  const instance = reference.world.instance(id);
  if (instance === undefined) throw new Error('not made');
  instance.stranded = true;
  expect((await caller.post(`/instances/${id}/terminate`)).status).toBe(202);
  expect(reference.deployment.timers.isScheduled(instance)).toBe(false);
  expect((await caller.post(`/instances/${id}/terminate`)).status).toBe(202);
  await caller.until(id, 'TERMINATED');
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

test('errors of our own making are 500, and are told to whoever started the server', async () => {
  const errors: unknown[] = [];
  const broken = () => {
    throw new TypeError('broken');
  };
  const reference = await deploy({
    onError: (error) => errors.push(error),
    patch: (rules) => ({ ...rules, regionsBody: broken }),
  });
  const answer = await new Caller(reference).get('/regions');
  expect([answer.status, object(answer.json['error'])['code']]).toEqual([500, 'INTERNAL_ERROR']);
  expect(errors).toEqual([new TypeError('broken')]);
});
