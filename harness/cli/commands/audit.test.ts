import { afterEach, describe, expect, test, vi } from 'vitest';
import { audit, type AuditOptions } from './audit.ts';
import { folderOfTest } from '../result-files.test.support.ts';

const folder = folderOfTest();
afterEach(() => vi.restoreAllMocks());

const usual: AuditOptions = {
  only: [],
  out: '',
  strict: false,
  reporter: [],
  json: false,
  exclusive: false,
};

/** Writes the recording and judges it. */
async function audited(
  name: string,
  content: string,
  options: Partial<AuditOptions> = {},
): Promise<number> {
  const file = folder.write(name, content);
  return audit([file], { ...usual, out: folder.file('report'), ...options });
}

const line = (url: string): string =>
  JSON.stringify({
    request: { method: 'GET', url },
    response: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
  });
const two = [line('https://a.example/v1/models'), line('https://b.example/v1/models')].join('\n');

describe('what cannot be judged is said', () => {
  test.for([
    ['broken.har', '{"log":', {}, /broken\.har is not JSON/u],
    ['empty.har', '{"log":{"entries":[]}}', {}, /no documented path/u],
    ['other.ndjson', line('https://a.example/index.html'), {}, /no documented path/u],
    [
      'other.ndjson',
      line('https://a.example/index.html'),
      { contract: 'router' },
      /path of a router deployment\. .*or with --base-url\.$/u,
    ],
    ['c.yaml', 'contract: router\n', {}, /c\.yaml is neither HAR nor NDJSON/u],
    ['c.yaml', '{"contract":"router"}', {}, /c\.yaml is neither HAR nor NDJSON/u],
    ['two.ndjson', two, {}, /several deployments[\s\S]*a\.example[\s\S]*b\.example/u],
    [
      'two.ndjson',
      two,
      { contract: 'compute', baseUrl: 'https://a.example' },
      /base URL of a compute target ends in \/v1/u,
    ],
    ['two.ndjson', two, { only: ['compute.no-such'] }, /no requirement has this id/u],
  ] as const)('%s', async ([name, content, options, told]) => {
    const failure = await audited(name, content, options).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringMatching(told) });
  });

  test('a file that is not there', async () => {
    const missing = audit([folder.file('missing.har')], { ...usual, out: folder.path });
    await expect(missing).rejects.toMatchObject({
      message: expect.stringMatching(/missing\.har cannot be read/u),
    });
  });
});

describe('what was judged decides the exit code', () => {
  test('nothing of the deployment: 5, with where the requests went', async () => {
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const elsewhere = { contract: 'router', baseUrl: 'https://c.example' } as const;
    expect(await audited('two.ndjson', two, elsewhere)).toBe(5);
    expect(told.mock.calls.join('')).toContain('add --base-url https://a.example.\n');
  });

  test('a violation: 1', async () => {
    expect(await audited('one', line('https://a.example/v1/models'))).toBe(1);
  });
});
