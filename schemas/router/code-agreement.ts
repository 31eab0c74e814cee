/** Codes: for each row of the code table, that status and source agree with it. */

import type { RequirementEntry } from '../requirement.ts';
import type { RouterClause } from './clauses.ts';
import { codeTable, type CodeRow, type RouterCode, type SourcedCode } from './codes.ts';
import { routerSection } from './section.ts';

type Entry = RequirementEntry<RouterClause, never>;

function status(code: RouterCode): Entry {
  return {
    clause: `router#codes/${code}`,
    strength: 'stated',
    statement: `The code ${code} comes with status ${codeTable[code].statuses.join(' or ')}.`,
    universal: true,
  };
}

function source(code: SourcedCode): Entry {
  const row: CodeRow = codeTable[code];
  const usual = row.usually === true;
  return {
    clause: `router#codes/${code}`,
    strength: usual ? 'implied' : 'stated',
    statement: `The code ${code} comes with source ${row.sources.join(' or ')}${usual ? ', as a rule' : ''}.`,
    universal: true,
  };
}

export const codeAgreementRequirements = routerSection('codes', {
  'request_invalid-status': status('request_invalid'),
  'context_length_exceeded-status': status('context_length_exceeded'),
  'invalid_parameter-status': status('invalid_parameter'),
  'input_too_long-status': status('input_too_long'),
  'unauthorized-status': status('unauthorized'),
  'model_forbidden-status': status('model_forbidden'),
  'model_not_found-status': status('model_not_found'),
  'rate_limit_exceeded-status': status('rate_limit_exceeded'),
  'token_limit_exceeded-status': status('token_limit_exceeded'),
  'concurrency_limit_exceeded-status': status('concurrency_limit_exceeded'),
  'no_agents_available-status': status('no_agents_available'),
  'no_capacity-status': status('no_capacity'),
  'agent_disconnected-status': status('agent_disconnected'),
  'backend_unavailable-status': status('backend_unavailable'),
  'queue_full-status': status('queue_full'),
  'backend_error-status': status('backend_error'),
  'request_timeout-status': status('request_timeout'),
  'request_invalid-source': source('request_invalid'),
  'context_length_exceeded-source': source('context_length_exceeded'),
  'invalid_parameter-source': source('invalid_parameter'),
  'input_too_long-source': source('input_too_long'),
  'unauthorized-source': source('unauthorized'),
  'model_forbidden-source': source('model_forbidden'),
  'model_not_found-source': source('model_not_found'),
  'rate_limit_exceeded-source': source('rate_limit_exceeded'),
  'token_limit_exceeded-source': source('token_limit_exceeded'),
  'concurrency_limit_exceeded-source': source('concurrency_limit_exceeded'),
  'no_agents_available-source': source('no_agents_available'),
  'no_capacity-source': source('no_capacity'),
  'agent_disconnected-source': source('agent_disconnected'),
  'backend_unavailable-source': source('backend_unavailable'),
  'queue_full-source': source('queue_full'),
  'request_timeout-source': source('request_timeout'),
  'backend_error-forwarded-status': {
    clause: 'router#codes/backend_error',
    strength: 'implied',
    statement: 'A backend_error that names the backend as its source comes with status 502.',
    judged: 'implied: the document says normally, and that some internal failures are 500',
    universal: true,
  },
  'known-codes': {
    clause: 'router#codes',
    strength: 'implied',
    statement: 'The code of an error on a known client route is one of the table.',
    judged: 'implied: the table has a catch-all, but does not say that it is complete',
    universal: true,
  },
});
