/** Servers that are wrong all over: the suite must end by itself, say so, and pass nothing that it did not see. */

import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderWith, plumbline } from './command.ts';

interface Liar {
  readonly name: string;
  readonly answer: RequestListener;
  /** Exit codes that are right about it. */
  readonly codes: readonly number[];
}

const liars: readonly Liar[] = [
  {
    name: 'answers 200 to everything',
    answer: (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    },
    codes: [1],
  },
  {
    name: 'answers 500 to everything',
    answer: (_request, response) => {
      response.writeHead(500, { 'Content-Type': 'application/json' }).end('{}');
    },
    codes: [1, 3],
  },
  {
    name: 'closes every connection',
    answer: (request) => request.socket.destroy(),
    codes: [3],
  },
];

const contracts = {
  compute: (port: number) =>
    `contract: compute\nbaseUrl: http://127.0.0.1:${port}/v1\nkeys: { primary: loopback-one, second: loopback-two }\nbindings: { terminate: "POST /instances/{id}/terminate" }\n`,
  router: (port: number) =>
    `contract: router\nbaseUrl: http://127.0.0.1:${port}\nkeys: { client: loopback-one, admin: loopback-two }\nmodels: { chat: some-model }\n`,
};

describe.for(liars)('a server that $name', ({ answer, codes }) => {
  const server = createServer(answer);
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test.for(Object.entries(contracts))('as %s', { timeout: 240_000 }, async ([, target]) => {
    const finished = await plumbline(
      ['run', 'liar.yaml'],
      folderWith({ 'liar.yaml': target(port) }),
    );
    expect(codes, finished.stderr + finished.stdout).toContain(finished.code);
    expect(finished.stderr).not.toContain('    at ');
    if (finished.code !== 1) return;
    const { requirements } = finished.report();
    expect(requirements.filter(({ verdict }) => verdict === 'error')).toEqual([]);
    const unseen = requirements.filter(
      ({ verdict, observations }) => verdict === 'passed' && observations === 0,
    );
    expect(unseen).toEqual([]);
  });
});
