/**
 * The contract ties a section to the session that it runs against: a compute section never meets a router
 * session. A runner that handles both forgets the context that a section asks for, here and nowhere else.
 */

import type { Section, SuiteCase } from './case.ts';

export function fitting(section: Section<never>): Section<unknown> {
  return { ...section, cases: section.cases.map(fittingCase) };
}

export function fittingCase(one: SuiteCase<never>): SuiteCase<unknown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return { ...one, run: one.run as (context: unknown) => Promise<void> };
}
