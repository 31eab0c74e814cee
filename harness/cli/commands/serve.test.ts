import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadTarget } from '../../contracts/target-file.ts';
import { folderOfTest } from '../result-files.test.support.ts';
import { serveReference } from './serve.ts';

const folder = folderOfTest();

/** Starts a server, to be closed with the test, and returns its announcement. */
async function announced(...given: Parameters<typeof serveReference>): Promise<string> {
  const serving = await serveReference(...given);
  onTestFinished(async () => serving.close());
  return serving.announcement;
}

describe.each([
  { contract: 'compute', key: 'primary', path: '/instances' },
  { contract: 'router', key: 'client', path: '/v1/models' },
] as const)('serve $contract', (served) => {
  it('answers to the keys of the target file that it prints and writes', async () => {
    const file = folder.file(`${served.contract}.yaml`);
    const announcement = await announced(served.contract, { port: 0, file });
    const { target, secrets } = await loadTarget(file, {});
    expect(target.contract).toBe(served.contract);
    expect(announcement).toContain(readFileSync(file, 'utf8'));
    expect(announcement).toContain(`plumbline run ${file}`);
    const headers = { authorization: `Bearer ${secrets[served.key] ?? ''}` };
    const answer = await request(`${target.baseUrl}${served.path}`, { headers });
    expect(answer.statusCode).toBe(200);
    expect(await answer.body.json()).toMatchObject({ data: expect.any(Array) });
  });

  it('says as a mistake of usage that its port is taken', async () => {
    const first = await announced(served.contract, { port: 0 });
    const port = Number(/127\.0\.0\.1:(\d+)/u.exec(first)?.[1]);
    await expect(serveReference(served.contract, { port })).rejects.toMatchObject({
      name: 'CommandFailure',
      exitCode: 2,
      message: `Port ${port} of 127.0.0.1 is in use. Choose another --port, or end what uses it.`,
    });
  });

  it('replaces no target file that somebody wrote of another deployment', async () => {
    const text = `contract: ${served.contract}\nbaseUrl: https://staging.example.com/v1\n`;
    const file = folder.write('staging.yaml', text);
    await expect(serveReference(served.contract, { port: 0, file })).rejects.toThrow(
      /is not replaced\. Name another file\.$/u,
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('says as a mistake of usage that the file cannot be written', async () => {
    await expect(
      serveReference(served.contract, { port: 0, file: folder.path }),
    ).rejects.toMatchObject({
      name: 'CommandFailure',
      exitCode: 2,
      message: expect.stringMatching(
        /could not be written \(.*\)\. Name another file with --file\.$/su,
      ),
    });
  });
});

describe('serve compute', () => {
  it('makes its data from the seed', async () => {
    const keyOf = async (seed: number): Promise<string> => {
      const file = folder.file('seeded.yaml');
      const serving = await serveReference('compute', { port: 0, seed, file });
      await serving.close();
      return (await loadTarget(file, {})).secrets['primary'] ?? '';
    };
    const first = await keyOf(7);
    expect(await keyOf(7)).toBe(first);
    expect(await keyOf(8)).not.toBe(first);
  });
});

describe('serve compute --fault', () => {
  const broken = (fault: string) => announced('compute', { port: 0, fault: [fault] });

  it('breaks the contract in that way, and says so', async () => {
    const announcement = await broken('list-instances-size-201-is-served');
    const [, url = ''] = /answers at (\S+):\n/u.exec(announcement) ?? [];
    const [, key = ''] = /primary: (\S+)/u.exec(announcement) ?? [];
    expect(announcement).toContain('It breaks compute.list-instances.size-above-maximum');
    const headers = { authorization: `Bearer ${key}` };
    const answer = await request(`${url}/instances?size=201`, { headers });
    await answer.body.dump();
    expect(answer.statusCode).toBe(200);
  });

  it('names the fault that was probably meant', async () => {
    await expect(broken('list-instances-size-201-is-serve')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('Did you mean list-instances-size-201-is-served?'),
    });
  });
});
