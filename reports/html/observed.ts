/** Of traffic that others made: what was not judged in full, and how clients kept to the wait that they were asked for. */

import type { ObservedTraffic } from '../../schemas/report.ts';
import { visibleLine } from '../visible-text.ts';
import { plural } from '../wording.ts';
import { markup, nothing, type Markup } from './markup.ts';
import { table } from './table.ts';

const SHOWN_CLIENTS = 50;
const SHOWN_NAME = 120;

export function observedSection(observed: ObservedTraffic): Markup {
  const from = observed.source === 'proxy' ? 'passed through the proxy' : 'stood in the recordings';
  return markup`<p>
      These requests were made by others: ${plural(observed.judged, 'exchange')} that ${from} were
      judged, and what nobody asked for was not seen.
    </p>
    ${notJudgedTable(observed.notJudged)} ${clientsTable(observed.clients)}`;
}

/** Counts by reason; nothing when all was judged. */
export function notJudgedTable(notJudged: ObservedTraffic['notJudged']): Markup {
  if (notJudged.length === 0) return nothing;
  return table(
    ['Not judged, or not in full', 'Count'],
    notJudged.map(({ reason, count }) => [reason, String(count)]),
  );
}

/** How often each client was asked to wait, and did; nothing when none was. */
export function clientsTable(clients: ObservedTraffic['clients']): Markup {
  if (clients.length === 0) return nothing;
  return markup`<p>
      Clients that were asked to wait. This says something of them, and nothing of the deployment.
    </p>
    ${table(
      ['Client', 'Asked', 'Waited', 'Came too soon'],
      clients
        .slice(0, SHOWN_CLIENTS)
        .map((one) => [
          visibleLine(one.client, SHOWN_NAME),
          String(one.askedToWait),
          String(one.waited),
          String(one.hurried),
        ]),
    )}`;
}
