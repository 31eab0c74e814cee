/** The lifecycle of an instance, with the observed state changes. */

import type { TargetResult } from '../../schemas/report.ts';
import { plural } from '../model/text.ts';
import { markup, type Markup } from './document.ts';

/** In lifecycle order. ERRORED is drawn apart. */
const ORDER = [
  'CREATED',
  'DEPLOYED',
  'STARTING',
  'RUNNING',
  'STOPPING',
  'STOPPED',
  'TERMINATING',
  'TERMINATED',
];
const ASIDE = 'ERRORED';

const BOX = { width: 104, height: 34, gap: 26 };
const WIDTH = ORDER.length * (BOX.width + BOX.gap) - BOX.gap + 20;
const LINE_Y = 130;
const ASIDE_Y = 290;
const HEIGHT = 315;

/** Keeps the edges to and from ERRORED apart from the arcs. */
const SIDESTEP = 30;

interface Change {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

export function statesSection({ transitions }: TargetResult): Markup {
  const seen = Object.entries(transitions).map(([change, count]): Change => {
    const [from = '', to = ''] = change.split('>');
    return { from, to, count };
  });
  const unseen = ORDER.slice(1).flatMap((to, index): readonly Change[] => {
    const from = ORDER[index] ?? '';
    return seen.some((change) => change.from === from && change.to === to)
      ? []
      : [{ from, to, count: 0 }];
  });
  const visited = new Set(seen.flatMap(({ from, to }) => [from, to]));
  const drawn = seen.flatMap(drawnChange);
  // The counts are drawn after all edges, which would cross them.
  return markup`<div class="scroll" tabindex="0">
      <svg
        class="states"
        viewBox="0 0 ${WIDTH} ${HEIGHT}"
        role="img"
        aria-label="States of an instance; the list below says which changes were seen"
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto-start-reverse"
          >
            <path class="arrow" d="M0 0 L8 4 L0 8 z" />
          </marker>
        </defs>
        ${[...unseen.flatMap(drawnChange), ...drawn].map(edge)}${drawn.map(({ count, label }) => markup`<text class="count" x="${label.x}" y="${label.y}">${count}</text>`)}${[...places].map(([name, place]) => box(name, place, visited.has(name)))}
      </svg>
    </div>
    ${
      seen.length === 0
        ? markup`<p>No change of state was seen.</p>`
        : markup`<ul class="changes">
            ${seen.map(({ from, to, count }) => markup`<li><code>${from} → ${to}</code> ${plural(count, 'time')}</li>`)}
          </ul>`
    }`;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** The centres of the boxes. */
const places: ReadonlyMap<string, Place> = new Map([
  ...ORDER.map((name, index): [string, Place] => [
    name,
    { x: 10 + index * (BOX.width + BOX.gap) + BOX.width / 2, y: LINE_Y },
  ]),
  [ASIDE, { x: WIDTH / 2, y: ASIDE_Y }],
]);

function box(name: string, place: Place, visited: boolean): Markup {
  return markup`<g class="${visited ? 'state visited' : 'state'}"
    ><rect
      x="${place.x - BOX.width / 2}"
      y="${place.y - BOX.height / 2}"
      width="${BOX.width}"
      height="${BOX.height}"
      rx="8"
    /><text x="${place.x}" y="${place.y + 4}">${name}</text></g
  >`;
}

/** The path of a change, and where its count stands. */
interface Drawn {
  readonly count: number;
  readonly path: string;
  readonly label: Place;
}

/** A change between two states that are known. Empty for any other. */
function drawnChange({ from, to, count }: Change): readonly Drawn[] {
  const [start, end] = [places.get(from), places.get(to)];
  if (start === undefined || end === undefined || start === end) return [];
  return [{ count, ...routeBetween(start, end) }];
}

function edge({ count, path }: Drawn): Markup {
  return markup`<path
      class="${count > 0 ? 'edge seen' : 'edge'}"
      d="${path}"
      marker-end="url(#arrow)"
    />`;
}

/** Straight to the next state, an arc above for a leap forward, an arc below for a way back. */
function routeBetween(start: Place, end: Place): Omit<Drawn, 'count'> {
  const half = { x: BOX.width / 2, y: BOX.height / 2 };
  if (start.y !== end.y) {
    const down = end.y > start.y ? 1 : -1;
    const from = { x: start.x + SIDESTEP, y: start.y + down * half.y };
    const to = { x: end.x + SIDESTEP, y: end.y - down * half.y };
    return {
      path: `M${from.x} ${from.y} L${to.x} ${to.y}`,
      label: { x: (from.x + to.x) / 2 + 12, y: (from.y + to.y) / 2 },
    };
  }
  const leap = end.x - start.x;
  if (leap > 0 && leap < BOX.width + BOX.gap + 1) {
    return {
      path: `M${start.x + half.x} ${start.y} L${end.x - half.x} ${end.y}`,
      label: { x: (start.x + end.x) / 2, y: start.y - half.y - 6 },
    };
  }
  const up = leap > 0 ? -1 : 1;
  const height = Math.min(105, 20 + Math.abs(leap) / 8);
  const edgeY = start.y + up * half.y;
  return {
    path: `M${start.x} ${edgeY} Q${start.x + leap / 2} ${edgeY + up * height * 2} ${end.x} ${edgeY}`,
    label: { x: start.x + leap / 2, y: edgeY + up * height + (up < 0 ? -5 : 14) },
  };
}
