import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ComputeReference, startCompute } from '../reference/compute/start.ts';
import { startScriptedRouter } from '../reference/router/start.ts';
import { parseTarget } from '../contracts/target-file.ts';
import { computeExporter } from './compute.ts';
import { routerExporter } from './router.ts';

const VERSION = '1.2.3';

/** Validates against one schema of a document with an independent validator. */
function judge(document: object, at: string): (body: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, formats: { uuid: true, 'date-time': true } });
  ajv.addSchema({ ...document, $id: 'contract' });
  const validate = ajv.getSchema(`contract#${at}`);
  if (validate === undefined) throw new Error(`there is no schema ${at}`);
  return (body) => validate(body) === true;
}

describe('schemas of the compute contract', () => {
  let reference: ComputeReference;
  let document: object;
  const schema = (name: string) => judge(document, `/$defs/${name}`);
  const get = async (path: string, method = 'GET', body?: string): Promise<unknown> => {
    const { keys } = reference.target();
    const answer = await request(`${reference.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${keys.primary}` },
      ...(body === undefined ? {} : { body }),
    });
    return answer.body.json();
  };

  beforeAll(async () => {
    reference = await startCompute();
    const { target } = parseTarget(JSON.stringify(reference.target()), 'reference.yaml');
    if (target.contract !== 'compute') throw new Error('not a compute target');
    document = computeExporter.jsonSchema(target, VERSION);
  });
  afterAll(() => reference.close());

  it.for([
    ['InstancePage', '/instances?size=200'],
    ['PresetPage', '/presets'],
    ['Regions', '/regions'],
    ['Error', '/instances?size=0'],
  ] as const)('accept the %s that the reference gives', async ([name, path]) => {
    const isValid = schema(name);
    expect(isValid(await get(path))).toBe(true);
    expect(isValid({})).toBe(false);
  });

  it('accept the answer to a stop', async () => {
    const [id = ''] = reference.target().instances.stopped ?? [];
    const isValid = schema('InstanceInAnswer');
    const body = await get(`/instances/${id}/stop`, 'POST');
    expect(isValid(body)).toBe(true);
    expect(isValid({ ...Object(body), cpu_count: 1.5 })).toBe(false);
    expect(isValid({ ...Object(body), status: 'running' })).toBe(false);
  });

  it('refuse pages that break the contract', async () => {
    const isValid = schema('InstancePage');
    const page = Object(await get('/instances?size=2'));
    expect(isValid(page)).toBe(true);
    expect(isValid({ ...page, pagination: { next: null, size: '2' } })).toBe(false);
    expect(isValid({ ...page, data: [{ ...page.data[0], instance_id: 'i-1' }] })).toBe(false);
  });

  it('know the codes of the regions where a binding says where they are', () => {
    const isValid = schema('Regions');
    expect(isValid([{ name: 'US' }, { name: 'FR' }, { name: 'UAE' }])).toBe(true);
    expect(isValid([{ name: 'US' }, { name: 'FR' }])).toBe(false);
    expect(isValid([{ name: 'US' }, { name: 'FR' }, { name: 'DE' }])).toBe(false);
  });
});

describe('schemas of the router contract', () => {
  it('accept the model list and a refusal of the reference', async () => {
    const router = await startScriptedRouter();
    onTestFinished(async () => router.close());
    const file = JSON.stringify(router.target());
    const { target, secrets } = parseTarget(file, 'reference.yaml');
    const { baseUrl } = target;
    const headers = {
      authorization: `Bearer ${secrets['client']}`,
      'content-type': 'application/json',
    };
    const list = await request(`${baseUrl}/v1/models`, { headers });
    const refused = await request(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: randomUUID(), messages: [] }),
    });
    const document = routerExporter.jsonSchema({}, VERSION);
    expect(judge(document, '/$defs/ModelList')(await list.body.json())).toBe(true);
    expect(judge(document, '/$defs/Error')(await refused.body.json())).toBe(true);
  });

  it('hold codes to their status and source, and leave unknown codes open', () => {
    const path = '/components/responses/429/content/application~1json/schema';
    const isValid = judge(routerExporter.openApi({}, VERSION), path);
    const error = (code: string, source: string) => ({ error: { code, source, message: 'm' } });
    expect(isValid(error('rate_limit_exceeded', 'router'))).toBe(true);
    expect(isValid(error('rate_limit_exceeded', 'backend'))).toBe(false);
    expect(isValid(error('concurrency_limit_exceeded', 'backend'))).toBe(false);
    expect(isValid(error('model_not_found', 'router'))).toBe(false);
    expect(isValid(error('something_new', 'backend'))).toBe(true);
  });
});
