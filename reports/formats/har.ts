/** HAR 1.2, for browsers and proxies: the exchanges of a result. */

import type { BodyText, ReportedExchange } from '../../schemas/exchange.ts';
import type { ConformanceReport } from '../../schemas/report.ts';

/** Every exchange in order of time, with a comment: its id, and the requirements that it shows broken. */
export function reportToHar(report: ConformanceReport): string {
  const broken = new Map<string, string[]>();
  for (const { id, findings } of report.requirements) {
    for (const { exchanges } of findings) {
      for (const name of exchanges) broken.set(name, [...(broken.get(name) ?? []), id]);
    }
  }
  const { name, version } = report.tool;
  const entries = report.exchanges
    .toSorted((one, other) => one.startedAt - other.startedAt)
    .map((exchange) => entryOf(exchange, new Set(broken.get(exchange.id))));
  const log = { version: '1.2', creator: { name, version }, pages: [], entries };
  return `${JSON.stringify({ log }, null, 2)}\n`;
}

function entryOf(exchange: ReportedExchange, broken: ReadonlySet<string>): object {
  const { request, response, startedAt, durationMs, headMs = durationMs } = exchange;
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
  return {
    startedDateTime: new Date(startedAt).toISOString(),
    time: durationMs,
    request: {
      ...common,
      method: request.method,
      url: request.url,
      headers: named(request.headers),
      queryString: URL.canParse(request.url) ? named([...new URL(request.url).searchParams]) : [],
      bodySize: request.body.bytes,
      ...(request.body.bytes > 0 ? { postData: contentOf(request.body, request.headers) } : {}),
    },
    response: {
      ...common,
      status: response?.status ?? 0,
      statusText: '',
      redirectURL: '',
      headers: named(response?.headers ?? []),
      bodySize: response?.body.bytes ?? -1,
      content: {
        size: response?.body.bytes ?? 0,
        ...contentOf(response?.body, response?.headers ?? []),
      },
      // Browsers mark a request without a response like this.
      ...(response === undefined ? { _error: exchange.cause ?? exchange.ending } : {}),
    },
    cache: {},
    timings: { send: 0, wait: headMs, receive: Math.max(0, durationMs - headMs) },
    comment: [exchange.id, ...broken].join(' '),
  };
}

function contentOf(
  body: BodyText | undefined,
  headers: ReportedExchange['request']['headers'],
): object {
  const [, mimeType = ''] = headers.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return {
    mimeType,
    text: body?.text ?? body?.base64 ?? '',
    ...(body?.base64 === undefined ? {} : { encoding: 'base64' }),
    ...(body?.cut === undefined ? {} : { comment: 'Only the first part is kept.' }),
  };
}

function named(pairs: readonly (readonly [string, string])[]): readonly object[] {
  return pairs.map(([name, value]) => ({ name, value }));
}
