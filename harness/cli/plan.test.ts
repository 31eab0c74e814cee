import { expect, test } from 'vitest';
import { parseTarget } from '../target/load.ts';
import { forecast, forecastText } from './plan.ts';

function planOf(text: string): string {
  const { target } = parseTarget(text, 'my.yaml', { KEY: 'a-key' });
  return forecastText(forecast(target, []));
}

test('a compute file without leave changes nothing', () => {
  const text = 'contract: compute\nbaseUrl: https://a.test/v1\nkeys: { primary: ${KEY} }';
  expect(planOf(text)).toContain('Nothing is changed');
});

test('a router file says which models are asked', () => {
  const smallest = 'contract: router\nbaseUrl: https://a.test\nkeys: { client: ${KEY} }';
  expect(planOf(smallest)).toContain('the first model that the client key sees');
  expect(planOf(`${smallest}\nmodels: { chat: a }`)).toContain('that the target file names');
});
