import { type AsyncCommand, asyncModelRun, commands, constantFrom, integer } from 'fast-check';
import { expect, test } from 'vitest';
import { expectThat, type Judgement } from '../checks/judgement.ts';
import type { ArbitraryOfCommands } from './case.ts';
import { CaseRecorder } from './recorder.ts';
import { type PropertyRequest, runProperty } from './property.ts';
import { recorderTools } from './session.test.support.ts';

function evidence(): CaseRecorder {
  return new CaseRecorder(recorderTools());
}

const plain = { name: 'made', runs: 50, seed: 42, signal: new AbortController().signal } as const;

interface Light {
  on: number;
}

/** A light that breaks when it is switched on for the third time. */
class Switch implements AsyncCommand<Light, Light, true> {
  readonly #to: 'on' | 'off';
  constructor(to: 'on' | 'off') {
    this.#to = to;
  }
  async check(): Promise<boolean> {
    return true;
  }
  async run(_model: Light, light: Light): Promise<void> {
    if (this.#to === 'on') light.on += 1;
  }
  toString(): string {
    return this.#to;
  }
}

const presses: ArbitraryOfCommands<Iterable<AsyncCommand<Light, Light, true>>> = (replayPath) =>
  commands([constantFrom<'on' | 'off'>('on', 'off').map((to) => new Switch(to))], {
    maxCommands: 12,
    ...(replayPath === null ? {} : { replayPath }),
  });

/** Runs the light; returns how often commands were run. */
async function play(
  change: Partial<PropertyRequest<Iterable<AsyncCommand<Light, Light, true>>>> = {},
) {
  const seen = evidence();
  let probes = 0;
  await runProperty(
    {
      ...plain,
      arbitrary: presses,
      probe: async (steps, judge) => {
        probes += 1;
        const light = { on: 0 };
        await asyncModelRun(() => ({ model: light, real: light }), steps);
        judge('light', expectThat(light.on < 3, 'It broke.', { expected: 2, actual: light.on }));
      },
      ...change,
    },
    seen,
  );
  return { probes, found: seen.findings[0]?.counterexample };
}

test('a counterexample of commands is shrunk, and replays by seed and path', async () => {
  const { found } = await play();
  expect(found?.value).toBe('on,on,on');
  const again = await play({ path: found?.path, runs: 1 });
  expect(again.found?.value).toBe('on,on,on');
  expect(again.probes).toBeLessThan(20);
});

test('the search for a smaller counterexample is bounded', async () => {
  const free = await play();
  const bounded = await play({ mostShrinks: 1 });
  expect(bounded.found).toBeDefined();
  expect(bounded.probes).toBeLessThan(free.probes);
});

test('a counterexample that is no command list is shown as it is', async () => {
  const seen = evidence();
  await runProperty(
    {
      ...plain,
      arbitrary: integer({ min: 0, max: 1_000 }),
      probe: async (value, judge) => {
        judge('small', expectThat(value < 10, 'Too large.', { expected: 10, actual: value }));
      },
    },
    seen,
  );
  expect(seen.findings[0]?.counterexample).toMatchObject({ value: '10' });
});

test('a property that told nothing is inconclusive', async () => {
  const silent = runProperty({ ...plain, arbitrary: integer(), probe: async () => {} }, evidence());
  await expect(silent).rejects.toThrow('told anything');
});

test('examples are tried in every run, before and beside generated values, and can be replayed', async () => {
  const tried: number[] = [];
  const request = {
    ...plain,
    arbitrary: integer({ min: 100, max: 200 }),
    examples: [7, 8],
    probe: async (value: number, judge: (id: string, judgement: Judgement) => void) => {
      tried.push(value);
      const isWrong = value === 8 && tried.length > 51;
      judge('r', expectThat(!isWrong, '8', { expected: '', actual: '' }));
    },
  };
  await runProperty(request, evidence());
  expect(tried.slice(0, 2)).toEqual([7, 8]);
  expect(tried).toHaveLength(52);
  const seen = evidence();
  await runProperty(request, seen);
  const [found] = seen.outcome({ section: 's', title: 't', judges: ['r'] }).findings;
  const path = found?.counterexample?.path;
  tried.length = 52;
  await runProperty({ ...request, path }, evidence());
  expect(tried[52]).toBe(8);
});
