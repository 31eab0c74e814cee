/** Clauses that hold for every operation: authentication, errors, limits, versions. */

import type { Clause } from '../../requirement.ts';

const procedure = "The operator's procedure, outside this interface.";

export const conductClauses = {
  'compute#endpoints/bearer': { where: 'Endpoints, opening sentence' },

  'compute#authentication/rule-1': { where: 'Authentication rule 1' },
  'compute#authentication/rule-2': { where: 'Authentication rule 2', excluded: procedure },
  'compute#authentication/rule-3': {
    where: 'Authentication rule 3',
    excluded: `${procedure} That a key never expires cannot be shown in a run.`,
  },
  'compute#authentication/rule-4': {
    where: 'Authentication rule 4',
    excluded: 'Advice to clients.',
  },
  'compute#authentication/rule-5': { where: 'Authentication rule 5' },
  'compute#authentication/rule-6': { where: 'Authentication rule 6' },
  'compute#authentication/rule-7': { where: 'Authentication rule 7' },
  'compute#authentication/rule-8': {
    where: 'Authentication rule 8',
    excluded: procedure,
  },

  'compute#events': { where: 'Events', excluded: 'Not shown.' },

  'compute#errors/envelope': { where: 'Errors, one envelope' },
  'compute#errors/code': { where: 'Errors, row code' },
  'compute#errors/message': { where: 'Errors, row message' },
  'compute#errors/request_id': { where: 'Errors, row request_id' },
  'compute#errors/400': { where: 'Errors, row 400' },
  'compute#errors/401': { where: 'Errors, row 401' },
  'compute#errors/403': { where: 'Errors, row 403' },
  'compute#errors/404': { where: 'Errors, row 404' },
  'compute#errors/409': { where: 'Errors, row 409' },
  'compute#errors/429': { where: 'Errors, row 429' },
  'compute#errors/429/retry-after': { where: 'Errors, row 429, Retry-After' },
  'compute#errors/500': { where: 'Errors, row 500' },
  'compute#errors/500/clients': {
    where: 'Errors, row 500, what clients do',
    excluded: 'Advice to clients.',
  },

  'compute#limits/page-size': { where: 'Limits, row page size' },
  'compute#limits/free-text': { where: 'Limits, row free-text search length' },
  'compute#limits/reason-note': { where: 'Limits, row reason note length' },
  'compute#limits/rate-per-key': { where: 'Limits, rate limiting per key' },
  'compute#limits/rate-exceeded': { where: 'Limits, what exceeding gives' },
  'compute#limits/rate-advice': {
    where: 'Limits, back off and do not pace',
    excluded: 'Advice to clients.',
  },
  'compute#limits/not-shown': { where: 'Limits, what is not shown' },

  'compute#versioning/segment': {
    where: 'Versioning, the segment',
    excluded: 'An address and not behaviour: the target file names the base URL.',
  },
  'compute#versioning/description': {
    where: 'Versioning, version of the description',
    excluded: 'It names the document, and no answer carries it.',
  },
  'compute#versioning/announced': {
    where: 'Versioning, announced endpoints and the rate limit',
    excluded: 'An outlook on later releases.',
  },
  'compute#versioning/policy': { where: 'Versioning, policy', excluded: 'Not shown.' },
} as const satisfies Readonly<Record<string, Clause>>;
