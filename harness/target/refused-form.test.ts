import { describe, expect, it } from 'vitest';
import { computeFile, refusal, routerFile } from './refusal.test.support.ts';

describe('a target file is refused for', () => {
  it('no contract', () => {
    expect(refusal(['baseUrl: https://a.test/v1'].join('\n'))).toMatchInlineSnapshot(`
      "
      my.yaml:1:1: contract: missing
        Write contract: compute or contract: router.
      "
    `);
  });

  it('another contract', () => {
    expect(refusal(['contract: computer'].join('\n'))).toMatchInlineSnapshot(`
      "
      my.yaml:1:11: contract: expected compute or router
        1 | contract: computer
          |           ^
        Write contract: compute or contract: router.
      "
    `);
  });

  it('no base URL and no keys', () => {
    expect(refusal(['contract: compute'].join('\n'))).toMatchInlineSnapshot(`
      "
      my.yaml:1:1: baseUrl: missing
        Add baseUrl: text.

      my.yaml:1:1: keys: missing
        Add keys: a mapping.
      "
    `);
  });

  it('no primary key', () => {
    expect(
      refusal(
        ['contract: compute', 'baseUrl: https://a.test/v1', 'keys: { second: ${KEY} }'].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:1: keys.primary: missing
        3 | keys: { second: \${KEY} }
          | ^
        Add primary: text.
      "
    `);
  });

  it('a router without any key', () => {
    expect(refusal(['contract: router', 'baseUrl: https://a.test', 'keys: {}'].join('\n')))
      .toMatchInlineSnapshot(`
      "
      my.yaml:3:7: keys: expected at least one key, found an empty mapping
        3 | keys: {}
          |       ^
        Correct the value.
      "
    `);
  });

  it('a misspelt key', () => {
    expect(
      refusal(
        ['contract: compute', 'baseURL: https://a.test/v1', 'keys: { primary: ${KEY} }'].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:1:1: baseUrl: missing
        Add baseUrl: text.

      my.yaml:2:1: baseURL: unknown key
        2 | baseURL: ‹hidden›
          | ^
        Did you mean baseUrl?
      "
    `);
  });

  it('a misspelt inner key', () => {
    expect(refusal(computeFile('consent: { teminate: true }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:12: consent.teminate: unknown key
        4 | consent: { teminate: true }
          |            ^
        Did you mean terminate?
      "
    `);
  });

  it('a key in the wrong place', () => {
    expect(refusal(computeFile('freeText: q'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:1: freeText: unknown key
        4 | freeText: ‹hidden›
          | ^
        It belongs elsewhere: bindings.presets.filters.freeText.
      "
    `);
  });

  it('a key of the other contract', () => {
    expect(refusal(computeFile('models: { chat: a }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:1: models: unknown key
        4 | models: { chat: a }
          | ^
        Only a router target has it; this is a compute target.
      "
    `);
  });

  it('a key like no other', () => {
    expect(refusal(routerFile('limits: { zzzzzzzz: 1 }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:11: limits.zzzzzzzz: unknown key
        4 | limits: { zzzzzzzz: 1 }
          |           ^
        Known here: maxRequestBytes, requestTimeoutMs, parkTimeoutMs, queueSize, maxConcurrent, maxTries.
      "
    `);
  });

  it('text for a number', () => {
    expect(refusal(routerFile('limits: { queueSize: many }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:22: limits.queueSize: expected a number, found text "many"
        4 | limits: { queueSize: many }
          |                      ^
        Correct the value.
      "
    `);
  });

  it('a fraction for a whole number', () => {
    expect(refusal(routerFile('limits: { queueSize: 1.5 }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:22: limits.queueSize: expected a whole number, found number 1.5
        4 | limits: { queueSize: 1.5 }
          |                      ^
        Correct the value.
      "
    `);
  });

  it('numbers out of range', () => {
    expect(refusal(computeFile('budget: { requests: 0, minutes: -1 }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:21: budget.requests: expected at least 1, found number 0
        4 | budget: { requests: 0, minutes: -1 }
          |                     ^
        Correct the value.

      my.yaml:4:33: budget.minutes: expected more than 0, found number -1
        4 | budget: { requests: 0, minutes: -1 }
          |                                 ^
        Correct the value.
      "
    `);
  });

  it('a word for a rate', () => {
    expect(refusal(computeFile('budget: { requestsPerSecond: fast }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:30: budget.requestsPerSecond: expected a number or unlimited, found text "fast"
        4 | budget: { requestsPerSecond: fast }
          |                              ^
        Correct the value.
      "
    `);
  });

  it('text for true or false', () => {
    expect(refusal(computeFile('consent: { stop: yes }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:18: consent.stop: expected true or false, found text "yes"
        4 | consent: { stop: yes }
          |                  ^
        Correct the value.
      "
    `);
  });

  it('a mapping left empty', () => {
    expect(refusal(computeFile('instances:'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:11: instances: expected a mapping, found nothing
        4 | instances:
          |           ^
        Fill it in, or take the key out.
      "
    `);
  });

  it('empty text', () => {
    expect(refusal(computeFile('name: ""'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:7: name: expected text that is not empty, found text ""
        4 | name: ""
          |       ^
        Correct the value.
      "
    `);
  });

  it('neither form of a backend', () => {
    expect(refusal(routerFile('backend: { listn: [ 127.0.0.1:9100 ] }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:10: backend: expected either { listen } or { control }, found a mapping with listn
        4 | backend: { listn: [ ‹hidden› ] }
          |          ^
        Correct the value.
      "
    `);
  });

  it('both forms of a backend', () => {
    expect(refusal(routerFile('backend: { listen: [ 127.0.0.1:9100 ], control: http://a.test }')))
      .toMatchInlineSnapshot(`
        "
        my.yaml:4:10: backend: expected either { listen } or { control }, found a mapping with listen, control
          4 | backend: { listen: [ 127.0.0.1:9100 ], control: http://a.test }
            |          ^
          Correct the value.
        "
      `);
  });

  it('an address without port', () => {
    expect(refusal(routerFile('backend: { listen: [ 127.0.0.1 ] }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:22: backend.listen[0]: expected a host and a port, as in 127.0.0.1:9100, found text "127.0.0.1"
        4 | backend: { listen: [ 127.0.0.1 ] }
          |                      ^
        Correct the value.
      "
    `);
  });

  it('an impossible port', () => {
    expect(
      refusal(routerFile('backend:', '  listen:', '    - 127.0.0.1:9100', '    - 127.0.0.1:99999')),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:7:7: backend.listen[1]: no usable port: 99999
        7 |     - 127.0.0.1:99999
          |       ^
        Write a port from 1 to 65535, the one at which the agents expect the engine.
      "
    `);
  });

  it('a control that is no URL', () => {
    expect(refusal(routerFile('backend: { control: localhost }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:21: backend.control: expected an http(s) URL, found text "localhost"
        4 | backend: { control: localhost }
          |                     ^
        Correct the value.
      "
    `);
  });

  it('an id that is no UUID', () => {
    expect(refusal(computeFile('instances: { stopped: [ my-box ] }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:25: instances.stopped[0]: expected a UUID, found text "my-box"
        4 | instances: { stopped: [ my-box ] }
          |                         ^
        Correct the value.
      "
    `);
  });

  it('no ids at all', () => {
    expect(refusal(computeFile('instances: { provision: [] }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:25: instances.provision: expected a list of at least one, found an empty list
        4 | instances: { provision: [] }
          |                         ^
        Correct the value.
      "
    `);
  });

  it('an id that may be destroyed and is no UUID', () => {
    expect(
      refusal(computeFile('instances: { provision: [ 0a8e38ff-3c7a-4a54-90a1-45e2e3f6a001, 7 ] }')),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:4:65: instances.provision[1]: expected text, found number 7
        4 | instances: { provision: [ 0a8e38ff-3c7a-4a54-90a1-45e2e3f6a001, 7 ] }
          |                                                                 ^
        Correct the value.
      "
    `);
  });

  it('half a provision request', () => {
    expect(refusal(computeFile('instances: { provision: { request: POST /instances } }')))
      .toMatchInlineSnapshot(`
        "
        my.yaml:4:14: instances.provision.id: missing
          4 | instances: { provision: { request: POST /instances } }
            |              ^
          Add id: text.
        "
      `);
  });

  it('an instance with two roles', () => {
    expect(
      refusal(
        computeFile(
          'instances:',
          '  provision: [ 0a8e38ff-3c7a-4a54-90a1-45e2e3f6a001 ]',
          '  stopped: [ 0A8E38FF-3C7A-4A54-90A1-45E2E3F6A001 ]',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:6:14: instances.stopped[0]: the instance already stands under instances.provision
        6 |   stopped: [ 0A8E38FF-3C7A-4A54-90A1-45E2E3F6A001 ]
          |              ^
        Give it one role.
      "
    `);
  });

  it('a terminate that is no POST', () => {
    expect(refusal(computeFile('bindings: { terminate: DELETE /instances/{id} }')))
      .toMatchInlineSnapshot(`
      "
      my.yaml:4:24: bindings.terminate: expected POST and a path with {id}, as in POST /instances/{id}/terminate, found text "DELETE /instances/{id}"
        4 | bindings: { terminate: DELETE /instances/{id} }
          |                        ^
        Correct the value.
      "
    `);
  });

  it('a start without the id', () => {
    expect(refusal(computeFile('bindings: { start: POST /start }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:20: bindings.start: expected a method and a path with {id}, as in POST /instances/{id}/start, found text "POST /start"
        4 | bindings: { start: POST /start }
          |                    ^
        Correct the value.
      "
    `);
  });

  it('a path that is no path at all', () => {
    expect(refusal(computeFile('bindings: { getInstance: { record: data } }')))
      .toMatchInlineSnapshot(`
      "
      my.yaml:4:36: bindings.getInstance.record: expected a JSONPath, which starts with $, found text "data"
        4 | bindings: { getInstance: { record: data } }
          |                                    ^
        Correct the value.
      "
    `);
  });

  it('paths that are broken', () => {
    expect(
      refusal(
        computeFile(
          'bindings:',
          '  regions: { codes: "$[*" }',
          '  presets: { fields: { sku: "$..[" } }',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:5:21: bindings.regions.codes: not a JSONPath: $[*
        5 |   regions: { codes: "$[*" }
          |                     ^
        Write it as in $.data[*].name; quote it when it has a * or brackets in it.

      my.yaml:6:29: bindings.presets.fields.sku: not a JSONPath: $..[
        6 |   presets: { fields: { sku: "$..[" } }
          |                             ^
        Write it as in $.data[*].name; quote it when it has a * or brackets in it.
      "
    `);
  });

  it('a hidden model that names no key', () => {
    expect(refusal(routerFile('models: { hidden: { id: a, from: allowlisted } }')))
      .toMatchInlineSnapshot(`
      "
      my.yaml:4:34: models.hidden.from: there is no key allowlisted
        4 | models: { hidden: { id: a, from: allowlisted } }
          |                                  ^
        Name one of the keys of this file: client.
      "
    `);
  });

  it('a base URL that is no URL', () => {
    expect(
      refusal(['contract: compute', 'baseUrl: a.test/v1', 'keys: { primary: ${KEY} }'].join('\n')),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:2:10: baseUrl: not an http or https URL
        2 | baseUrl: a.test/v1
          |          ^
        Write it as in https://compute.example.com/v1.
      "
    `);
  });

  it('a base URL of another scheme', () => {
    expect(
      refusal(
        ['contract: compute', 'baseUrl: ftp://a.test/v1', 'keys: { primary: ${KEY} }'].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:2:10: baseUrl: not an http or https URL
        2 | baseUrl: ftp://a.test/v1
          |          ^
        Write it as in https://compute.example.com/v1.
      "
    `);
  });

  it('a base URL with a query', () => {
    expect(
      refusal(
        ['contract: compute', 'baseUrl: https://a.test/v1?x=1', 'keys: { primary: ${KEY} }'].join(
          '\n',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:2:10: baseUrl: a base URL must not have a query or a fragment
        2 | baseUrl: https://a.test/v1?x=1
          |          ^
        End it with the path.
      "
    `);
  });

  it('a compute base URL without version', () => {
    expect(
      refusal(
        ['contract: compute', 'baseUrl: https://a.test/api/', 'keys: { primary: ${KEY} }'].join(
          '\n',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:2:10: baseUrl: the base URL of a compute target ends in /v1
        2 | baseUrl: https://a.test/api/
          |          ^
        Write https://a.test/api/v1, or the address under which the deployment serves /v1.
      "
    `);
  });

  it('a router base URL with version', () => {
    expect(
      refusal(
        ['contract: router', 'baseUrl: https://a.test/api/v1/', 'keys: { client: ${KEY} }'].join(
          '\n',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:2:10: baseUrl: the base URL of a router target stands without /v1, since /admin lies beside it
        2 | baseUrl: https://a.test/api/v1/
          |          ^
        Write https://a.test/api.
      "
    `);
  });

  it('several mistakes at once', () => {
    expect(
      refusal(
        [
          'contract: router',
          'baseUrl: https://a.test/v1',
          'keys: { client: ${NOT_SET} }',
          'limit: {}',
          'budget: { minutes: soon }',
        ].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:2:10: baseUrl: the base URL of a router target stands without /v1, since /admin lies beside it
        2 | baseUrl: https://a.test/v1
          |          ^
        Write https://a.test.

      my.yaml:3:17: keys.client: the environment has no NOT_SET
        3 | keys: { client: \${NOT_SET} }
          |                 ^
        Set it, as in: export NOT_SET=…

      my.yaml:4:1: limit: unknown key
        4 | limit: {}
          | ^
        Did you mean limits?

      my.yaml:5:20: budget.minutes: expected a number, found text "soon"
        5 | budget: { minutes: soon }
          |                    ^
        Correct the value.
      "
    `);
  });
});
