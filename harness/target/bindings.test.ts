import { describe, expect, it } from 'vitest';
import {
  readIdentifier,
  readMember,
  readPresets,
  readRecord,
  readRegionCodes,
} from './bindings.ts';

describe('a member', () => {
  const preset = {
    name: 'A',
    'hourly-price': 2,
    gpu: { model: 'H' },
    tags: ['x', 'y'],
    none: null,
  };

  it.each([
    ['name', 'A'],
    ['$.name', 'A'],
    ['hourly-price', 2],
    ["$['hourly-price']", 2],
    ['$.gpu.model', 'H'],
    ['none', null],
    ['$.tags[1]', 'y'],
  ])('is found by %s', (member, value) => {
    expect(readMember(preset, member)).toBe(value);
  });

  it.each(['price', '$.price', '$.tags[*]', 'constructor', '$..[', 'gpu.model'])(
    'is not found by %s',
    (member) => {
      expect(readMember(preset, member)).toBeUndefined();
    },
  );

  it.each([undefined, null, 'text', 3, ['name']])('is not in %j', (holder) => {
    expect(readMember(holder, 'name')).toBeUndefined();
    expect(readMember(holder, '$.name')).toBeUndefined();
  });
});

describe('the record of an instance', () => {
  it('is the body or a part of it', () => {
    expect(readRecord({ instance_id: '1' }, '$')).toEqual({ instance_id: '1' });
    expect(readRecord({ data: { instance_id: '1' } }, '$.data')).toEqual({ instance_id: '1' });
    expect(readRecord({ data: [{ instance_id: '1' }] }, '$.data[0]')).toEqual({ instance_id: '1' });
  });

  it.each([{}, { data: [] }, { data: null }, { data: 'x' }, undefined])('is not in %j', (body) => {
    expect(readRecord(body, '$.data')).toBeUndefined();
  });
});

describe('the id of a new instance', () => {
  it('is a text that is there', () => {
    expect(readIdentifier({ id: 'a' }, '$.id')).toBe('a');
  });

  it.each([{ id: 7 }, { id: '' }, {}, null])('is not in %j', (body) => {
    expect(readIdentifier(body, '$.id')).toBeUndefined();
  });
});

describe('the region codes', () => {
  it.each([
    ['$[*].name', [{ name: 'FR' }, { name: 'US' }]],
    ['$.regions', { regions: ['FR', 'US'] }],
    ['$.regions[*]', { regions: ['FR', 'US'] }],
  ])('are read by %s', (path, body) => {
    expect(readRegionCodes(body, path)).toEqual({ ok: true, value: ['FR', 'US'] });
  });

  it('are none where the list of them is empty', () => {
    expect(readRegionCodes({ regions: [] }, '$.regions')).toEqual({ ok: true, value: [] });
  });

  it.each([
    ['$[*].code', [{ name: 'FR' }], 'finds nothing in a list of 1'],
    ['$.regions[*]', { data: [], total: 0 }, 'finds nothing in an object with data, total'],
    ['$.*', {}, 'finds nothing in an empty object'],
    ['$[*]', ['FR', 3], 'finds a number where a code should be'],
    ['$[*]', undefined, 'finds nothing in nothing'],
  ])('are not read by %s from %j', (path, body, reason) => {
    expect(readRegionCodes(body, path)).toEqual({
      ok: false,
      reason: `bindings.regions.codes (${path}) ${reason}`,
    });
  });
});

describe('the presets of a page', () => {
  it.each(['data', '$.data'])('are read by %s', (member) => {
    expect(readPresets({ data: [{ id: 1 }] }, member)).toEqual({ ok: true, value: [{ id: 1 }] });
    expect(readPresets({ data: [] }, member)).toEqual({ ok: true, value: [] });
  });

  it.each([
    [{ items: [] }, 'finds nothing in an object with items'],
    [[], 'finds nothing in a list of 0'],
    [{ data: {} }, 'finds an empty object and no list'],
    [{ data: null }, 'finds null and no list'],
    [{ data: [{}, null] }, 'holds null where a preset should be'],
  ])('are not read from %j', (body, reason) => {
    expect(readPresets(body, 'data')).toEqual({
      ok: false,
      reason: `bindings.presets.items (data) ${reason}`,
    });
  });
});
