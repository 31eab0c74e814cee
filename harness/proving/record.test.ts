import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mutationPage, mutationRecordText, readMutationRecord } from './survivors.ts';

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
    expect(readFileSync(inDocs('mutation.md'), 'utf8')).toBe(mutationPage(record));
  });
});
