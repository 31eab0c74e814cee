/** Finds out, with reads alone, what a router shows of itself: the models of a key. */

import type { RouterNeed } from '../../../schemas/router/needs.ts';
import type { OnExchange } from '../../exchange/client.ts';
import type { Connection } from '../connection.ts';
import type { Finding, Known } from '../../target/draft.ts';
import { idsIn, showsData } from './members.ts';

const MAX_NAMED = 20;

/** Lists the models for the person who knows their roles, which no read can tell. `onExchange` gets the exchange. */
export async function discoverRouter(
  connection: Connection,
  onExchange: OnExchange = () => {},
): Promise<Known<RouterNeed>> {
  const exchange = await connection.httpClient.send(
    { method: 'GET', path: '/v1/models', as: 'client' },
    onExchange,
  );
  const ids = idsIn(exchange, 'id') ?? [];
  const more = ids.length > MAX_NAMED ? `, and ${ids.length - MAX_NAMED} more` : '';
  const remark =
    ids.length === 0
      ? showsData(exchange)
        ? 'The key sees no models.'
        : 'GET /v1/models showed no list of models.'
      : `The key sees ${ids.slice(0, MAX_NAMED).join(', ')}${more}`;
  return new Map<RouterNeed, Finding>([['models.chat', { remark }]]);
}
