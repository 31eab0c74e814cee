/** The suite of one contract as a Vitest project: `npx vitest run --project compute`. */

import { inject } from 'vitest';
import { registerSuite } from '../harness/cli/library/suite.ts';
import { sections } from './all.ts';

const { planned, journal, seed, rerun } = inject('plumblineProject');
const { name, contract } = planned.target;

await registerSuite({
  name,
  contract,
  sections,
  journal,
  seed,
  rerun: (id) => `${rerun} -t "${id}"`,
  planned: () => planned,
});
