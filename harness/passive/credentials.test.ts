import { describe, expect, test } from 'vitest';
import { exchangeOf } from '../checks/compute/exchange.test.support.ts';
import { type HeaderLines, headerValues } from '../exchange/exchange.ts';
import { Credentials } from './credentials.ts';

const KNOWN = 'plk_the-key-of-the-file';
const UNKNOWN = 'sk-live-nobody-told-us';

const sentWith = (
  credentials: Credentials,
  requestHeaders: HeaderLines,
  more: Parameters<typeof exchangeOf>[0] = {},
) => credentials.named(exchangeOf({ requestHeaders, ...more }));

describe('the credential of a request', () => {
  test('has the name that it has in the target file', () => {
    const credentials = new Credentials({ primary: KNOWN });
    const { request } = sentWith(credentials, [['authorization', `Bearer ${KNOWN}`]]);
    expect(request.credential).toBe('primary');
    expect(request.headers).toEqual([['authorization', 'Bearer ‹key:primary›']]);
  });

  test('gets a name of its own when it is unknown, the same each time', () => {
    const credentials = new Credentials({ primary: KNOWN });
    const lines: HeaderLines = [['Authorization', `Bearer ${UNKNOWN}`]];
    const first = sentWith(credentials, lines).request;
    expect(first.credential).toBeUndefined();
    expect(first.headers).toEqual([['Authorization', 'Bearer ‹unknown key 1›']]);
    expect(sentWith(credentials, lines).request.headers).toEqual(first.headers);
    const other = sentWith(credentials, [['Authorization', 'Bearer another-key-altogether']]);
    expect(other.request.headers).toEqual([['Authorization', 'Bearer ‹unknown key 2›']]);
  });

  test.for([
    ['Authorization', `Bearer ${UNKNOWN}`],
    ['authorization', UNKNOWN],
    ['Proxy-Authorization', `Basic ${Buffer.from(`me:${UNKNOWN}`).toString('base64')}`],
    ['x-api-key', UNKNOWN],
    ['api-key', UNKNOWN],
    ['X-Goog-Api-Key', UNKNOWN],
    ['X-Auth-Token', UNKNOWN],
    ['Cookie', `theme=dark; session=${UNKNOWN}`],
  ] as const)('is taken out of %s, and of wherever else it stands', ([name, value]) => {
    const credentials = new Credentials({ primary: KNOWN });
    const { request } = sentWith(credentials, [[name, value]]);
    expect(JSON.stringify(request.headers)).not.toContain(UNKNOWN);
    const clean = credentials.redactor.text(
      `{"echo":"${UNKNOWN}"} /keys/${encodeURIComponent(UNKNOWN)}?k=${Buffer.from(UNKNOWN).toString('base64')}`,
    );
    expect(clean).not.toContain(UNKNOWN);
    expect(clean).not.toContain(Buffer.from(UNKNOWN).toString('base64').slice(0, 20));
  });

  test('in a query is taken out of it', () => {
    const credentials = new Credentials({});
    sentWith(credentials, [], { query: `api_key=${UNKNOWN}&size=3` });
    expect(credentials.redactor.text(`/v1/x?api_key=${UNKNOWN}&size=3`)).not.toContain(UNKNOWN);
  });

  test('that is none stays as it is', () => {
    const credentials = new Credentials({ primary: KNOWN });
    for (const value of ['Bearer', '', 'Bearer ', 'Bearer ‹key:primary›']) {
      const { request } = sentWith(credentials, [['Authorization', value]]);
      expect(headerValues(request.headers, 'authorization')).toEqual([value.trim()]);
    }
    expect(
      sentWith(credentials, [['Authorization', 'Bearer ‹key:primary›']]).request.credential,
    ).toBe('primary');
  });
});

test('a cookie that a server sets is taken out of its answer', () => {
  const credentials = new Credentials({});
  const { response } = sentWith(credentials, [], {
    headers: [['Set-Cookie', `session=${UNKNOWN}; Path=/; HttpOnly`]],
  });
  expect(response?.headers).toEqual([['Set-Cookie', 'session=‹cookie›; Path=/; HttpOnly']]);
  expect(credentials.redactor.text(UNKNOWN)).not.toContain(UNKNOWN);
});

test('more keys than can be remembered are told, and each is still taken out of its own header', () => {
  const credentials = new Credentials({}, 50);
  for (let at = 0; at <= 50; at += 1) {
    const key = `sk-${String(at).padStart(20, '0')}`;
    const { request } = sentWith(credentials, [['Authorization', `Bearer ${key}`]]);
    expect(JSON.stringify(request.headers)).not.toContain(key);
  }
  expect(credentials.overflows).toBe(true);
});
