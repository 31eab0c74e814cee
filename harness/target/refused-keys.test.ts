import { describe, expect, it } from 'vitest';
import { refusal, routerFile } from './refusal.test.support.ts';

describe('a target file is refused, without showing a key, for', () => {
  it('a key left empty', () => {
    expect(
      refusal(
        ['contract: compute', 'baseUrl: https://a.test/v1', 'keys:', '  primary:'].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:4:11: keys.primary: expected text, found nothing
        4 |   primary:
          |           ^
        Fill it in, or take the key out.
      "
    `);
  });

  it('a secret under an unknown key', () => {
    expect(refusal(routerFile('key: { client: hunter2 }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:1: key: unknown key
        4 | key: { client: ‹hidden› }
          | ^
        Did you mean keys?
      "
    `);
  });

  it('a list for the keys', () => {
    expect(
      refusal(['contract: compute', 'baseUrl: https://a.test/v1', 'keys: [ "${KEY}" ]'].join('\n')),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:7: keys: expected a mapping, found a list
        3 | keys: [ "\${KEY}" ]
          |       ^
        Correct the value.
      "
    `);
  });

  it('a number as a key', () => {
    expect(
      refusal(
        ['contract: compute', 'baseUrl: https://a.test/v1', 'keys: { primary: 123456789 }'].join(
          '\n',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:18: keys.primary: expected text, found a number
        3 | keys: { primary: ‹hidden› }
          |                  ^
        Correct the value.
      "
    `);
  });

  it('text where a key has parts', () => {
    expect(
      refusal(
        ['contract: router', 'baseUrl: https://a.test', 'keys:', '  allowlisted: ${KEY}'].join(
          '\n',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:4:16: keys.allowlisted: expected a mapping, found text
        4 |   allowlisted: \${KEY}
          |                ^
        Correct the value.
      "
    `);
  });

  it('a part that lacks', () => {
    expect(
      refusal(
        [
          'contract: router',
          'baseUrl: https://a.test',
          'keys:',
          '  requestsPerMinute: { key: "${KEY}" }',
        ].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:4:3: keys.requestsPerMinute.limit: missing
        4 |   requestsPerMinute: { key: "\${KEY}" }
          |   ^
        Add limit: a number.
      "
    `);
  });

  it('a key written out', () => {
    expect(
      refusal(
        [
          'contract: compute',
          'baseUrl: https://a.test/v1',
          'keys: { primary: hunter2, second: ${OTHER} }',
        ].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:18: keys.primary: a key must not be written out in the file of a target elsewhere
        3 | keys: { primary: ‹hidden›, second: \${OTHER} }
          |                  ^
        Write \${COMPUTE_KEY_PRIMARY} and set that variable.
      "
    `);
  });

  it('a key beside one that is written out', () => {
    expect(
      refusal(
        [
          'contract: compute',
          'baseUrl: http://127.0.0.1/v1',
          'keys: { primary: hunter2, thrid: ${OTHER} }',
        ].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:28: keys.thrid: unknown key
        3 | keys: { primary: ‹hidden›, thrid: \${OTHER} }
          |                            ^
        Known here: primary, second, empty, forbidden.
      "
    `);
  });

  it('keys written out deeper', () => {
    expect(
      refusal(
        [
          'contract: router',
          'baseUrl: https://a.test',
          'keys:',
          '  client: ${KEY}',
          '  tokensPerDay: [ { key: hunter2, limit: 10 } ]',
          '  allowlisted: { key: hunter3, allows: a, denies: b }',
        ].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:5:26: keys.tokensPerDay[0].key: a key must not be written out in the file of a target elsewhere
        5 |   tokensPerDay: [ { key: ‹hidden›, limit: 10 } ]
          |                          ^
        Write \${ROUTER_KEY_TOKENSPERDAY_0} and set that variable.

      my.yaml:6:23: keys.allowlisted.key: a key must not be written out in the file of a target elsewhere
        6 |   allowlisted: { key: ‹hidden›, allows: a, denies: b }
          |                       ^
        Write \${ROUTER_KEY_ALLOWLISTED} and set that variable.
      "
    `);
  });

  it('one key in two roles', () => {
    expect(
      refusal(
        [
          'contract: compute',
          'baseUrl: https://a.test/v1',
          'keys: { primary: ${KEY}, second: ${KEY} }',
        ].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:34: keys.second: the same key as keys.primary
        3 | keys: { primary: \${KEY}, second: \${KEY} }
          |                                  ^
        Use another key, or leave this one out: what needs it is then not exercised.
      "
    `);
  });

  it('one key spent twice', () => {
    expect(
      refusal(
        [
          'contract: router',
          'baseUrl: https://a.test',
          'keys:',
          '  client: ${KEY}',
          '  tokensPerDay: [ { key: "${OTHER}", limit: 10 }, { key: "${OTHER}", limit: 10 } ]',
        ].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:5:51: keys.tokensPerDay[1]: the same key as keys.tokensPerDay[0]
        5 |   tokensPerDay: [ { key: "\${OTHER}", limit: 10 }, { key: "\${OTHER}", limit: 10 } ]
          |                                                   ^
        Use another key, or leave this one out: what needs it is then not exercised.
      "
    `);
  });

  it('a base URL with a password', () => {
    expect(
      refusal(
        [
          'contract: compute',
          'baseUrl: https://me:hunter2@a.test/v1',
          'keys: { primary: ${KEY} }',
        ].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:2:10: baseUrl: a base URL must not carry a user name or password
        2 | baseUrl: ‹hidden›
          |          ^
        Take them out; keys go under keys and are sent as bearer tokens.
      "
    `);
  });
});
