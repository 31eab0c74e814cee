/** Failures before any judgement: one clear message with advice, the right exit code, no stack trace. */

import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { folderWith, plumbline } from './command.ts';
import { http } from '../../harness/exchange/client.test.support.ts';
import { listening } from '../../harness/exchange/listening.test.support.ts';

const target = (baseUrl: string): string =>
  `contract: compute\nbaseUrl: ${baseUrl}\nkeys: { primary: some-loopback-key }\n`;

async function expectRefusal(
  files: Readonly<Record<string, string>>,
  args: readonly string[],
  code: number,
  says: readonly RegExp[],
): Promise<void> {
  const finished = await plumbline(args, folderWith(files));
  const { told } = finished;
  expect(finished.code, told).toBe(code);
  for (const pattern of says) expect(told).toMatch(pattern);
  expect(told).not.toMatch(/^\s+at /mu);
  expect(told).not.toContain('some-loopback-key');
}

describe('the target file', () => {
  const elsewhere = 'contract: compute\nbaseUrl: https://example.com/v1\n';
  test.for<[string, string | undefined, ...RegExp[]]>([
    ['is not there', undefined, /t\.yaml/u, /no such file/u],
    [
      'has a key that is not known',
      `${target('http://127.0.0.1:1/v1')}budgets: { requests: 5 }\n`,
      /t\.yaml:4/u,
      /budget/u,
    ],
    [
      'reads a variable that is not set',
      `${elsewhere}keys: { primary: "\${NOT_SET_ANYWHERE}" }\n`,
      /NOT_SET_ANYWHERE/u,
    ],
    [
      'holds a secret for a deployment elsewhere',
      target('https://example.com/v1'),
      /keys\.primary/u,
      /set that variable/u,
    ],
  ])('%s', async ([, text, ...says]) => {
    await expectRefusal(text === undefined ? {} : { 't.yaml': text }, ['run', 't.yaml'], 2, says);
  });
});

describe('the deployment', () => {
  const expectNoRun = async (baseUrl: string, ...says: readonly RegExp[]) =>
    expectRefusal({ 't.yaml': target(baseUrl) }, ['run', 't.yaml'], 3, says);

  test('does not listen', async () => {
    const { port, close } = await listening(createServer());
    await close();
    const nowhere = `http://127.0.0.1:${port}/v1`;
    await expectNoRun(nowhere, /could not be reached/u, /Nothing listens there/u);
  });

  test('does not accept the key', async () => {
    const baseUrl = await http((_request, response) => {
      response.writeHead(401, { 'Content-Type': 'application/json' });
      response.end('{"error":{"code":"UNAUTHORIZED","message":"no","request_id":"r"}}');
    });
    await expectNoRun(baseUrl, /does not accept the key "primary"/u, /keys\.primary/u);
  });

  test('is behind something that refuses by itself', async () => {
    const baseUrl = await http((_request, response) => {
      response.writeHead(403, { 'Content-Type': 'text/html' }).end('<h1>Forbidden</h1>');
    });
    await expectNoRun(baseUrl, /forbids the key/u, /in front of the service/u);
  });

  test.for([
    [200, 'text/html'],
    [421, 'text/plain'],
  ] as const)('is another web site: %j', async ([status, type]) => {
    const baseUrl = await http((_request, response) => {
      response.writeHead(status, { 'Content-Type': type }).end('<h1>Welcome</h1>');
    });
    await expectNoRun(baseUrl, /another web site/u, /baseUrl/u);
  });

  test('redirects elsewhere, and gets no key there', async () => {
    let keys = 0;
    const elsewhere = await http((request, response) => {
      if (request.headers.authorization !== undefined) keys += 1;
      response.end('{}');
    });
    const baseUrl = await http((_request, response) => {
      response.writeHead(302, { Location: elsewhere }).end();
    });
    await expectNoRun(baseUrl, /redirects to/u);
    expect(keys).toBe(0);
  });
});

test('an address at which something else listens ends observe at once', async () => {
  const baseUrl = await http((_request, response) => response.end('{}'));
  const file = { 't.yaml': target(baseUrl) };
  const taken = new URL(baseUrl).host;
  for (const where of ['--listen', '--page']) {
    const other = where === '--listen' ? [] : ['--listen', '127.0.0.1:0'];
    await expectRefusal(file, ['observe', 't.yaml', ...other, where, taken], 2, [
      new RegExp(`${where} ${taken}: .*EADDRINUSE`, 'u'),
    ]);
  }
});

describe('the command line', () => {
  test.for([
    [['run', '--sed', '1'], /Did you mean --seed/u],
    [['rum'], /Did you mean run/u],
    [['run', '--shard', '4/3'], /I\/N/u],
    [['run', '--section', 'regions', '--section', 'presets'], /--section <NAME>' is given twice/u],
    [['backend', '--listen', '1', '--listen', '2'], /host:port/u],
  ] as const)('%j', async ([args, says]) => {
    await expectRefusal({}, args, 2, [says]);
  });
});
