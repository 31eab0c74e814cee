/** Counts as one bar of parts. The words beside it say the same: the picture is for the eye alone. */

import { markup, type Markup } from './markup.ts';

export interface BarPart {
  readonly name: string;
  readonly count: number;
  /** Class that colours it. */
  readonly tone: string;
}

const WIDTH = 1_000;
const HEIGHT = 18;

/** A stacked bar over all of `parts`, with a label for screen readers. */
export function bar(label: string, parts: readonly BarPart[]): Markup {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const told = parts.filter(({ count }) => count > 0);
  let x = 0;
  const pieces = told.map(({ name, count, tone }) => {
    const width = total === 0 ? 0 : (count / total) * WIDTH;
    const piece = markup`<rect
      class="fill-${tone}"
      x="${x.toFixed(1)}"
      y="0"
      width="${width.toFixed(1)}"
      height="${HEIGHT}"
      ><title>${count} ${name}</title></rect
    >`;
    x += width;
    return piece;
  });
  return markup`<svg
      class="bar"
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${label}"
    >
      ${pieces}
    </svg>
    <ul class="legend">
      ${told.map(({ name, count, tone }) => markup`<li><span class="dot back-${tone}"></span><b>${count}</b> ${name}</li>`)}
    </ul>`;
}
