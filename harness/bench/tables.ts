/** The type of a benchmark, and its tables as text and in `docs/benchmarks.md`. */

import type { Measurement } from './served.ts';

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The same data as a picture, stored beside the page. */
  readonly picture?: { readonly file: string; readonly svg: string };
  /** How to read the table, one sentence each. */
  readonly notes?: readonly string[];
}

/** What the runner passes to a benchmark. */
interface BenchContext {
  /** An empty folder of its own. The runner removes it. */
  readonly scratch: string;
  /** Reports the current step to the user. */
  readonly progress: (what: string) => void;
}

export interface Benchmark {
  /** The name for `--only`. */
  readonly name: string;
  readonly measure: (context: BenchContext) => Promise<readonly Table[]>;
}

const NOT_MEASURED = '–';

/** Seconds, from seconds. */
export function seconds(value: number | undefined): string {
  if (value === undefined) return NOT_MEASURED;
  return `${value.toFixed(value < 10 ? 2 : 1)} s`;
}

/** Mebibytes, from bytes. */
export function mebibytes(value: number | undefined): string {
  if (value === undefined) return NOT_MEASURED;
  const size = value / 1024 / 1024;
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} MiB`;
}

/** The cells of `wall | CPU | peak memory`. */
export function costOf({
  wallSeconds,
  cpuSeconds,
  peakBytes,
}: Pick<Measurement, 'wallSeconds' | 'cpuSeconds' | 'peakBytes'>): readonly string[] {
  return [seconds(wallSeconds), seconds(cpuSeconds), mebibytes(peakBytes)];
}

/** A rounded number with thousands separators. */
export function whole(value: number | undefined): string {
  return value === undefined ? NOT_MEASURED : Math.round(value).toLocaleString('en-US');
}

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
  readonly command: string;
  readonly date: Date;
  readonly wallSeconds: number;
}

/** The whole page as Markdown. */
export function asPage({ tables, machine, command, date, wallSeconds }: PageInput): string {
  return [
    '# Benchmarks',
    '',
    'Measured on one machine in one go and written by the command, but for the last part.',
    '',
    ...machine.map((line) => `- ${line}`),
    `- Command: \`${command}\`, ${Math.round(wallSeconds)} seconds, on ${date.toISOString().slice(0, 10)}`,
    '',
    ...tables.flatMap(({ title, columns, rows, picture, notes = [] }) => [
      `## ${title}`,
      '',
      markdownRow(columns),
      markdownRow(columns.map(() => '---')),
      ...rows.map(markdownRow),
      '',
      ...(picture === undefined ? [] : [`![${title}](${picture.file})`, '']),
      ...notes.flatMap((note) => [note, '']),
    ]),
  ].join('\n');
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
}
