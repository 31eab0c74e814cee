/** Servers with sound HTTP and bad contents. */

import { randomUUID } from 'node:crypto';
import { type BadServer, type Call, saying, whole } from './bad-server.ts';

/** Servers that answer each request with one of these bodies, with the type JSON. */
function holding(
  bodies: Readonly<Record<string, string | Uint8Array>>,
  explains?: RegExp,
): readonly BadServer[] {
  const answers = Object.entries(bodies).map(([name, body]) => [name, whole(body)]);
  return saying(Object.fromEntries(answers), explains);
}

const listing = (items: string): string => `{"data":[${items}],"pagination":{"next":null}}`;

function redirects(name: string, to: (call: Call) => string): BadServer {
  return {
    name,
    answer: (call) => void call.socket.write(whole('', [`Location: ${to(call)}`], '302 Found')),
  };
}

function limits(name: string, retryAfter: string, explains: RegExp): readonly BadServer[] {
  const body = '{"error":{"code":"RATE_LIMITED","message":"wait","request_id":"r"}}';
  const headers = ['Content-Type: application/json', `Retry-After: ${retryAfter}`];
  return saying({ [name]: whole(body, headers, '429 Too Many Requests') }, explains);
}

function pages(name: string, next: () => string): BadServer {
  const page = (): string =>
    `{"data":[],"presets":[],"pagination":{"next":${JSON.stringify(next())}}}`;
  return { name, answer: ({ socket }) => void socket.write(whole(page())) };
}

const record = { instance_id: randomUUID(), name: 'n', status: 'RUNNING', created_at: 'yesterday' };
const nothing = listing('');

export const badContents: readonly BadServer[] = [
  ...holding({ 'is empty': '' }, /is empty|401/u),
  ...holding({
    'is null': 'null',
    'is a number beyond double': `{"data":[{"current_cost":1e999}],"pagination":{"next":null,"size":1e400}}`,
    'is a number of a million digits': `{"data":${'9'.repeat(1_000_000)}}`,
    'is not UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
    'has lone surrogates': String.raw`{"data":[{"name":"\ud800"}],"pagination":{"next":"\udfff"}}`,
    'has a byte order mark': `\uFEFF${nothing}`,
    'is nested 400 deep': `{"data":${'['.repeat(400)}${']'.repeat(400)},"pagination":{"next":null}}`,
    'repeats members': '{"data":[],"data":null,"data":[1],"pagination":{"next":null,"next":"a"}}',
    'has __proto__':
      '{"__proto__":{"data":[],"isAdmin":true},"constructor":{"prototype":{"x":1}},"data":[{"__proto__":{"instance_id":"x"}}],"pagination":{"next":null,"__proto__":[]}}',
    'has members of Object.prototype':
      '{"toString":1,"hasOwnProperty":2,"data":[{"toString":null,"valueOf":3}],"pagination":{"next":null}}',
    'has a text of 5 megabytes': listing(`{"name":"${'a'.repeat(5 << 20)}"}`),
    'has a page of 100,000 empty items': listing(`${'{},'.repeat(99_999)}{}`),
    'has a page of 240,000 numbers': listing(`${'0,'.repeat(239_999)}0`),
    'has items of every kind': listing('1,"a",null,[],{},true,[[]]'),
    'has arrays for objects': '[[],[],[]]',
    'has control characters': '{"data":"\u0001\u0002","pagination":{"next":"\u0000"}}',
    'has terminal escapes': String.raw`{"error":{"code":"\u001b[2J\u001b]0;gone\u0007","message":"\u001b[31m","request_id":"\u001b[0m"}}`,
    'has script in its texts':
      '{"error":{"code":"</script><script>alert(1)</script>","message":"<img src=x onerror=alert(1)>","request_id":"r"}}',
  }),
  ...holding(
    {
      'is nested 100,000 deep': '['.repeat(100_000) + ']'.repeat(100_000),
      'has data nested 50,000 deep': `{"data":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
    },
    /nested deeper than/u,
  ),
  ...holding(
    { 'has a page of 100,000 items': listing(Array(100_000).fill(JSON.stringify(record)).join()) },
    /passed \d+ bytes/u,
  ),
  {
    name: 'has pages of 50,000 instances, none of them twice',
    answer: ({ socket }) => {
      const items = Array.from({ length: 50_000 }, () => `{"instance_id":"${randomUUID()}"}`);
      socket.write(whole(listing(items.join())));
    },
  },
  ...saying(
    {
      'is a captive portal': whole('<html><form>Log in to the hotel', ['Content-Type: text/html']),
    },
    /text\/html|not JSON/u,
  ),
  ...holding(
    { 'is HTML that says that it is JSON': '<!doctype html><h1>502 Bad Gateway</h1>' },
    /not JSON/u,
  ),
  redirects('redirects to itself', ({ path }) => path),
  redirects('redirects on and on', ({ before }) => `/v1/instances?again=${before}`),
  redirects('redirects elsewhere', () => 'http://127.0.0.1:9/stolen'),
  redirects('redirects to a file', () => 'file:///etc/passwd'),
  ...limits('asks to wait a year', '31536000', /asked to wait 31536000 s|429/u),
  ...limits('asks to wait a negative time', '-5', /-5|429/u),
  ...limits('asks to wait for garbage', 'soon; 9e99', /soon; 9e99|429/u),
  ...limits('asks to wait until a date', 'Fri, 31 Dec 9999 23:59:59 GMT', /31 Dec 9999|429/u),
  pages('has cursors without end', () => randomUUID()),
  pages('has the same cursor again and again', () => 'again'),
  {
    ...pages('has cursors of a megabyte', () => 'c'.repeat(1 << 20)),
    // On a busy machine the memory for such pages may run out before anything is found.
    explains: /ended "unread"/u,
    isRead: true,
  },
  pages('has cursors of control characters', () => '\r\nHost: elsewhere\r\n\r\n'),
  {
    name: 'answers each request otherwise',
    answer: ({ socket, before }) => {
      const answers = [nothing, '{}', '[]', 'null', '"a"', '{"error":null}', '{"data":{}}'];
      const statuses = ['200 OK', '201 Created', '204 No Content', '404 Not Found', '500 Oh'];
      socket.write(
        whole(answers[before % 7] ?? '', undefined, statuses[before % statuses.length] ?? '200 OK'),
      );
    },
  },
  {
    name: 'answers 500 half of the time',
    answer: ({ socket, before }) =>
      void socket.write(before % 2 === 0 ? whole(nothing) : whole('{}', undefined, '500 Oh')),
  },
];
