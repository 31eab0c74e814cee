import { expect, it } from 'vitest';
import { jsonLine, parsedLine } from './control-lines.ts';

it.each([[{ n: 1, body: 'a\u2028b\u2029c' }], [['\r', '\n', '\u0085', '\\u2028']], ['plain']])(
  'is one line for every reader: %j',
  (value) => {
    const line = jsonLine(value);
    expect(line).toMatch(/^[^\n\r\u2028\u2029]*\n$/u);
    expect(parsedLine(line)).toEqual(value);
  },
);
