/** An exchange as an Allure attachment. */

import { ContentType } from 'allure-js-commons';
import {
  ALLURE_HTTP_EXCHANGE_FILE_EXTENSION,
  ALLURE_HTTP_EXCHANGE_SCHEMA_VERSION,
  type HttpExchange,
  type HttpExchangeBody,
} from 'allure-js-commons/http';
import type { RuntimeMessage } from 'allure-js-commons/sdk';
import type { ReportedExchange } from '../../schemas/exchange.ts';
import { visibleLine, visibleText } from '../model/text.ts';

/** Uses Allure's own format for exchanges, in which no viewer renders a server's body as a page. */
export function attachment(exchange: ReportedExchange): RuntimeMessage {
  const { request, response } = exchange;
  const content: HttpExchange = {
    schemaVersion: ALLURE_HTTP_EXCHANGE_SCHEMA_VERSION,
    request: {
      method: visibleLine(request.method),
      url: visibleText(request.url),
      headers: headersOf(request.headers),
      ...bodyOf(request.body),
    },
    ...(response === undefined
      ? { error: { message: visibleText(exchange.cause ?? exchange.ending) } }
      : {
          response: {
            status: response.status,
            headers: headersOf(response.headers),
            ...bodyOf(response.body),
          },
        }),
    start: Math.round(exchange.startedAt),
    stop: Math.round(exchange.startedAt + exchange.durationMs),
  };
  return {
    type: 'attachment_content',
    data: {
      name: visibleLine(`${request.method} ${request.url} (${exchange.id})`),
      content: Buffer.from(JSON.stringify(content)).toString('base64'),
      encoding: 'base64',
      contentType: ContentType.HTTP_EXCHANGE,
      fileExtension: ALLURE_HTTP_EXCHANGE_FILE_EXTENSION,
    },
  };
}

function headersOf(headers: ReportedExchange['request']['headers']) {
  return headers.map(([name, value]) => ({ name: visibleLine(name), value: visibleText(value) }));
}

function bodyOf(body: ReportedExchange['request']['body']): { readonly body?: HttpExchangeBody } {
  if (body.bytes === 0) return {};
  return {
    body: {
      encoding: body.text === undefined ? 'base64' : 'utf8',
      value: body.text === undefined ? (body.base64 ?? '') : visibleText(body.text),
      size: body.bytes,
      truncated: body.cut === true,
    },
  };
}
