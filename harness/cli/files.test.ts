import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { describe, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { requireReportFolder } from './files.ts';
import { command, folderOfTest, one, reportOf } from './result-files.test.support.ts';
import { http } from '../exchange/client.test.support.ts';

/** A deployment that refuses every request and counts them. */
const folder = folderOfTest();
let asked = 0;
let target = '';
beforeEach(async () => {
  asked = 0;
  const baseUrl = await http((_request, response) => {
    asked += 1;
    response.writeHead(401).end('{}');
  });
  const text = `contract: compute\nbaseUrl: ${baseUrl}\nkeys: { primary: loopback }\n`;
  target = folder.write('target.yaml', text);
});
afterEach(() => void vi.restoreAllMocks());

describe('journal file', () => {
  let file = '';
  beforeEach(() => {
    const makes = `${readFileSync(target, 'utf8')}bindings: { terminate: "POST /instances/{id}/terminate" }
instances: { provision: { command: ./make.sh } }
`;
    file = folder.write('t.yaml', `${makes}consent: { terminate: true }\n`);
    folder.write('reads.yaml', makes);
    vi.spyOn(process, 'cwd').mockReturnValue(folder.path);
  });

  const run = async (name: string) => command('run', name, '--out', folder.file('report'));

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

  test('without a journal nothing can be told; one of a run that ended well is gone from its folder', async () => {
    const none = await command('sweep');
    expect(none).toMatchObject({ code: 3, stdout: expect.stringContaining('--search') });
    mkdirSync(folder.file('.plumbline'));
    for (const files of [[], [file]]) {
      const swept = await command('sweep', ...files);
      expect(swept).toMatchObject({ code: 0, stdout: 'Nothing is left over.\n' });
    }
  });
});

describe('report folder', () => {
  /** Paths where no report can be written, with the expected message. */
  const impossible: readonly (readonly [what: string, out: () => string, says: RegExp])[] = [
    ['nothing', () => '', /it names nothing/u],
    ['a file', () => target, /it is a file/u],
    ['below a file', () => `${target}/deep/report`, /target\.yaml is no folder/u],
    [
      'where the system makes everything',
      () => '/proc/report',
      /nothing can be written in \/proc/u,
    ],
  ];

  test.for(impossible)(
    '--out that is %s is refused before anything is sent',
    async ([, out, says]) => {
      const har = folder.write('a.har', '{"log":{"entries":[]}}');
      const shard = folder.write(
        '1.json',
        reportOf({ held: [one] }, { shard: { index: 1, of: 1 } }),
      );
      for (const argv of [
        ['run', target],
        ['observe', target, '--listen', '127.0.0.1:0'],
        ['audit', har],
        ['merge', shard],
        ['report', shard, '--reporter', 'markdown'],
      ]) {
        const { code, stderr } = await command(...argv, '--out', out());
        expect({ argv, code, stderr }).toEqual({
          argv,
          code: 2,
          stderr: expect.stringMatching(says),
        });
      }
      expect(asked).toBe(0);
    },
  );

  // Root may write everywhere.
  test.skipIf(process.getuid?.() === 0)('a folder without leave is refused as well', async () => {
    chmodSync(folder.path, 0o500);
    const { code } = await command('run', target, '--out', folder.file('report'));
    chmodSync(folder.path, 0o700);
    expect([code, asked]).toEqual([2, 0]);
  });

  test('trying it leaves nothing behind', async () => {
    const before = readdirSync(folder.path);
    expect((await command('run', target, '--out', folder.file('a/b'))).code).toBe(3);
    expect(readdirSync(folder.path)).toEqual(before);
  });

  test('when writing fails late all the same, the verdict is told', async () => {
    const shard = folder.write('1.json', reportOf({ held: [one] }, { shard: { index: 1, of: 1 } }));
    // `--out` is not checked for obstacles to single files.
    folder.write('whole/conformance.json/in-the-way', '');
    const { code, stdout, stderr } = await command('merge', shard, '--out', folder.file('whole'));
    expect(code).toBe(4);
    expect(stdout).toContain('keeps the compute contract');
    expect(stderr).toContain('could not be written');
  });
});

test('a signed result is replaced only with --force', () => {
  folder.write('attestation.json', '{}');
  expect(() => requireReportFolder(folder.path)).toThrow(/holds a result that is signed.*--force/u);
  expect(() => requireReportFolder(folder.path, true)).not.toThrow();
});

test('fixtures keeps a target file that was edited beside the new one', async () => {
  const out = folder.file('fixtures');
  const write = async () => command('fixtures', 'router', '--out', out);
  expect((await write()).stderr).not.toContain('Kept');
  const edited = `${readFileSync(`${out}/target.yaml`, 'utf8')}# mine\n`;
  folder.write('fixtures/target.yaml', edited);
  expect((await write()).stderr).toContain(`Kept the ${out}/target.yaml`);
  expect(readFileSync(`${out}/target.yaml.old`, 'utf8')).toBe(edited);
  expect((await write()).stderr).not.toContain('Kept');
  folder.write('fixtures/target.yaml', '# mine again\n');
  expect((await write()).stderr).toContain(`as ${out}/target.yaml.old.old;`);
  expect(readFileSync(`${out}/target.yaml.old`, 'utf8')).toBe(edited);
});

test('fixtures says that a folder stands in the place of its target file', async () => {
  const out = folder.file('taken');
  mkdirSync(`${out}/target.yaml`, { recursive: true });
  const { code, stderr } = await command('fixtures', 'router', '--out', out);
  expect(code).toBe(2);
  expect(stderr).toContain(`${out}/target.yaml could not be written (EISDIR)`);
});

const ID = 'router.endpoints.models-list-data';
const recorded = JSON.stringify({
  request: { method: 'GET', url: 'https://staging.example/v1/models' },
  response: { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' },
});

/** Audits with one declared deviation of this target, and returns what was printed on stderr. */
async function audited(name: string): Promise<string> {
  const har = folder.write('a.ndjson', recorded);
  const entry = `- { requirement: ${ID}, reason: known, expires: 2999-12-31, target: ${name} }\n`;
  const file = folder.write('known.yaml', entry);
  const out = folder.file('report');
  return (await command('audit', har, '--deviations', file, '--out', out)).stderr;
}

test('a deviation of no target of the run is told, with what was meant where that is near', async () => {
  expect(await audited('stagin.example')).toMatch(
    /known\.yaml: .*models-list-data is for the target stagin\.example, .*Did you mean staging\.example\?/u,
  );
  expect(await audited('production')).toContain('This run judges staging.example.');
  expect(await audited('staging.example')).not.toContain('known.yaml');
});

test('the help of observe shows addresses as they are written', async () => {
  const { stdout } = await command('observe', '--help');
  expect(stdout).toContain('127.0.0.1:8080');
  expect(stdout).not.toContain('{"host"');
});

test('a target that is called by its host is named once', async () => {
  const keys = 'contract: compute\nbaseUrl: http://127.0.0.1:1/v1\nkeys: { primary: a-key }\n';
  const out = folder.file('report');
  const told = async (name: string) =>
    (await command('run', folder.write('t.yaml', `name: ${name}\n${keys}`), '--out', out)).stderr;
  expect(await told('127.0.0.1:1')).toMatch(/^127\.0\.0\.1:1 could not be reached/u);
  expect(await told('staging')).toMatch(/^staging: 127\.0\.0\.1:1 could not be reached/u);
});
