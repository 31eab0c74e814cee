import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { command, ResultFolder } from './result-files.test.support.ts';

let folder: ResultFolder;
let server: Server;
let asked = 0;
let file = '';
beforeEach(async () => {
  folder = new ResultFolder();
  asked = 0;
  server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(401).end('{}');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  file = folder.write('t.yaml', text(port, 'consent: { terminate: true }'));
  folder.write('reads.yaml', text(port, ''));
  vi.spyOn(process, 'cwd').mockReturnValue(folder.path);
});
afterEach(async () => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  folder.close();
});

function text(port: number | undefined, consent: string): string {
  return `contract: compute
baseUrl: http://127.0.0.1:${port}/v1
keys: { primary: loopback }
bindings: { terminate: "POST /instances/{id}/terminate" }
instances: { provision: { command: ./make.sh } }
${consent}
`;
}

const run = async (target: string) => command('run', target, '--out', folder.file('report'));

test('a journal that is a folder is said by sweep, and before a run that would make instances', async () => {
  mkdirSync(folder.file('.plumbline/journal.ndjson'), { recursive: true });
  for (const { code, stderr } of [await command('sweep'), await run(file)]) {
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^\.plumbline\/journal\.ndjson: it is a folder\..*\n$/u),
    });
  }
  expect(asked).toBe(0);
});

test('one that cannot be written is said before the run', async () => {
  folder.write('.plumbline', 'a file in the way');
  const { code, stderr } = await run(file);
  expect([code, asked]).toEqual([2, 0]);
  expect(stderr).toMatch(/^\.plumbline\/journal\.ndjson: .*no folder.*\n$/u);
});

test('a run that makes nothing needs none', async () => {
  folder.write('.plumbline', 'a file in the way');
  expect((await run(folder.file('reads.yaml'))).code).toBe(3);
});

test('lines that sweep cannot read are named, and nobody is told that nothing is left', async () => {
  folder.write('.plumbline/journal.ndjson', 'garbage\n{"kind":"gone"}\n');
  const { code, stdout } = await command('sweep');
  expect(code).toBe(3);
  expect(stdout).toMatch(/Line 1 of .*journal\.ndjson cannot be read: garbage/u);
  expect(stdout).toMatch(/Line 2 of /u);
  expect(stdout).not.toContain('Nothing is left over');
});

test('without a journal nothing is left over', async () => {
  expect(await command('sweep')).toMatchObject({ code: 0, stdout: 'Nothing is left over.\n' });
});
