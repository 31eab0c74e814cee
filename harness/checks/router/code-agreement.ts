/** Whether code, status and source of an error agree with the code table. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { codeTable, isRouterCode, type CodeRow } from '../../../schemas/router/codes.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, held, violated } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import { envelopeOf, owesEnvelope } from './envelope.ts';
import type { RouterKnowledge } from './knowledge.ts';
import { familyOf } from './route.ts';

/** True when code and source may be those of an engine, forwarded as they were (router#transparent-proxy/envelope-kept). */
export function mayBeForwarded(exchange: Exchange, knowledge: RouterKnowledge): boolean {
  return familyOf(exchange) === 'proxy' && knowledge.mayBeForwarded?.(exchange) === true;
}

/** Judges status and source by the row of the code, and the code by the table. */
export function* codeAgreement(
  exchange: Exchange,
  knowledge: RouterKnowledge,
): Generator<UniversalJudgement<RouterRequirementId>> {
  const status = exchange.response?.status;
  if (status === undefined || !owesEnvelope(exchange)) return;
  if (mayBeForwarded(exchange, knowledge)) return;
  const error = envelopeOf(exchange);
  if (error === undefined) return;
  const { code, source } = error;
  yield* refusal(exchange, status, code, source);
  if (!isRouterCode(code)) {
    yield {
      requirement: 'router.codes.known-codes',
      judgement: violated(
        `The code ${JSON.stringify(code)} is not in the table.`,
        { expected: Object.keys(codeTable).join(', '), actual: code },
        exchange,
      ),
    };
    return;
  }
  yield { requirement: 'router.codes.known-codes', judgement: held() };
  const row: CodeRow = codeTable[code];
  yield {
    requirement: `router.codes.${code}-status`,
    judgement: expectThat(
      row.statuses.includes(status),
      `The code ${code} came with status ${status}.`,
      { expected: row.statuses.join(' or '), actual: status },
      exchange,
    ),
  };
  if (code === 'backend_error') return;
  yield {
    requirement: `router.codes.${code}-source`,
    judgement: expectThat(
      row.sources.includes(source),
      `The code ${code} came with source ${source}.`,
      { expected: row.sources.join(' or '), actual: source },
      exchange,
    ),
  };
}

/** Every 401 has one code and one source (router#authentication/5/fields). */
function* refusal(
  exchange: Exchange,
  status: number,
  code: string,
  source: string,
): Generator<UniversalJudgement<RouterRequirementId>> {
  if (status !== 401) return;
  yield {
    requirement: 'router.authentication.refusal-code',
    judgement: expectThat(
      code === 'unauthorized',
      `A 401 came with the code ${JSON.stringify(code)}.`,
      { expected: 'unauthorized', actual: code },
      exchange,
    ),
  };
  yield {
    requirement: 'router.authentication.refusal-source',
    judgement: expectThat(
      source === 'router',
      `A 401 came with the source ${source}.`,
      { expected: 'router', actual: source },
      exchange,
    ),
  };
}
