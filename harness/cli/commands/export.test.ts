import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { folderOfTest } from '../result-files.test.support.ts';
import { exportContract } from './export.ts';

const folder = folderOfTest();

describe('export', () => {
  it.for([
    ['openapi', 'compute', 'openapi'],
    ['openapi', 'router', 'openapi'],
    ['json-schema', 'compute', '$defs'],
    ['json-schema', 'router', '$defs'],
  ] as const)('writes %s of %s', async ([form, contract, member]) => {
    const out = folder.file('out.json');
    await exportContract(form, contract, { out });
    expect(JSON.parse(readFileSync(out, 'utf8'))).toHaveProperty(member);
  });

  it('takes address and bindings from a target file, and no key', async () => {
    const out = folder.file('out.json');
    const target = folder.write(
      'target.yaml',
      'contract: compute\nbaseUrl: http://127.0.0.1:1/v1\nkeys: { primary: secret-of-the-test }\nbindings: { terminate: "POST /instances/{id}/end" }\n',
    );
    await exportContract('openapi', 'compute', { out, target });
    const text = readFileSync(out, 'utf8');
    expect(text).not.toContain('secret-of-the-test');
    expect(JSON.parse(text)).toMatchObject({
      servers: [{ url: 'http://127.0.0.1:1/v1' }],
      paths: { '/instances/{id}/end': { post: { operationId: 'terminateInstance' } } },
    });
  });

  it('refuses the target file of the other contract', async () => {
    const target = folder.write(
      'target.yaml',
      'contract: compute\nbaseUrl: http://127.0.0.1:1/v1\nkeys: { primary: k }\n',
    );
    await expect(exportContract('openapi', 'router', { target })).rejects.toMatchObject({
      name: 'CommandFailure',
      exitCode: 2,
      message: expect.stringContaining('describes a compute deployment'),
    });
  });

  it('says as a mistake of usage where it cannot write', async () => {
    const options = { out: folder.file('none/out.json') };
    await expect(exportContract('openapi', 'router', options)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('--out'),
    });
  });
});
