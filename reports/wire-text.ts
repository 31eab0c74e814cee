/** A redacted exchange as it was on the wire, as one plain text. */

import type { ExchangeRecord } from '../schemas/report.ts';
import { duration } from './wording.ts';

const SHOWN_BODY = 64_000;

/** Request, and response with how it ended. */
export function wireText(exchange: ExchangeRecord): string {
  const { request, response } = exchange;
  const answer =
    response === undefined
      ? 'No status arrived.'
      : `${response.status}\n${messageText(response.headers, response.body)}`;
  const cause = exchange.cause === undefined ? '' : `, ${exchange.cause}`;
  return [
    `${request.method} ${request.url}\n${messageText(request.headers, request.body)}`,
    answer,
    `(${exchange.ending} after ${duration(exchange.durationMs)}${cause})`,
    ...(response?.timeline ?? []).map(({ atMs, text }) => `${atMs.toFixed(1)} ms: ${text}`),
  ].join('\n\n');
}

type Body = ExchangeRecord['request']['body'];

function messageText(headers: ExchangeRecord['request']['headers'], body: Body): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\n`).join('');
  if (body.bytes === 0) return lines;
  const text = body.text ?? body.base64 ?? '';
  const notes = [
    ...(body.text === undefined ? ['base64'] : []),
    ...(body.cut === true || text.length > SHOWN_BODY ? ['the beginning'] : []),
  ];
  const note = notes.length === 0 ? '' : `\n(${body.bytes} bytes; ${notes.join(', ')})`;
  return `${lines}\n${text.slice(0, SHOWN_BODY)}${note}`;
}
