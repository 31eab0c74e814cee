/** The ways in which requests leave a model, each of which must give back what they held. */

import { complete, held, respond } from '../../backend/behaviours.ts';
import type { Behaviour } from '../../backend/behaviour.ts';
import { Inconclusive } from '../../suite/signals.ts';
import { whileHeld } from './holding.ts';
import type { Crowd } from './recovery.ts';
import type { RouterContext } from './session.ts';

const failure = respond(500, { error: { message: 'Scripted failure.' } });

/** All at once, as many as there are places. Throws `Inconclusive` when no engine was asked: then nothing was held. */
async function all(
  t: RouterContext,
  { model, places }: Crowd,
  behaviour: Behaviour,
  stream = false,
): Promise<void> {
  const script = await t.backend.script([behaviour]);
  await Promise.all(
    Array.from({ length: places }, async () =>
      t.api.chat(model, { script, stream, unbounded: true }),
    ),
  );
  if ((await t.backend.counts(script)).hits < places) {
    throw new Inconclusive(`the places of ${model} were not all free to begin with`);
  }
}

/** Requests that their engine refuses. */
export async function fail(t: RouterContext, crowd: Crowd): Promise<void> {
  await all(t, crowd, failure);
}

/** Streams whose engine closes the connection inside an event. */
export async function endStreams(t: RouterContext, crowd: Crowd): Promise<void> {
  await all(t, crowd, complete({ drop: { at: { insideEvent: 2 }, how: 'close' } }), true);
}

/** Streams whose engine tears the connection down inside an event. */
export async function resetStreams(t: RouterContext, crowd: Crowd): Promise<void> {
  await all(t, crowd, complete({ drop: { at: { insideEvent: 2 }, how: 'reset' } }), true);
}

/** Clients that hang up while the engine is silent. */
export async function hangUp(t: RouterContext, { model, places }: Crowd): Promise<void> {
  const end = new AbortController();
  const send = async (script: string) =>
    t.api.chat(model, { script, unbounded: true, signal: end.signal });
  await whileHeld(t, { count: places, send }, async ({ early, answers }) => {
    if (early.length > 0) throw new Inconclusive(`the places of ${model} were not all free`);
    end.abort();
    await answers;
  });
}

/** Clients that hang up after the first piece of a stream. */
export async function hangUpOnStreams(t: RouterContext, { model, places }: Crowd): Promise<void> {
  const end = new AbortController();
  let begun = 0;
  const send = async (script: string) =>
    t.api.chat(model, {
      script,
      stream: true,
      unbounded: true,
      signal: end.signal,
      onChunk: () => {
        begun += 1;
        return undefined;
      },
    });
  const behaviour = held({ afterEvents: 1 });
  await whileHeld(t, { count: places, behaviour, send }, async ({ early, answers }) => {
    if (early.length > 0) throw new Inconclusive(`the places of ${model} were not all free`);
    end.abort();
    await answers;
  });
  if (begun === 0) throw new Inconclusive('no stream began before the clients hung up');
}
