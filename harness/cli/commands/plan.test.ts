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

test('each depth has its requests and seconds, and each consent what it adds', () => {
  const run = async () => undefined;
  const section: Section<never> = {
    contract: 'compute',
    name: 'made',
    cases: [
      { title: 'a', judges: ['compute.list-instances.size-zero'], requests: [100, 200], run },
      {
        title: 'b',
        judges: ['compute.rate-limiting.retry-after-integer'],
        needs: ['consent.exhaustRateLimit'],
        requests: [50, 50, 60],
        run,
      },
    ],
  };
  const plan = (consent: string, pace = '') =>
    planOf(
      `contract: compute\nbaseUrl: https://a.test/v1\nkeys: { primary: \${KEY} }\nconsent: { exhaustRateLimit: ${consent} }\n${pace}`,
      [section],
    );
  expect(plan('false')).toContain(`
  --depth quick     about 100 requests, 2.0 s
  --depth standard  about 200 requests, 4.0 s
  --depth thorough  about 350 requests, 7.0 s
  consent.exhaustRateLimit: true would add 1 requirement and about 50 requests
`);
  expect(plan('true')).toContain(`
  --depth quick     about 150 requests, 3.0 s
  --depth standard  about 250 requests, 5.0 s
  --depth thorough  about 410 requests, 8.0 s
  consent.exhaustRateLimit: true gives 1 requirement and about 50 requests
`);
  expect(plan('false', 'budget: { requestsPerSecond: 5 }')).toContain('200 requests, 40.0 s');
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
