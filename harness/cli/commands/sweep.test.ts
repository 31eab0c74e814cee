import { expect, test } from 'vitest';
import { filesToSweep, linesOf } from './sweep.ts';

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

test('many instances that stay for one reason share a line, and what is gone has its own', () => {
  const stays = (id: string, ms: number) => ({
    name: `plumbline-${id}`,
    id,
    outcome: 'stays' as const,
    reason: `POST /instances/${id}/terminate ended "unreachable" after ${ms} ms`,
  });
  const gone = (name: string) => ({ name, id: undefined, outcome: 'gone' as const });
  const down = ['a1', 'b2', 'c3', 'd4', 'e5'].map((id, index) => stays(id, index));
  const lines = linesOf([...down, ...['f', 'g', 'h', 'i'].map(gone)]);
  expect(lines.filter((line) => line.includes('STAYS'))).toHaveLength(3);
  expect(lines[3]).toBe('  and 2 more for the same reason');
  expect(lines.slice(4)).toHaveLength(4);
  expect(lines.slice(4).filter((line) => line.includes('was gone already'))).toHaveLength(4);
});
