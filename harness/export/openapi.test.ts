import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { requirementsOf } from '../../schemas/contracts.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { ComputeBindings } from '../../schemas/compute/target.ts';
import { computeExporter } from './compute.ts';
import { type JsonObject, schemaAlong } from './openapi.ts';
import { routerExporter } from './router.ts';

const VERSION = '1.2.3';
const bindings: ComputeBindings = {
  terminate: 'POST /instances/{id}/terminate',
  start: 'PUT /instances/{id}/power/on',
  regions: { codes: '$[*].name' },
  presets: {
    items: 'data',
    filters: { sku: 'sku', freeText: 'search' },
    fields: { price: '$.cost.hourly' },
  },
};

const documents: readonly { name: string; contract: Contract; document: JsonObject }[] = [
  { name: 'compute', contract: 'compute', document: computeExporter.openApi({}, VERSION) },
  {
    name: 'compute of a deployment',
    contract: 'compute',
    document: computeExporter.openApi({ baseUrl: 'https://compute.test/v1', bindings }, VERSION),
  },
  { name: 'router', contract: 'router', document: routerExporter.openApi({}, VERSION) },
];

/** Requirement ids of every extension in a document, with repetitions. */
function idsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'x-plumbline-requirements' && Array.isArray(inner) ? inner.map(String) : idsIn(inner),
  );
}

function rootIds(document: JsonObject): readonly string[] {
  return [document['x-plumbline-requirements']].flat().map(String);
}

describe.for(documents)('OpenAPI of $name', ({ contract, document }) => {
  it('is valid to a validator that is not ours', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('names every requirement of the contract at one place', () => {
    const all = requirementsOf(contract).map(({ id }) => id);
    expect([...idsIn(document)].toSorted()).toEqual([...all].toSorted());
    expect(Object.keys(Object(document['x-plumbline-catalogue']))).toEqual(all);
  });
});

/** Constructs that make client generators leave out a type or number it. */
describe.for(documents)('types of clients from OpenAPI of $name', ({ document }) => {
  const { responses, schemas } = Object(document['components']);
  const operations = Object.values(Object(document['paths'])).flatMap((path) =>
    Object.values<object>(Object(path)),
  );

  it('have names for the body of every error and for what is in it', () => {
    const bodies = Object.values(responses).flatMap((one) =>
      Object.values(Object(one).content ?? {}),
    );
    expect(bodies.length).toBeGreaterThan(5);
    for (const body of bodies) {
      const [, name = ''] =
        /^#\/components\/schemas\/(Error\w*)$/u.exec(Object(body).schema.$ref) ?? [];
      expect(schemas[name]).toMatchObject({
        properties: { error: { $ref: `#/components/schemas/${name}Fields` } },
      });
      expect(schemas[`${name}Fields`]).toBeDefined();
    }
  });

  it('join no constant with the type that it narrows, and nothing that has no type', () => {
    const joined = Object.values(schemas).flatMap((schema) => Object(schema).allOf ?? []);
    expect(joined.filter((part) => part.$ref === undefined && part.type !== 'object')).toEqual([]);
    expect(JSON.stringify(joined)).not.toMatch(/"type":"string","const"|"allOf"/u);
  });

  it('know JSON as a success that has a body', () => {
    const bodies = operations.flatMap(
      (operation) => Object(operation).responses['2XX']?.content ?? [],
    );
    expect(bodies.length).toBeGreaterThan(1);
    for (const body of bodies) expect(Object.keys(body)).toContain('application/json');
  });
});

describe('OpenAPI', () => {
  it('that is broken is not valid', async () => {
    const broken = { ...computeExporter.openApi({}, VERSION), paths: { instances: {} } };
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });

  it('has what bindings name, and says of the rest that it is open', () => {
    const [open, bound] = documents.map(({ document }) => document);
    expect(Object.keys(Object(open?.['paths']))).not.toContain('/instances/{id}/terminate');
    expect(Object(open?.['info']).description).toContain('bindings.terminate');
    expect(bound?.['paths']).toMatchObject({
      '/instances/{id}/terminate': { post: { operationId: 'terminateInstance' } },
      '/instances/{id}/power/on': { put: { operationId: 'startInstance' } },
    });
    expect(Object(bound?.['info']).description).not.toContain('bindings.');
    expect(bound?.['servers']).toEqual([{ url: 'https://compute.test/v1' }]);
  });

  it('keeps for the whole document only what has no place of its own', () => {
    const [, bound, router] = documents.map(({ document }) => rootIds(document));
    expect(bound?.every((id) => /^compute\.(?:media|states)\./u.test(id))).toBe(true);
    expect(router?.filter((id) => id.startsWith('router.admission'))).toEqual([]);
    expect(router).toContain('router.retry-behaviour.terminal-skips-provider');
  });
});

describe('JSON Schema', () => {
  it.for([
    ['compute', computeExporter.jsonSchema({ bindings }, VERSION)],
    ['router', routerExporter.jsonSchema({}, VERSION)],
  ] as const)('of %s refers only to what it defines', ([, document]) => {
    const defined = Object.keys(Object(document['$defs'])).map((name) => `#/$defs/${name}`);
    const refers = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/gu)].map(
      ([, to]) => to,
    );
    expect(defined.length).toBeGreaterThan(2);
    expect(refers.filter((to) => to === undefined || !defined.includes(to))).toEqual([]);
    expect(idsIn(document).length).toBeGreaterThan(3);
    expect(new Set(Object.keys(Object(document['x-plumbline-catalogue'])))).toEqual(
      new Set(idsIn(document)),
    );
  });
});

const leaf = { type: 'string' };

describe('the schema along a path', () => {
  it('takes a bare name and its path for the same', () => {
    const wanted = { type: 'object', properties: { data: leaf }, required: ['data'] };
    expect(schemaAlong('data', leaf)).toEqual(wanted);
    expect(schemaAlong('$.data', leaf)).toEqual(wanted);
    expect(schemaAlong("$['data']", leaf)).toEqual(wanted);
  });

  it('goes through the items of an array, of which it may say more', () => {
    expect(schemaAlong('$[*].code', leaf, { minItems: 3 })).toEqual({
      type: 'array',
      items: { type: 'object', properties: { code: leaf }, required: ['code'] },
      minItems: 3,
    });
  });

  it('is the leaf itself at the root', () => {
    expect(schemaAlong('$', leaf)).toEqual(leaf);
  });

  it.for(['$..code', '$[?@.code]', '$[0]', '$.data[1:2]', '$.*', '$.data['])(
    'says nothing of %s',
    (path) => {
      expect(schemaAlong(path, leaf)).toBeUndefined();
    },
  );
});
