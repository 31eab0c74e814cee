import { expect, test } from 'vitest';
import { parseTarget } from '../../contracts/target-file.ts';
import type { Section } from '../../runner/case.ts';
import { forecast, forecastText } from './plan.ts';

function planOf(text: string, sections: readonly Section<never>[] = []): string {
  const { target } = parseTarget(text, 'my.yaml', { KEY: 'a-key' });
  return forecastText(forecast(target, sections));
}

test('a compute file without leave changes nothing', () => {
  const text = 'contract: compute\nbaseUrl: https://a.test/v1\nkeys: { primary: ${KEY} }';
  expect(planOf(text)).toContain('Read-only');
});

test('a router file says which models are asked', () => {
  const smallest = 'contract: router\nbaseUrl: https://a.test\nkeys: { client: ${KEY} }';
  expect(planOf(smallest)).toContain('the first model, by name, that the client key sees');
  expect(planOf(`${smallest}\nmodels: { chat: a }`)).toContain('that the target file names');
});

test('what is missing stands under every line that it needs, of the case that needs the fewest', () => {
  const judging = (...judges: [string, ...string[]]) => ({
    title: judges.join(' '),
    judges,
    run: async () => undefined,
  });
  const section: Section<never> = {
    contract: 'compute',
    name: 'made',
    cases: [
      judging('compute.stop-instance.running-accepted', 'compute.start-instance.leaves-stopped'),
      judging('compute.stop-instance.running-accepted'),
      judging('compute.authentication.empty-account'),
    ],
  };
  const plan = planOf('contract: compute\nbaseUrl: https://a.test/v1\nkeys: { primary: ${KEY} }', [
    section,
  ]);
  expect(plan).toMatch(/^ {2}2 requirements need instances that may be stopped or destroyed/mu);
  expect(plan).toMatch(/^ {2}2 requirements need permission to stop/mu);
  expect(plan).toMatch(/^ {2}1 requirement needs the method and path of the start operation:$/mu);
  expect(plan).toMatch(/^ {2}1 requirement needs a key of an account without instances:$/mu);
});
