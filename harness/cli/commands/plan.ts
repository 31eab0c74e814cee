/** `plumbline plan`: what a run would exercise, send, change and leave out. */

import type { Command } from 'commander';

/** Adds `plumbline plan` to the program. */
export function registerPlan(program: Command): void {
  program
    .command('plan')
    .description('say what a run would exercise, send, change and leave out; sends nothing')
    .argument('<TARGET...>', 'target files')
    .option('--json', 'print the plan as JSON', false)
    .action(async (files: readonly string[], { json }: { readonly json: boolean }) => {
      const [{ forecast, forecastText }, { loadSections }, { loadTarget }] = await Promise.all([
        import('../plan.ts'),
        import('../sections.ts'),
        import('../../target/load.ts'),
      ]);
      const sections = await loadSections();
      const targets = await Promise.all(files.map(async (file) => loadTarget(file)));
      const plans = targets.map(({ target }) => forecast(target, sections));
      process.stdout.write(
        json ? `${JSON.stringify(plans, null, 2)}\n` : plans.map(forecastText).join('\n'),
      );
    });
}
