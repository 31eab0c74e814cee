/** An exchange as text: as it was on the wire, as a curl command, and by a short name. */

import type { ReportedExchange } from '../../schemas/exchange.ts';
import { duration, shellWord } from '../model/text.ts';

const SHOWN_BODY = 64_000;

/** Request, and response with how it ended. */
export function wireText(exchange: ReportedExchange): string {
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

type Body = ReportedExchange['request']['body'];

function messageText(headers: ReportedExchange['request']['headers'], body: Body): string {
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

/** What curl writes itself, from the address and the body. */
const OWN_HEADERS = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'date']);

/**
 * The key is never part of it: it is read from an environment variable named after the key in the target
 * file. Undefined when the body was not kept whole and as text, because the command would send another one.
 */
export function curlCommand({ request }: ReportedExchange): string | undefined {
  const { body } = request;
  if (body.cut === true || (body.bytes > 0 && body.text === undefined)) return undefined;
  const words = ['curl -ig'];
  if (request.method !== 'GET') words.push(`-X ${shellWord(request.method)}`);
  words.push(shellWord(request.url));
  for (const [name, value] of request.headers) {
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower)) continue;
    const keyed = lower === 'authorization' && request.credential !== undefined;
    words.push(
      keyed
        ? `-H "${name}: Bearer $${keyVariable(request.credential ?? '')}"`
        : `-H ${shellWord(value === '' ? `${name};` : `${name}: ${value}`)}`,
    );
  }
  if (body.text !== undefined && body.text !== '') {
    const typed = request.headers.some(([name]) => name.toLowerCase() === 'content-type');
    // Without a type of its own curl would call the body a form.
    if (!typed) words.push(`-H 'Content-Type:'`);
    words.push(`--data-raw ${shellWord(body.text)}`);
  }
  return words.join(' \\\n  ');
}

/** `primary` and `client`, the ordinary keys, are `PLUMBLINE_KEY`; another is named in it. */
export function keyVariable(credential: string): string {
  if (credential === 'primary' || credential === 'client') return 'PLUMBLINE_KEY';
  return `PLUMBLINE_KEY_${credential.toUpperCase().replaceAll(/[^A-Z0-9]+/gu, '_')}`;
}
