import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingProgram } from './provision.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'plumbline-'));
  writeFileSync(path.join(folder, 'make.sh'), '#!/bin/sh\n');
  writeFileSync(path.join(folder, 'plain.sh'), '#!/bin/sh\n');
  chmodSync(path.join(folder, 'make.sh'), 0o700);
  chmodSync(path.join(folder, 'plain.sh'), 0o600);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.for([
  ['./nowhere.sh --now', 'there is no file ./nowhere.sh'],
  ['./plain.sh', './plain.sh is not executable'],
  ['/', '/ is no file'],
  ['no-such-program-anywhere', 'no-such-program-anywhere is not found'],
  ['sh nowhere.sh', 'there is no file nowhere.sh'],
] as const)('%s cannot run: %s', async ([command, problem]) => {
  expect(await missingProgram(command, folder)).toBe(problem);
});

test.for([
  './make.sh',
  './make.sh with arguments',
  'sh plain.sh',
  'sh -c true',
  'exit 3',
  // Commands before or after it may have made something.
  './make.sh | no-such-program-anywhere',
  './nowhere.sh; ./make.sh',
  '$MAKE',
  'NAME=x ./nowhere.sh',
])('%s may do something', async (command) => {
  expect(await missingProgram(command, folder)).toBeUndefined();
});
