import { expect, test } from 'vitest';
import { filesToSweep } from './sweep.ts';

const files = new Map([
  ['staging', 'staging.yaml'],
  ['canary', 'canary.yaml'],
]);
const targets = [
  { name: 'staging', baseUrl: 'http://staging.test/v1' },
  { name: 'canary', baseUrl: 'http://canary.test/v1' },
];

function leftAt(baseUrl: string) {
  return { target: 'staging', baseUrl, name: 'plumbline-1', id: undefined, askedAt: 0 };
}

test('the files to sweep are those of the deployments on which something is left', () => {
  expect(filesToSweep([leftAt('http://canary.test/v1')], targets, files)).toEqual(['canary.yaml']);
  expect(filesToSweep([], targets, files)).toEqual([]);
});

test('what is left on another deployment of the same name is not for the file of this one', () => {
  expect(filesToSweep([leftAt('http://staging-of-may.test/v1')], targets, files)).toEqual([]);
});
