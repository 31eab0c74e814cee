/** `plumbline requirements`: lists and explains what is judged. */

import type { Command } from 'commander';

interface RequirementsOptions {
  readonly section?: string;
  readonly search?: string;
  readonly json: boolean;
}

/** Adds `plumbline requirements` to the program. */
export function registerRequirements(program: Command): void {
  program
    .command('requirements')
    .description('list what is judged, or explain one requirement')
    .argument('[ID]', 'a requirement id, or the beginning of some')
    .option('--section <NAME>', 'those of one section')
    .option('--search <TEXT>', 'those whose id, statement or clause holds the text')
    .option('--json', 'print JSON', false)
    .action(async (id: string | undefined, options: RequirementsOptions) => {
      const { explain } = await import('../requirements.ts');
      process.stdout.write(await explain({ id, ...options }));
    });
}
