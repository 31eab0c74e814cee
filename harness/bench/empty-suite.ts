/** A suite that does nothing: what is left of a run then is Vitest's own. */

import { test } from 'vitest';

// oxlint-disable-next-line vitest/expect-expect -- it shows nothing and is only there to be run
test('nothing', () => undefined);
