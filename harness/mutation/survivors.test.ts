import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MutantVerdict } from './run-mutants.ts';
import { joined, readSurvivors, type Survivor, survivorsText } from './survivors.ts';

const change = {
  file: 'rules/paging.js',
  original: 'return a < b;',
  mutator: 'EqualityOperator',
  replacement: 'a <= b',
};
const judged: Survivor = { ...change, kind: 'survived', verdict: 'open', why: 'ties are open' };
const run = (kind: MutantVerdict['kind'], of: Partial<typeof change> = {}): MutantVerdict => ({
  mutant: { id: '7', line: 3, ...change, ...of },
  kind,
  requests: 10,
});

describe('the list of survivors', () => {
  it('keeps the verdict of a mutant that still lives', () => {
    expect(joined([judged], [run('survived')])).toEqual([judged]);
  });

  it('drops one that is killed now, and has new ones unjudged', () => {
    const other = { replacement: 'a >= b' };
    expect(joined([judged], [run('killed'), run('not-reached', other)])).toEqual([
      { ...change, ...other, kind: 'not-reached', verdict: 'unjudged', why: '' },
    ]);
  });

  it('leaves files alone that the run did not touch', () => {
    expect(joined([judged], [run('killed', { file: 'rules/dates.js' })])).toEqual([judged]);
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
