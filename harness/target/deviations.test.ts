import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadDeviations, parseDeviations } from './deviations.ts';
import { TargetFileError } from './problem.ts';

const entry = [
  '- requirement: compute.errors.status-500',
  '  reason: the old proxy answers 500 in HTML',
  '  link: https://tracker.example/1',
  '  expires: 2027-01-31',
];

function refusal(...lines: readonly string[]): string {
  try {
    parseDeviations(lines.join('\n'), 'known.yaml');
  } catch (error) {
    if (error instanceof TargetFileError) return error.message;
    throw error;
  }
  throw new Error('the file was accepted');
}

function withLine(at: number, line: string): readonly string[] {
  return entry.with(at, line);
}

describe('a deviations file', () => {
  const read = {
    requirement: 'compute.errors.status-500',
    reason: 'the old proxy answers 500 in HTML',
    link: 'https://tracker.example/1',
    expires: '2027-01-31',
  };

  it('is a list', () => {
    expect(parseDeviations(entry.join('\n'), 'known.yaml')).toEqual([read]);
  });

  it('may have the list under a key, and targets', () => {
    const text = ['deviations:', ...entry.map((line) => `  ${line}`), '    target: staging'].join(
      '\n',
    );
    expect(parseDeviations(text, 'known.yaml')).toEqual([{ ...read, target: 'staging' }]);
  });

  it('may be empty', () => {
    expect(parseDeviations('# none left\n', 'known.yaml')).toEqual([]);
  });

  it('may name a requirement once for each target', () => {
    const text = [...entry, ...entry, '  target: staging'].join('\n');
    expect(parseDeviations(text, 'known.yaml')).toHaveLength(2);
  });

  it('is read from disk', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-'));
    writeFileSync(path.join(folder, 'known.yaml'), entry.join('\n'));
    expect(loadDeviations(path.join(folder, 'known.yaml'))).toEqual([read]);
    expect(() => loadDeviations(path.join(folder, 'none.yaml'))).toThrow(
      /none\.yaml: there is no such file\n {2}Name a file/u,
    );
  });
});

describe('a deviations file is refused, with the line, for', () => {
  it.for<[string, readonly string[], RegExp]>([
    [
      'an unknown requirement',
      withLine(0, '- requirement: compute.errors.status-50'),
      /known\.yaml:1:16: entry 1 requirement: no requirement is called .*Did you mean compute\.errors\.status-500\?/su,
    ],
    [
      'a requirement like no other',
      withLine(0, '- requirement: zebra'),
      /known\.yaml:1:16:.*list the ids/su,
    ],
    [
      'one that is never judged',
      withLine(0, '- requirement: router.limits.oversize-order'),
      /known\.yaml:1:16:.*never judged.*Take the entry out/su,
    ],
    ['one twice', [...entry, ...entry], /known\.yaml:5:16:.*stands twice.*entry 1/su],
    [
      'no reason',
      entry.toSpliced(1, 1),
      /known\.yaml:1:3: entry 1 reason: missing.*Say in words/su,
    ],
    ['an empty reason', withLine(1, '  reason: " "'), /known\.yaml:2:11: entry 1 reason/u],
    ['no end', entry.slice(0, 3), /known\.yaml:1:3: entry 1 expires: missing.*2027-01-31/su],
    [
      'an end that is no day',
      withLine(3, '  expires: 2027-02-30'),
      /known\.yaml:4:12: entry 1 expires/u,
    ],
    [
      'a link that runs',
      withLine(2, '  link: javascript:alert(1)'),
      /known\.yaml:3:9: entry 1 link/u,
    ],
    [
      'an unknown key',
      withLine(3, '  expiry: 2027-01-31'),
      /known\.yaml:4:3: entry 1 expiry: unknown key.*\n.*\n.*\n {2}Did you mean expires\?/u,
    ],
    [
      'something else than a list',
      ['requirement: x'],
      /known\.yaml:1:1: expected a list of deviations/u,
    ],
    ['broken YAML', ['- requirement: "x'], /known\.yaml:1:\d+: not YAML/u],
    ['an alias', ['- &a { requirement: x }', '- *a'], /known\.yaml:1:6: an anchor or alias/u],
  ])('%s', ([, lines, message]) => {
    expect(refusal(...lines)).toMatch(message);
  });
});
