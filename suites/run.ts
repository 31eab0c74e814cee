/** What Vitest runs, bundled into one file: first what opens sessions and registers sections, then every section. */

import './vitest-setup.ts';
import './all.ts';
