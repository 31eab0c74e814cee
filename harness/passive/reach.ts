/** Whether a deployment can be reached at all. Nothing is sent to it. */

import { endingOf } from '../exchange/transport.ts';
import { dial } from './dial.ts';

const PATIENCE_MS = 10_000;

/** Why no connection came about; undefined when one did. It is closed at once. */
export async function reachable(origin: string): Promise<string | undefined> {
  const target = new URL(origin);
  return new Promise((resolve) => {
    const socket = dial(target);
    const end = (problem: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(problem);
    };
    const timer = setTimeout(
      () => end(`no connection within ${PATIENCE_MS / 1_000} s`),
      PATIENCE_MS,
    );
    socket.once('error', (error) => end(endingOf(error).cause));
    socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => end(undefined));
  });
}
