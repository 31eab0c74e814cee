import { describe, expect, it } from 'vitest';
import { refusal } from './refusal.test.support.ts';

describe('a target file is refused for', () => {
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
});
