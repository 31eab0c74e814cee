import { expect, test } from 'vitest';
import { draftText, type DraftLine, linesForNeeds } from './draft.ts';
import { parseTarget } from './load.ts';

const known = new Map([
  ['bindings.regions.codes', { value: '$[*].name' }],
  ['bindings.presets.items', { remark: 'No list was found.' }],
]);
const start: readonly DraftLine[] = [
  { path: ['contract'], value: 'compute', active: true, remarks: [] },
  { path: ['baseUrl'], value: 'https://compute.example.com/v1', active: true, remarks: [] },
  { path: ['keys', 'primary'], value: '${COMPUTE_KEY}', active: true, remarks: [] },
];

test('what is known stands in the file, and what is not is commented out with a remark', () => {
  const text = draftText([...start, ...linesForNeeds('compute', known)]);
  const { target } = parseTarget(text, 'target.yaml', { COMPUTE_KEY: 'some-key' });
  expect(target).toMatchObject({ bindings: { regions: { codes: '$[*].name' } } });
  expect(target).not.toHaveProperty('bindings.presets');
  expect(target).not.toHaveProperty('instances');
  expect(text).toContain('  #   # No list was found.\n');
  expect(text).toContain('  # terminate: "POST /instances/{id}/terminate"\n');
});

test('every line that is commented out is right once it is let in', () => {
  const all = linesForNeeds('compute', new Map()).map((line) => ({ ...line, active: true }));
  const names = ['COMPUTE_KEY', ...JSON.stringify(all).matchAll(/\$\{(\w+)\}/gu)].map((match) =>
    String(match[1] ?? match),
  );
  const environment = Object.fromEntries(names.map((name) => [name, `key-${name}`]));
  // Two examples name the same instance, which can have one role only.
  const distinct = all.filter(({ path }) => path.at(-1) !== 'terminated');
  const text = draftText([...start, ...distinct]);
  expect(() =>
    parseTarget(text, 'target.yaml', { ...environment, COMPUTE_KEY: 'k' }),
  ).not.toThrow();
});

test('an uncommented group is the group that would have been active', () => {
  const lines: readonly DraftLine[] = [
    { path: ['hooks', 'shed'], value: './shed.sh', active: false, remarks: ['A hook.'] },
  ];
  expect(draftText(lines)).toBe('\n# hooks:\n#   # A hook.\n#   shed: ./shed.sh\n');
  expect(draftText(lines.map((line) => ({ ...line, active: true, remarks: [] })))).toBe(
    '\nhooks:\n  shed: ./shed.sh\n',
  );
});

test('an example brings what it has beside it', () => {
  const hooks = linesForNeeds('router', new Map()).filter(({ path }) => path[0] === 'hooks');
  expect(hooks.map(({ path }) => path[1])).toEqual(['disconnectAgent', 'reconnectAgent']);
});
