/** The verdict as a small SVG badge. */

import type { ConformanceReport, TargetResult } from '../../schemas/report.ts';
import { conclude, type Conclusion } from '../model/conclusions.ts';
import { xmlText } from '../model/text.ts';

const colours: Readonly<Record<Conclusion, string>> = {
  conforms: '#1a7f4b',
  violates: '#c4232f',
  unjudged: '#8a2fb8',
  'nothing-exercised': '#57606a',
  undecided: '#57606a',
};

const HEIGHT = 20;
const LETTER_WIDTH = 6.7;

/** One badge per target: `compute contract | 212 of 231 held`. */
export function badge(report: ConformanceReport, target: TargetResult): string {
  const conclusion = conclude(report, target);
  const label = `${target.contract} contract`;
  const value = valueOf(conclusion, target);
  const left = widthOf(label);
  const width = left + widthOf(value);
  const text = (content: string, middle: number) =>
    `<text x="${middle.toFixed(1)}" y="14">${xmlText(content)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${xmlText(`${label}: ${value}`)}"><title>${xmlText(`${label}: ${value}`)}</title><clipPath id="round"><rect width="${width}" height="${HEIGHT}" rx="4"/></clipPath><g clip-path="url(#round)"><rect width="${left}" height="${HEIGHT}" fill="#3b434c"/><rect x="${left}" width="${width - left}" height="${HEIGHT}" fill="${colours[conclusion]}"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(label, left / 2)}${text(value, left + (width - left) / 2)}</g></svg>
`;
}

/** Never just "conforms": the count shows how much of the contract was judged. */
function valueOf(conclusion: Conclusion, { summary: { stated } }: TargetResult): string {
  if (conclusion === 'unjudged') return 'not judged';
  if (conclusion === 'nothing-exercised') return 'nothing exercised';
  const waived = stated.waived === 0 ? '' : `, ${stated.waived} waived`;
  const held = `${stated.passed} of ${stated.total} held${waived}`;
  if (conclusion === 'undecided') return `undecided, ${held}`;
  return conclusion === 'violates' ? `${stated.failed} broken, ${held}` : held;
}

function widthOf(text: string): number {
  return Math.round(text.length * LETTER_WIDTH) + 14;
}
