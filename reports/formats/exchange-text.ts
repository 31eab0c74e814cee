/** Evidence as text: an exchange on the wire, its curl command, and the rows that describe a broken requirement. */

import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { ConformanceReport, RequirementResult } from '../../schemas/report.ts';
import { resultsOf } from '../model/evidence.ts';
import { differingPart } from '../model/difference.ts';
import { distinct, duration, plural, shellWord } from '../model/text.ts';

export interface EvidenceRow {
  readonly label:
    | 'Clause'
    | 'Requires'
    | 'Found'
    | 'Expected'
    | 'Actual'
    | 'Request'
    | 'Smallest'
    | 'In all'
    | 'Curl'
    | 'Again';
  readonly text: string;
}

/** The rows that every format shows for a broken requirement, in this order. The first violation is the simplest. */
export function evidenceRows(
  report: ConformanceReport,
  result: RequirementResult,
): readonly EvidenceRow[] {
  const [finding] = result.findings;
  const rows: [label: EvidenceRow['label'], text: string | undefined][] = [
    ['Clause', result.where ?? result.clause],
    ['Requires', result.statement],
  ];
  if (finding !== undefined) {
    const exchange = report.exchanges.find(({ id }) => id === finding.exchange);
    const curl = (exchange && curlCommand(exchange)) ?? '';
    const { expected, actual } = differingPart(finding);
    rows.push(
      ['Found', finding.message],
      ['Expected', expected],
      ['Actual', actual],
      ['Request', exchange && requestLine(exchange)],
      ['Smallest', finding.counterexample?.value],
      [
        'In all',
        result.violations > finding.count ? plural(result.violations, 'violation') : undefined,
      ],
      // A very long command is only on the page.
      ['Curl', curl.length > SHOWN_CURL ? undefined : curl],
      ['Again', finding.replay],
    );
  }
  return rows.flatMap(([label, text = '']) => (text === '' ? [] : [{ label, text }]));
}

/** The rows as lines `Label: text`, each cut; `root` is the requirement with the likely cause. */
export function evidenceLines(
  report: ConformanceReport,
  result: RequirementResult,
  root: string | undefined,
): readonly string[] {
  return [
    ...(root === undefined ? [] : [`Fails with: ${root}, most likely for the same cause`]),
    ...evidenceRows(report, result).map(({ label, text }) =>
      `${label}: ${text}`.slice(0, SHOWN_LINE),
    ),
  ];
}

const SHOWN_LINE = 2_000;
const SHOWN_CURL = 1_200;
const SHOWN_REQUEST = 300;

/** `GET https://… → 404 (e12)`, with a short body, or the length of a long one. */
function requestLine({ request, response, ending, id }: ReportedExchange): string {
  const { text, bytes } = request.body;
  const isShort = text !== undefined && text.length <= SHOWN_REQUEST;
  const body = bytes === 0 ? '' : isShort ? ` ${text}` : ` with ${plural(bytes, 'byte')}`;
  return `${request.method} ${request.url}${body} → ${response?.status ?? ending} (${id})`;
}

/** Maximum number of shown characters, for a body and for a header. */
export interface ShownLength {
  readonly body: number;
  readonly header: number;
}

const WHOLE: ShownLength = { body: 64_000, header: Infinity };

/** The request, and the response with its ending. */
export function wireText(exchange: ReportedExchange): string {
  const { response, ending, durationMs, cause } = exchange;
  return [
    requestText(exchange, WHOLE),
    responseText(exchange, WHOLE),
    `(${ending} after ${duration(durationMs)}${cause === undefined ? '' : `, ${cause}`})`,
    ...(response?.timeline ?? []).map(({ atMs, text }) => `${atMs.toFixed(1)} ms: ${text}`),
  ].join('\n\n');
}

/** Request line, headers and body. */
export function requestText({ request }: ReportedExchange, shown: ShownLength): string {
  return `${request.method} ${cut(request.url, shown.header)}\n${messageText(request, shown)}`;
}

/** Status, headers and body. */
export function responseText({ response }: ReportedExchange, shown: ShownLength): string {
  if (response === undefined) return 'No status arrived.';
  return `${response.status}\n${messageText(response, shown)}`;
}

function messageText(
  { headers, body }: Pick<ReportedExchange['request'], 'headers' | 'body'>,
  shown: ShownLength,
): string {
  const lines = headers.map(([name, value]) => `${name}: ${cut(value, shown.header)}\n`).join('');
  if (body.bytes === 0) return lines;
  const text = body.text ?? body.base64 ?? '';
  const notes = [
    ...(body.text === undefined ? ['base64'] : []),
    ...(body.cut === true || text.length > shown.body ? ['the beginning'] : []),
  ];
  const note = notes.length === 0 ? '' : `\n(${body.bytes} bytes; ${notes.join(', ')})`;
  return `${lines}\n${cut(text, shown.body)}${note}`;
}

/** The beginning of a text, with `…` if it was cut. */
export function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/** Headers that curl adds itself, and those that belong to a single request. */
const OWN_HEADERS = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'date',
  'traceparent',
]);

/** Headers that the suite sends with every request and that do not affect the response. */
const USUAL_HEADERS = new Set([
  'accept: */*',
  'accept-encoding: identity',
  'user-agent: plumbline',
]);

/**
 * The key is never in the command: the shell reads it from an environment variable named after the key in the target
 * file. Undefined unless the body was kept whole and as text, since the command would send another one.
 */
export function curlCommand({ request }: ReportedExchange): string | undefined {
  const { body } = request;
  if (body.cut === true || (body.bytes > 0 && body.text === undefined)) return undefined;
  const words = ['curl -ig'];
  if (request.method !== 'GET') words.push(`-X ${shellWord(request.method)}`);
  words.push(shellWord(request.url));
  for (const [name, value] of request.headers) {
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower) || USUAL_HEADERS.has(`${lower}: ${value}`)) continue;
    const keyed = lower === 'authorization' && request.credential !== undefined;
    words.push(`-H ${headerWord(name, keyed ? `Bearer ‹key:${request.credential}›` : value)}`);
  }
  if (body.text !== undefined && body.text !== '') {
    const typed = request.headers.some(([name]) => name.toLowerCase() === 'content-type');
    // Otherwise curl would declare the body a form.
    if (!typed) words.push(`-H 'Content-Type:'`);
    words.push(`--data-raw ${shellWord(body.text)}`);
  }
  return words.join(' \\\n  ');
}

/** A key as the recording shows it, wherever it stands: behind any scheme, alone, or in a cookie. */
const SHOWN_KEY = /‹key:([\w[\]]+)›(?=(\w?))/gu;

/** In double quotes where the shell fills in a key. */
function headerWord(name: string, value: string): string {
  if (value === '') return shellWord(`${name};`);
  const header = `${name}: ${value}`;
  if (header.search(SHOWN_KEY) === -1) return shellWord(header);
  const filled = header
    .replaceAll(/["$\\`]/gu, String.raw`\$&`)
    .replaceAll(SHOWN_KEY, (_, key: string, more: string) =>
      more === '' ? `$${keyVariable(key)}` : `\${${keyVariable(key)}}`,
    );
  return `"${filled}"`;
}

/** Which keys the variables of the curl commands stand for. Undefined if no finding used a key. */
export function keysText(report: ConformanceReport, target: string): string | undefined {
  const findings = resultsOf(report, target).flatMap((result) => result.findings);
  const cited = new Set(findings.map(({ exchange }) => exchange));
  const keys = report.exchanges
    .filter(({ id }) => cited.has(id))
    .flatMap(keysIn)
    .map((key) => `$${keyVariable(key)} is keys.${key} of the target file`);
  if (keys.length === 0) return undefined;
  return `The curl commands read keys from the environment: ${distinct(keys).join(', ')}.`;
}

/** The keys that its curl command reads. */
function keysIn({ request: { headers, credential } }: ReportedExchange): readonly string[] {
  const shown = headers.flatMap(([, value]) =>
    Array.from(value.matchAll(SHOWN_KEY), ([, key = '']) => key),
  );
  return credential === undefined ? shown : [credential, ...shown];
}

/** The ordinary keys `primary` and `client` are `PLUMBLINE_KEY`. Other keys have their name appended. */
export function keyVariable(credential: string): string {
  if (credential === 'primary' || credential === 'client') return 'PLUMBLINE_KEY';
  return `PLUMBLINE_KEY_${credential
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/gu, '_')
    .replace(/_$/u, '')}`;
}
