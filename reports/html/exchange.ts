/** An exchange as it was on the wire, redacted; for streams with a time line of what arrived when. */

import type { ExchangeRecord } from '../../schemas/report.ts';
import { curlCommand } from '../curl.ts';
import { duration } from '../wording.ts';
import { markup, nothing, type Markup } from './markup.ts';
import { timeline } from './timeline.ts';

type Body = ExchangeRecord['request']['body'];

const SHOWN_BODY = 4_000;
const SHOWN_HEADER = 1_000;

/** A closed fold that opens on the whole exchange. */
export function exchangeFold(exchange: ExchangeRecord): Markup {
  const { request, response } = exchange;
  const command = curlCommand(exchange);
  return markup`<details class="exchange">
    <summary>${exchangeTitle(exchange)}</summary>
    <div class="wire">
      <div>
        <h5>
          Request${request.credential === undefined ? '' : `, with the key ${request.credential}`}
        </h5>
        <pre tabindex="0">${requestText(exchange)}</pre>
      </div>
      <div>
        <h5>${answerTitle(exchange)}</h5>
        <pre tabindex="0">${responseText(exchange)}</pre>
      </div>
    </div>
    ${response?.timeline === undefined ? nothing : timeline(response.timeline, exchange.durationMs)}
    ${
      command === undefined
        ? nothing
        : markup`<h5>The same with curl</h5>
            <pre class="command" tabindex="0">${cut(command, SHOWN_BODY * 2)}</pre>`
    }
  </details>`;
}

function requestText({ request }: ExchangeRecord): string {
  const line = `${request.method} ${cut(request.url, SHOWN_HEADER)}`;
  return `${line}\n${headerLines(request.headers)}${bodyText(request.body)}`;
}

function responseText({ response }: ExchangeRecord): string {
  if (response === undefined) return 'No status arrived.';
  return `${response.status}\n${headerLines(response.headers)}${bodyText(response.body)}`;
}

/** One line: what was asked, what came, how long it took. */
function exchangeTitle(exchange: ExchangeRecord): Markup {
  const { request, response } = exchange;
  const ending = exchange.ending === 'complete' ? '' : `, ${exchange.ending}`;
  return markup`<code>${request.method} ${cut(request.url, 160)}</code> →
    <b>${response?.status ?? 'no answer'}</b>${ending}
    <span class="faint">${duration(exchange.durationMs)}, ${exchange.id}</span>`;
}

function answerTitle(exchange: ExchangeRecord): string {
  const parts = ['Response'];
  if (exchange.headMs !== undefined) parts.push(`head after ${duration(exchange.headMs)}`);
  parts.push(`${exchange.ending} after ${duration(exchange.durationMs)}`);
  if (exchange.retries > 0) parts.push(`attempt ${exchange.retries + 1}`);
  if (exchange.cause !== undefined) parts.push(exchange.cause);
  return parts.join(', ');
}

function headerLines(headers: ExchangeRecord['request']['headers']): string {
  return headers.map(([name, value]) => `${name}: ${cut(value, SHOWN_HEADER)}\n`).join('');
}

function bodyText(body: Body): string {
  if (body.bytes === 0) return '';
  const text = body.text ?? body.base64 ?? '';
  const kept = cut(text, SHOWN_BODY);
  const notes = [
    ...(body.text === undefined ? ['base64'] : []),
    ...(body.cut === true || kept !== text ? ['the beginning'] : []),
  ];
  const note = notes.length === 0 ? '' : `\n(${body.bytes} bytes; ${notes.join(', ')})`;
  return `\n${kept}${note}`;
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
