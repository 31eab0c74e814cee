import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { generateArtifacts, staleArtifacts, writeArtifacts } from './generate.ts';
import { folderOfTest } from './result-files.test.support.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const generated = generateArtifacts(project);
const everything = [...generated.keys()];

describe('the generated files', () => {
  it('on disk are current; if not, run node dist/harness/cli/generate.js', () => {
    expect([...staleArtifacts(project).keys()]).toEqual([]);
  });

  it('are JSON Schemas of the draft that OpenAPI 3.1 uses', () => {
    const schemas = everything.filter((file) => file.endsWith('.schema.json'));
    expect(schemas).toEqual([
      'docs/schema/target.schema.json',
      'docs/schema/report.schema.json',
      'docs/schema/deviations.schema.json',
    ]);
    for (const file of schemas) {
      expect(JSON.parse(generated.get(file) ?? '')).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
      });
    }
  });

  it('describe target files of both contracts, without room for unknown keys', () => {
    const schema: unknown = JSON.parse(generated.get('docs/schema/target.schema.json') ?? '');
    expect(schema).toMatchObject({
      oneOf: [
        {
          additionalProperties: false,
          properties: { contract: { const: 'compute' }, keys: { required: ['primary'] } },
          required: ['baseUrl', 'contract', 'keys'],
        },
        {
          additionalProperties: false,
          properties: { contract: { const: 'router' }, keys: { minProperties: 1 } },
          required: ['baseUrl', 'contract', 'keys'],
        },
      ],
    });
  });
});

describe('writing the generated files', () => {
  const folder = folderOfTest();

  it('writes those that are missing or out of date, and only those', () => {
    const root = folder.path;
    expect(writeArtifacts(root)).toEqual(everything);
    folder.write('docs/schema/report.schema.json', '{}\n');
    expect(writeArtifacts(root)).toEqual(['docs/schema/report.schema.json']);
    expect(writeArtifacts(root)).toEqual([]);
  });
});
