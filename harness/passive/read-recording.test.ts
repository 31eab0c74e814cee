import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readRecording } from './recording.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-recording-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function bodiesIn(text: string): Promise<readonly string[]> {
  const file = path.join(folder, 'traffic.ndjson');
  writeFileSync(file, text);
  const bodies: string[] = [];
  for await (const reading of readRecording(file)) {
    bodies.push('entry' in reading ? Buffer.from(reading.entry.body).toString() : reading.skipped);
  }
  return bodies;
}

const lineWith = (body: string): string =>
  JSON.stringify({
    request: { method: 'GET', url: 'https://compute.example.com/v1/regions' },
    response: { status: 200, headers: [['Content-Type', 'text/plain']], body },
  });

it.each([
  ['line feeds', '\n', ''],
  ['a last line feed', '\n', '\n'],
  ['carriage returns before them', '\r\n', '\r\n'],
])('reads line after line: %s', async (_name, between, after) => {
  const bodies = ['one', 'two\u2028and\u2029a half', 'x'.repeat(200_000)];
  expect(await bodiesIn(bodies.map(lineWith).join(between) + after)).toEqual(bodies);
});

it('says what it skips', async () => {
  expect(await bodiesIn(`${lineWith('one')}\n\nno JSON\n`)).toEqual([
    'one',
    'lines that are not JSON',
  ]);
});
