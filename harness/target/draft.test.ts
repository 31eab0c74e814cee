import { describe, expect, it, test } from 'vitest';
import { asTargetFile, type DraftLine, draftText, linesForNeeds } from './draft.ts';
import { parseTarget } from '../contracts/target-file.ts';

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
  // Two examples name the same instance, which can have only one role.
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

const compute = {
  name: 'reference',
  contract: 'compute',
  baseUrl: 'http://127.0.0.1:4100/v1',
  keys: { primary: 'key-1', second: '${SECOND}' },
  bindings: {
    terminate: 'POST /instances/{id}/terminate',
    regions: { codes: '$[*].name' },
    locations: { unmapped: ['lab-1'] },
  },
  instances: {
    provision: { request: 'POST /_provision', id: '$.id' },
    stopped: ['0a8e38ff-3c7a-4a54-90a1-45e2e3f6a001', '0a8e38ff-3c7a-4a54-90a1-45e2e3f6a002'],
  },
  consent: { stop: true, terminate: true },
};

const router = {
  contract: 'router',
  baseUrl: 'http://127.0.0.1:4200',
  keys: {
    client: 'key-1',
    allowlisted: { key: 'key-2', allows: 'a', denies: 'b' },
    tokensPerDay: [
      { key: 'key-with-a-rather-long-name-to-fill-the-line-3', limit: 2000 },
      { key: 'key-with-a-rather-long-name-to-fill-the-line-4', limit: 2000 },
    ],
  },
  models: { chat: 'no', capped: { id: '12', imagesMax: 2 } },
  backend: { listen: ['127.0.0.1:9100'] },
};

describe('a printed target file', () => {
  it('is commented and laid out as people write it', () => {
    expect(asTargetFile(compute)).toMatchInlineSnapshot(`
      "# Names the target in reports.
      name: reference
      contract: compute
      baseUrl: http://127.0.0.1:4100/v1

      # API keys. In the file of a deployment elsewhere write \${NAME}, and set that variable.
      keys:
        primary: key-1
        second: \${SECOND}

      # How the deployment does what the contract leaves open; paths are relative to baseUrl.
      bindings:
        terminate: POST /instances/{id}/terminate
        regions: { codes: "$[*].name" }
        locations: { unmapped: [ lab-1 ] }

      # Instances with a role. What provision makes or lists may be stopped and destroyed.
      instances:
        provision: { request: POST /_provision, id: $.id }
        stopped: [ 0a8e38ff-3c7a-4a54-90a1-45e2e3f6a001, 0a8e38ff-3c7a-4a54-90a1-45e2e3f6a002 ]

      # What the suite may do here beside reading. Everything is off unless it is true.
      consent:
        stop: true
        terminate: true
      "
    `);
    expect(asTargetFile(router)).toMatchInlineSnapshot(`
      "contract: router
      baseUrl: http://127.0.0.1:4200

      # API keys. In the file of a deployment elsewhere write \${NAME}, and set that variable.
      keys:
        client: key-1
        allowlisted: { key: key-2, allows: a, denies: b }
        tokensPerDay:
          - { key: key-with-a-rather-long-name-to-fill-the-line-3, limit: 2000 }
          - { key: key-with-a-rather-long-name-to-fill-the-line-4, limit: 2000 }

      # Models with a role, behind the scripted backend unless said otherwise.
      models:
        chat: no
        capped: { id: "12", imagesMax: 2 }

      # Where the agents of the deployment find the scripted backend.
      backend: { listen: [ 127.0.0.1:9100 ] }
      "
    `);
  });

  it.each([compute, router])('is read back as the same target', (file) => {
    const environment = { SECOND: 'key-of-the-environment' };
    const printed = parseTarget(asTargetFile(file), 'printed.yaml', environment);
    const plain = parseTarget(JSON.stringify(file), 'printed.yaml', environment);
    expect(printed).toEqual(plain);
  });

  it('is an object', () => {
    expect(() => asTargetFile(['compute'])).toThrow('a target is an object');
  });
});
