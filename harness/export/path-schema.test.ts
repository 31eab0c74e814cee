import { describe, expect, it } from 'vitest';
import { schemaAlong } from './path-schema.ts';

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
