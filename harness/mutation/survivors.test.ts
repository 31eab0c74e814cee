import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MutantVerdict } from './trial.ts';
import { isListed, joined, readSurvivors, type Survivor, survivorsText } from './survivors.ts';

const change = {
  contract: 'compute' as const,
  file: 'compute/rules/paging.js',
  original: 'return a < b;',
  mutator: 'EqualityOperator',
  part: 'a < b',
  replacement: 'a <= b',
  nth: 1,
};
const judged: Survivor = { ...change, kind: 'survived', verdict: 'open', why: 'ties are open' };
const run = (kind: MutantVerdict['kind'], of: Partial<typeof change> = {}) => ({
  mutant: { ...change, ...of },
  kind,
});
const other = { replacement: 'a >= b' };
const contract = 'compute';
const mutants = [change, { ...change, ...other }];

describe('the list of survivors', () => {
  it('keeps the verdict of a mutant that still lives', () => {
    const verdicts = [run('survived')];
    expect(joined([judged], { contract, mutants, verdicts })).toEqual([judged]);
  });

  it('drops one that is killed now, and has new ones unjudged', () => {
    const verdicts = [run('killed'), run('not-reached', other)];
    expect(joined([judged], { contract, mutants, verdicts })).toEqual([
      { ...change, ...other, kind: 'not-reached', verdict: 'unjudged', why: '' },
    ]);
  });

  it('keeps what the run did not try, and drops what is no more', () => {
    expect(joined([judged], { contract, mutants, verdicts: [] })).toEqual([judged]);
    expect(joined([judged], { contract, mutants: [], verdicts: [] })).toEqual([]);
    expect(joined([judged], { contract: 'router', mutants: [], verdicts: [] })).toEqual([judged]);
  });

  it('tells those that are alike in all but their place apart', () => {
    expect(isListed(change, [judged])).toBe(true);
    expect(isListed({ ...change, nth: 2 }, [judged])).toBe(false);
  });

  it('is read as it was written', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'survivors-'));
    const file = path.join(folder, 'survivors.json');
    try {
      expect(readSurvivors(file)).toEqual([]);
      await writeFile(file, survivorsText([judged]));
      expect(readSurvivors(file)).toEqual([judged]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
