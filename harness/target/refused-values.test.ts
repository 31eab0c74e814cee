import { describe, expect, it } from 'vitest';
import { computeFile, refusal, routerFile } from './refusal.test.support.ts';

describe('a target file is refused for', () => {
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

  it('a model in two roles that exclude each other', () => {
    expect(
      refusal(
        routerFile(
          'models:',
          '  maxInflight: { id: a, limit: 1 }',
          '  singleSlot: { id: a, capacity: 1 }',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:6:21: models.singleSlot.id: the same model as models.maxInflight
        6 |   singleSlot: { id: a, capacity: 1 }
          |                     ^
        Use another model, or leave this one out: what needs it is then not exercised.
      "
    `);
    expect(refusal(routerFile('models: { chat: a, provider: a }'))).toContain(
      'models.provider: the same model as models.chat',
    );
  });

  it.each([
    'models: { chat: a, pair: a, embedding: a, calm: a }',
    'models: { singleSlot: { id: a, capacity: 1 }, hidden: { id: a, from: client } }',
  ])('not: %s', (models) => {
    expect(() => refusal(routerFile(models))).toThrow('the file was accepted');
  });
});
