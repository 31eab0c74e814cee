/** A suite that does nothing: what is left of a run then is Vitest's own. */

import { test } from 'vitest';

test('nothing', () => undefined);
