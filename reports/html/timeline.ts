/** When the pieces of a stream arrived. */

import { duration, plural } from '../wording.ts';
import { markup, nothing, type Markup } from './markup.ts';

interface Piece {
  readonly atMs: number;
  readonly text: string;
}

const WIDTH = 1_000;
const SHOWN_PIECES = 24;
const SHOWN_TEXT = 160;

/** A line with a mark per piece, and the first pieces in words. `endMs` is when the exchange ended. */
export function timeline(pieces: readonly Piece[], endMs: number): Markup {
  const last = Math.max(endMs, ...pieces.map(({ atMs }) => atMs), 1);
  const x = (ms: number) => (10 + (ms / last) * (WIDTH - 20)).toFixed(1);
  const rest = pieces.length - SHOWN_PIECES;
  return markup`<h5>The stream, ${plural(pieces.length, 'piece')} in ${duration(last)}</h5>
    <svg
      class="timeline"
      viewBox="0 0 ${WIDTH} 34"
      preserveAspectRatio="none"
      role="img"
      aria-label="${plural(pieces.length, 'piece')} over ${duration(last)}"
    >
      <line class="axis" x1="10" x2="${WIDTH - 10}" y1="20" y2="20" />
      ${pieces.map(({ atMs }) => markup`<line class="mark" x1="${x(atMs)}" x2="${x(atMs)}" y1="8" y2="20" />`)}
      <line class="end" x1="${x(endMs)}" x2="${x(endMs)}" y1="4" y2="30" />
    </svg>
    <ol class="pieces">
      ${pieces.slice(0, SHOWN_PIECES).map(({ atMs, text }) => markup`<li><span class="time">${duration(atMs)}</span> <code>${text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}…` : text}</code></li>`)}
    </ol>
    ${rest > 0 ? markup`<p class="faint">and ${rest} more</p>` : nothing}`;
}
