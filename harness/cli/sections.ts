/** The suites, found by path: the command never imports them. */

import type { Section } from '../suite/case.ts';

/** Every section of both contracts. */
export async function loadSections(): Promise<readonly Section<never>[]> {
  const path = new URL('../../suites/all.js', import.meta.url).href;
  const suites: { readonly sections: readonly Section<never>[] } = await import(path);
  return suites.sections;
}
