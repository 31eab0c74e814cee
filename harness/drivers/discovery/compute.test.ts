import { describe, expect, onTestFinished, test } from 'vitest';
import { computeNeeds } from '../../../schemas/compute/needs.ts';
import { type ComputeOptions, startCompute } from '../../reference/compute/start.ts';
import { computeVariants } from '../../reference/compute/variants/index.ts';
import { parseTarget } from '../../contracts/target-file.ts';
import { connectForReading } from '../../contracts/preflight.ts';
import type { Known } from '../../target/draft.ts';
import { discoverCompute } from './compute.ts';

type Found = Known<keyof typeof computeNeeds>;

/** What discovery finds on a reference deployment, and what the deployment's own target file says. */
async function discovered(options: ComputeOptions) {
  const reference = await startCompute(options);
  onTestFinished(async () => reference.close());
  const planned = parseTarget(JSON.stringify(reference.target()), 'target.yaml');
  const connection = connectForReading(planned);
  onTestFinished(async () => connection.close());
  const found: Found = await discoverCompute(connection);
  return { found, bindings: reference.target().bindings };
}

/** Every binding that was found, nested as in a target file. */
function values(found: Found): ReadonlyMap<string, unknown> {
  return new Map(
    [...found].flatMap(([need, one]) => ('value' in one ? [[need, one.value] as const] : [])),
  );
}

function said(bindings: object, need: string): unknown {
  let value: unknown = { bindings };
  for (const step of need.split('.')) value = Object(value)[step];
  return value;
}

describe('whatever a conforming deployment chose', () => {
  const differing = computeVariants.filter(({ options }) =>
    Object.keys(options().choices ?? {}).some((name) =>
      /presets|regionsBody|getInstanceMember|unknownP/u.test(name),
    ),
  );

  test('there are such choices', () => {
    expect(differing.length).toBeGreaterThan(2);
  });

  test.for([{ name: 'the usual', options: (): ComputeOptions => ({}) }, ...differing])(
    '$name: what is found is what its own file says',
    async ({ options }) => {
      const { found, bindings } = await discovered(options());
      const unbound = options().choices?.presets?.unbound ?? [];
      const named = [...values(found)].filter(
        ([need]) => !unbound.some((field) => need.endsWith(`.${field}`)),
      );
      const wrong = named.filter(([need, value]) => said(bindings, need) !== value);
      expect(wrong).toEqual([]);
    },
  );
});

test('of the usual deployment everything is found that a read can tell', async () => {
  const { found } = await discovered({});
  const left = Object.keys(computeNeeds).filter(
    (need) => /^bindings\.(?:regions|presets|getInstance)/u.test(need) && !values(found).has(need),
  );
  expect(left).toEqual([]);
});
