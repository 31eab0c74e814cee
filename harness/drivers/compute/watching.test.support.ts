/** A case of a compute target in memory. */

import { isComputeTarget } from '../../../schemas/compute/target.ts';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import { parseTarget } from '../../contracts/target-file.ts';
import type { Watching } from './instance-probe.ts';

const FILE = 'contract: compute\nbaseUrl: https://a.test/v1\nkeys: { primary: ${KEY} }\n';

/** A case whose calls are answered 200, and that sees no instance, with `given` replaced. */
export function watchingWith(given: Partial<Watching>, lines = ''): Watching {
  const { target } = parseTarget(`${FILE}${lines}`, 'my.yaml', { KEY: 'a-key' });
  if (!isComputeTarget(target)) throw new Error('This is a compute target.');
  const answer = async () => exchangeOf();
  return {
    api: {
      get: answer,
      list: answer,
      start: answer,
      stop: answer,
      terminate: answer,
      mayHaveStopped: () => false,
    },
    target,
    bindings: {},
    signal: new AbortController().signal,
    session: {},
    disposable: async () => 'id',
    observe: async () => undefined,
    observeInList: async () => undefined,
    transition: () => undefined,
    judge: () => undefined,
    ...given,
  };
}
