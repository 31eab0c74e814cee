import { describe, expect, it } from 'vitest';
import { refusal, routerFile } from './refusal.test.support.ts';

describe('a target file is refused, without showing a key, for', () => {
  it('a variable for the keys', () => {
    expect(refusal(['contract: compute', 'baseUrl: https://a.test/v1', 'keys: ${KEY}'].join('\n')))
      .toMatchInlineSnapshot(`
        "
        my.yaml:3:7: keys: expected a mapping, found text
          3 | keys: \${KEY}
            |       ^
          Correct the value.
        "
      `);
  });

  it('a variable for a number', () => {
    expect(refusal(routerFile('limits: { queueSize: ${KEY} }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:22: limits.queueSize: expected a number, found text
        4 | limits: { queueSize: \${KEY} }
          |                      ^
        Correct the value.
      "
    `);
  });

  it('a variable that is not set', () => {
    expect(
      refusal(
        ['contract: compute', 'baseUrl: https://${HOST}/v1', 'keys: { primary: ${NOT_SET} }'].join(
          '\n',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:18: keys.primary: the environment has no NOT_SET
        3 | keys: { primary: \${NOT_SET} }
          |                  ^
        Set it, as in: export NOT_SET=…
      "
    `);
  });

  it('a variable set to nothing', () => {
    expect(
      refusal(
        ['contract: compute', 'baseUrl: https://a.test/v1', 'keys: { primary: ${EMPTY} }'].join(
          '\n',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:18: keys.primary: the environment variable EMPTY is empty
        3 | keys: { primary: \${EMPTY} }
          |                  ^
        Set it, or take the line out: what needs it is then not exercised.
      "
    `);
  });

  it('a variable with a default', () => {
    expect(
      refusal(
        ['contract: compute', 'baseUrl: https://a.test/v1', 'keys: { primary: ${KEY:-abc} }'].join(
          '\n',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:18: keys.primary: \${KEY:-abc} names no environment variable
        3 | keys: { primary: \${KEY:-abc} }
          |                  ^
        Write \${NAME} with letters, digits and _ only; there are no default values.
      "
    `);
  });

  it('a key where the name of a variable should be', () => {
    expect(
      refusal(
        [
          'contract: router',
          'baseUrl: https://a.test',
          'keys: { client: ${sk-1234567890abcdef}, second: ${sk1234567890abcdef} }',
        ].join('\n'),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:17: keys.client: \${‹hidden›} names no environment variable
        3 | keys: { client: ‹hidden›, second: ‹hidden› }
          |                 ^
        Write \${NAME} with letters, digits and _ only; there are no default values.

      my.yaml:3:35: keys.second: the environment has no ‹hidden›
        3 | keys: { client: ‹hidden›, second: ‹hidden› }
          |                                   ^
        Set it, as in: export ‹hidden›=…
      "
    `);
  });

  it('a key with a line break at its end', () => {
    expect(
      refusal(
        ['contract: compute', 'baseUrl: https://a.test/v1', 'keys: { primary: ${BROKEN} }'].join(
          '\n',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:18: keys.primary: the key starts or ends with a space or a line break
        3 | keys: { primary: \${BROKEN} }
          |                  ^
        Give the bare key.
      "
    `);
  });

  it('a key with a space in it', () => {
    expect(
      refusal(
        ['contract: compute', 'baseUrl: https://a.test/v1', 'keys: { primary: ${SPACED} }'].join(
          '\n',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      my.yaml:3:18: keys.primary: the key has a space or a character that no header can carry
        3 | keys: { primary: \${SPACED} }
          |                  ^
        Give the bare key.
      "
    `);
  });
});
