/** Tables for the terminal and for `docs/benchmarks.md`. */

import type { Table } from './benchmark.ts';

/** A table with aligned columns. */
export function asText({ title, columns, rows, notes = [] }: Table): string {
  const all = [columns, ...rows];
  const widths = columns.map((_, column) =>
    Math.max(...all.map((cells) => (cells[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    title,
    ...all.map((cells) => `  ${line(cells)}`),
    ...notes.map((note) => `  ${note}`),
  ].join('\n');
}

export interface PageInput {
  readonly tables: readonly Table[];
  readonly machine: readonly string[];
  /** As it was typed. */
  readonly command: string;
  readonly date: Date;
  readonly wallSeconds: number;
}

/** The whole page as Markdown. */
export function asPage({ tables, machine, command, date, wallSeconds }: PageInput): string {
  return [
    '# Benchmarks',
    '',
    'Measured on one machine in one go and written by the command, never by hand.',
    '',
    ...machine.map((line) => `- ${line}`),
    `- Command: \`${command}\`, ${Math.round(wallSeconds)} seconds, on ${date.toISOString().slice(0, 10)}`,
    '',
    ...tables.flatMap(({ title, columns, rows, notes = [] }) => [
      `## ${title}`,
      '',
      row(columns),
      row(columns.map(() => '---')),
      ...rows.map(row),
      '',
      ...notes.flatMap((note) => [note, '']),
    ]),
  ].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
}
