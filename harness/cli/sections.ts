/** The suites, found by path: the command never imports them. */

import type { Section } from '../runner/case.ts';

/** Every section of both contracts. */
export async function loadSections(): Promise<readonly Section<never>[]> {
  // Compiled, and in the sources, where our own tests run.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const path = new URL(`../../suites/all.${extension}`, import.meta.url).href;
  const suites: { readonly sections: readonly Section<never>[] } = await import(path);
  return suites.sections;
}
