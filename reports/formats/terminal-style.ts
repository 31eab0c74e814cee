/** Terminal output: colours, and lines that fit its width. */

import { styleText } from 'node:util';
import { visibleText } from '../model/text.ts';

export type Tone = 'bad' | 'odd' | 'good' | 'faint' | 'strong' | 'command';

const formats = {
  bad: ['bold', 'red'],
  odd: ['yellow'],
  good: ['green'],
  faint: ['dim'],
  strong: ['bold'],
  command: ['cyan'],
} as const;

/** Maximum number of names or lines in a list. Beyond it, only their number is shown. */
export const NAMED = 12;
const LABEL_WIDTH = 10;
const SMALLEST_WIDTH = 40;

export class TerminalStyle {
  readonly #colour: boolean;
  readonly #width: number;

  constructor(options: { readonly colour: boolean; readonly width: number }) {
    this.#colour = options.colour;
    this.#width = Math.max(SMALLEST_WIDTH, options.width);
  }

  /** Text in a tone. The text is escaped first, so that a server cannot control the terminal. */
  tone(tone: Tone, text: string): string {
    const safe = visibleText(text);
    if (!this.#colour) return safe;
    return styleText([...formats[tone]], safe, { validateStream: false });
  }

  /** Indented text, wrapped at words. */
  text(text: string, indent = 2): readonly string[] {
    return wrap(visibleText(text), this.#width - indent).map((line) => ' '.repeat(indent) + line);
  }

  /** A heading in a tone, wrapped. */
  heading(tone: Tone, text: string): readonly string[] {
    return wrap(visibleText(text), this.#width).map((line) => this.tone(tone, line));
  }

  /** A label with its text beside it, wrapped. */
  row(label: string, text: string, tone?: Tone): readonly string[] {
    const indent = LABEL_WIDTH + 2;
    return wrap(visibleText(text), this.#width - indent).map((line, index) => {
      const head = index === 0 ? label.padEnd(LABEL_WIDTH) : ' '.repeat(LABEL_WIDTH);
      return `  ${this.tone('faint', head)}${tone === undefined ? line : this.tone(tone, line)}`;
    });
  }

  /** A label and a command in one line of any length, since a wrapped command cannot be copied. */
  command(label: string, command: string): string {
    return `  ${this.tone('faint', label.padEnd(LABEL_WIDTH))}${this.tone('command', command)}`;
  }

  /** The first lines, and the number of the others. */
  listed(lines: readonly string[]): readonly string[] {
    const rest = lines.length - NAMED;
    return [
      ...lines.slice(0, NAMED).flatMap((line) => this.text(line)),
      ...(rest > 0 ? this.text(`and ${rest} more`) : []),
    ];
  }

  /** An empty line, a heading and lines, or nothing without lines. */
  block(tone: Tone, heading: string, lines: readonly string[]): readonly string[] {
    return lines.length === 0 ? [] : ['', ...this.heading(tone, heading), ...lines];
  }
}

/** Lines of at most `width` characters, broken at spaces where possible. Never empty. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let rest = paragraph.trimEnd();
    while (rest.length > width) {
      const space = rest.lastIndexOf(' ', width);
      const cut = space > 0 ? space : width;
      lines.push(rest.slice(0, cut));
      rest = rest.slice(cut).trimStart();
    }
    lines.push(rest);
  }
  return lines;
}
