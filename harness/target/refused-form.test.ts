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
        Known here: maxRequestBytes, requestTimeoutMs, parkTimeoutMs, queueSize, maxConcurrent, maxTries, replicas.
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
