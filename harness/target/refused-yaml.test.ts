import { describe, expect, it } from 'vitest';
import { computeFile, refusal } from './refusal.test.support.ts';

describe('a target file is refused as YAML for', () => {
  it('an empty file', () => {
    expect(refusal('')).toMatchInlineSnapshot(`
      "
      my.yaml:1:1: the file is empty
        Write contract: compute or contract: router.
      "
    `);
  });

  it('a file of comments alone', () => {
    expect(refusal(['# nothing yet'].join('\n'))).toMatchInlineSnapshot(`
      "
      my.yaml:1:1: the file is empty
        Write contract: compute or contract: router.
      "
    `);
  });

  it('a list instead of keys', () => {
    expect(refusal(['- contract: compute'].join('\n'))).toMatchInlineSnapshot(`
      "
      my.yaml:1:1: expected keys and their values
        Write contract: compute or contract: router.
      "
    `);
  });

  it('a bare word', () => {
    expect(refusal(['compute'].join('\n'))).toMatchInlineSnapshot(`
      "
      my.yaml:1:1: expected keys and their values
        Write contract: compute or contract: router.
      "
    `);
  });

  it('an unclosed bracket', () => {
    expect(refusal(['contract: compute', 'keys: { primary: ${KEY}'].join('\n')))
      .toMatchInlineSnapshot(`
      "
      my.yaml:2:24: not YAML: flow map in block collection must be sufficiently indented and end with a }
        2 | keys: { primary: \${KEY}
          |                        ^
        Correct it; a value with : # { } [ ] or * in it needs quotes.
      "
    `);
  });

  it('a tab as indentation', () => {
    expect(refusal(['contract: compute', 'keys:', '\tprimary: ${KEY}'].join('\n')))
      .toMatchInlineSnapshot(`
      "
      my.yaml:3:1: not YAML: tabs are not allowed as indentation
        3 | 	primary: \${KEY}
          | ^
        Correct it; a value with : # { } [ ] or * in it needs quotes.
      "
    `);
  });

  it('a broken line that holds a key', () => {
    expect(refusal(['contract: compute', 'keys: { primary: "sk-1234567890abcdef }'].join('\n')))
      .toMatchInlineSnapshot(`
      "
      my.yaml:2:26: not YAML: missing closing "quote
        2 | keys: { primary: ‹hidden›
          |                          ^
        Correct it; a value with : # { } [ ] or * in it needs quotes.
      "
    `);
  });

  it('a key twice', () => {
    expect(refusal(computeFile('consent: { stop: true, stop: false }'))).toMatchInlineSnapshot(`
      "
      my.yaml:4:24: consent.stop: the key stands twice
        4 | consent: { stop: true, stop: false }
          |                        ^
        Keep one of them.
      "
    `);
  });

  it('two documents', () => {
    expect(refusal(['contract: compute', '---', 'contract: router'].join('\n')))
      .toMatchInlineSnapshot(`
      "
      my.yaml:2:1: more than one YAML document
        2 | ---
          | ^
        Write one target per file, without --- in between.
      "
    `);
  });

  it('an alias', () => {
    expect(refusal(computeFile('name: &n here', 'bindings: { locations: { unmapped: [ *n ] } }')))
      .toMatchInlineSnapshot(`
        "
        my.yaml:4:10: an anchor or alias
          4 | name: &n here
            |          ^
          Write the value itself: nothing else may stand for it.

        my.yaml:5:38: an anchor or alias
          5 | bindings: { locations: { unmapped: [ *n ] } }
            |                                      ^
          Write the value itself: nothing else may stand for it.
        "
      `);
  });

  it('an unknown tag', () => {
    expect(refusal(['contract: !secret compute'].join('\n'))).toMatchInlineSnapshot(`
      "
      my.yaml:1:11: not YAML: unresolved tag
        1 | contract: !secret compute
          |           ^
        Correct it; a value with : # { } [ ] or * in it needs quotes.
      "
    `);
  });
});
