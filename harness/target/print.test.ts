import { describe, expect, it } from 'vitest';
import { parseTarget } from './load.ts';
import { asTargetFile } from './print.ts';

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
    const reveal = (keys: typeof plain.keys) => [...keys].map(([, secret]) => secret.reveal());
    expect(reveal(printed.keys)).toEqual(reveal(plain.keys));
  });

  it('is an object', () => {
    expect(() => asTargetFile(['compute'])).toThrow('a target is an object');
  });
});
