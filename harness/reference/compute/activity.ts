/** Other people at work in the primary account: they create, stop and terminate instances all the while. */

import { randomUUID } from 'node:crypto';
import type { Deployment } from './context.ts';
import type { Account, Instance } from './model.ts';
import { Random } from './seed/random.ts';

/** Acts that often until the returned function is called; fixtures and provisioned instances are left alone. */
export function startActivity(
  deployment: Deployment,
  account: Account,
  perSecond: number,
  seed: number,
): () => void {
  const random = new Random(seed + 1);
  const timer = setInterval(
    () => {
      actOnce(deployment, account, random);
    },
    Math.max(1, 1000 / perSecond),
  );
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

function actOnce(deployment: Deployment, account: Account, random: Random): void {
  const { rules, world } = deployment;
  const theirs = (state: Instance['state']): Instance | undefined => {
    const candidates = account.instances.filter(
      (instance) =>
        instance.state === state && (instance.origin === 'seed' || instance.origin === 'activity'),
    );
    return candidates.length === 0 ? undefined : random.pick(candidates);
  };
  const [running, stopped] = [theirs('RUNNING'), theirs('STOPPED')];
  const dice = random.below(10);
  if (dice < 3 && running !== undefined) rules.enter(running, 'STOPPING', deployment);
  else if (dice < 5 && stopped !== undefined) rules.enter(stopped, 'STARTING', deployment);
  else if (dice === 5 && stopped !== undefined) rules.enter(stopped, 'TERMINATING', deployment);
  else {
    const presets = world.presets.filter(({ region }) => region !== undefined);
    const instance = world.create(account.name, {
      id: randomUUID(),
      name: `somebody else's ${random.below(1_000)}`,
      preset: random.pick(presets),
      origin: 'activity',
    });
    rules.moveOn(instance, deployment);
  }
}
