/** Universal: bodies are JSON and say so (compute#overview/json). */

import { jsonMediaType } from '../../../schemas/compute/media.ts';
import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { bodyText, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { headerValue, mediaType } from '../../exchange/headers.ts';
import { expectThat } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import { isOwnError } from './error-envelope.ts';

type Verdicts = Generator<UniversalJudgement<ComputeRequirementId>>;

/** Judges the body of a complete answer, and its label; `id` is that of its path. */
export function* jsonMedia(exchange: Exchange, id: string | undefined): Verdicts {
  const status = exchange.response?.status ?? 0;
  const success = status >= 200 && status < 300;
  if (!success && !isOwnError(exchange, id)) return;
  // An absent body is judged by whatever needed something in it.
  if (exchange.response === undefined || exchange.response.body.length === 0) return;
  const kind = success ? 'success' : 'error';
  const body = jsonBody(exchange);
  yield {
    requirement: `compute.media.${kind}-json`,
    judgement: expectThat(
      body.ok,
      `The body of a ${status} is not JSON.`,
      { expected: 'JSON', actual: body.ok ? '' : `${body.problem}: ${bodyText(exchange)}` },
      exchange,
    ),
  };
  yield {
    requirement: `compute.media.${kind}-label`,
    judgement: expectThat(
      mediaType(exchange.response.headers) === jsonMediaType,
      `The body of a ${status} is not labelled as JSON.`,
      {
        expected: jsonMediaType,
        actual: headerValue(exchange.response.headers, 'content-type') ?? 'no Content-Type',
      },
      exchange,
    ),
  };
}
