import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { MutantVerdict } from './trial.ts';
import {
  isListed,
  joined,
  mutationPage,
  mutationRecordText,
  readMutationRecord,
  type Survivor,
} from './survivors.ts';

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

const before = { files: { [change.file]: 2 }, survivors: [judged] };

describe('the record of survivors', () => {
  it('keeps the verdict of a mutant that still lives', () => {
    const verdicts = [run('survived')];
    expect(joined(before, { contract, mutants, verdicts })).toEqual(before);
  });

  it('drops one that is killed now, and has new ones unjudged', () => {
    const verdicts = [run('killed'), run('not-reached', other)];
    expect(joined(before, { contract, mutants, verdicts }).survivors).toEqual([
      { ...change, ...other, kind: 'not-reached', verdict: 'unjudged', why: '' },
    ]);
  });

  it('keeps what the run did not try, and drops what is no more', () => {
    expect(joined(before, { contract, mutants, verdicts: [] })).toEqual(before);
    const none = { files: {}, survivors: [] };
    expect(joined(before, { contract, mutants: [], verdicts: [] })).toEqual(none);
    expect(joined(before, { contract: 'router', mutants: [], verdicts: [] })).toEqual(before);
  });

  it('counts the mutants of a file once all of them were tried', () => {
    const none = { files: {}, survivors: [] };
    const part = joined(none, { contract, mutants, verdicts: [run('killed')] });
    expect(part.files).toEqual({});
    const all = [run('killed'), run('killed', other)];
    expect(joined(part, { contract, mutants, verdicts: all }).files).toEqual({ [change.file]: 2 });
  });

  it('tells those that are alike in all but their place apart', () => {
    expect(isListed(change, [judged])).toBe(true);
    expect(isListed({ ...change, nth: 2 }, [judged])).toBe(false);
  });

  it('is read as it was written', () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'survivors-')), 'survivors.json');
    expect(readMutationRecord(file)).toEqual({ files: {}, survivors: [] });
    writeFileSync(file, mutationRecordText(before));
    expect(readMutationRecord(file)).toEqual(before);
  });
});

const inDocs = (name: string): string =>
  fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
const FILE = inDocs('mutation-survivors.json');
const record = readMutationRecord(FILE);

describe('docs/mutation-survivors.json', () => {
  it('says of every mutant that lives what it is, and why', () => {
    expect(record.survivors).not.toEqual([]);
    expect(
      record.survivors.filter(({ verdict, why }) => verdict === 'unjudged' || why.length < 10),
    ).toEqual([]);
  });

  it('has each once, and is as the command writes it', () => {
    const lines = record.survivors.map(({ kind: _kind, verdict: _verdict, why: _why, ...one }) =>
      JSON.stringify(one),
    );
    expect(new Set(lines).size).toBe(lines.length);
    expect(readFileSync(FILE, 'utf8')).toBe(mutationRecordText(record));
  });

  it('is what docs/mutation.md counts; if not, run npm run mutate -- --page', () => {
    const page = readFileSync(inDocs('mutation.md'), 'utf8');
    expect(page).toBe(mutationPage(record, page));
    expect(mutationPage(record, '')).toBe(page.slice(page.indexOf('## ')));
  });
});
