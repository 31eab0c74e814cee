/** The suite of one contract as a Vitest project: `npx vitest run --project compute`. */

import { inject } from 'vitest';
import { registerSuite } from '../harness/cli/library/suite.ts';
import { sections } from './all.ts';

const { planned, journal, seed, again } = inject('plumblineProject');
const { name, contract } = planned.target;

await registerSuite({
  name,
  contract,
  sections,
  journal,
  seed,
  again: (id) => `${again} -t "${id}"`,
  planned: () => planned,
});
