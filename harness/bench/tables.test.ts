import { describe, expect, it } from 'vitest';
import { asPage, asText } from './tables.ts';

const table = {
  title: 'Start',
  columns: ['to', 'median'],
  rows: [
    ['the end | of help', '0.1 s'],
    ['the first', '12.3 s'],
  ],
  notes: ['Five times.'],
};

describe('tables', () => {
  it('are aligned in the terminal', () => {
    expect(asText(table)).toBe(
      'Start\n  to                 median\n  the end | of help  0.1 s\n  the first          12.3 s\n  Five times.',
    );
  });

  it('are Markdown on the page, which says how it came about', () => {
    const page = asPage({
      tables: [table],
      machine: ['Machine: a small one'],
      command: 'npm run bench -- --write',
      date: new Date('2026-11-21T12:00:00Z'),
      wallSeconds: 61.2,
    });
    expect(page).toContain(String.raw`| the end \| of help | 0.1 s |`);
    expect(page).toContain('- Machine: a small one\n');
    expect(page).toContain('- Command: `npm run bench -- --write`, 61 seconds, on 2026-11-21');
  });
});
