/** Everything that is judged on every exchange with a compute target, from the suite or recorded. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { readRegionCodes } from '../../target/bindings.ts';
import { type Judgement, pass, violated } from '../judgement.ts';
import { judgedAs, type UniversalCheck } from '../universal.ts';
import { answeredWith } from './answers.ts';
import { errorEnvelope, jsonMedia, retryAfter } from './envelope.ts';
import { codesExact, codesMentioned } from './regions.ts';
import { type MatchedOperation, operationOf, type ComputeVerdicts } from './operation.ts';
import { judgePage } from '../collection/bounds.ts';
import { presetPage, presetsOf } from './presets.ts';
import { recordJudgements } from './record-judgements.ts';
import {
  type WireRecord,
  actionRecordOf,
  firstRepeat,
  idsOf,
  isSuccess,
  itemsOf,
  textOf,
} from './records.ts';

/** What may be known of a deployment beside the exchange; without bindings less is judged. */
export interface ComputeKnowledge {
  readonly bindings?: ComputeBindings | undefined;
}

/** Judges one exchange. Paths outside the contract yield nothing, and neither do bodies that did not arrive whole. */
export const computeUniversal: UniversalCheck<ComputeKnowledge, ComputeRequirementId> = function* (
  exchange,
  { bindings },
) {
  const matched = operationOf(exchange, bindings);
  if (matched === undefined || exchange.response === undefined) return;
  yield* retryAfter(exchange);
  if (exchange.ending !== 'complete') return;
  yield* errorEnvelope(exchange, matched.id);
  yield* jsonMedia(exchange, matched.id);
  if (isSuccess(exchange)) yield* success(exchange, matched, bindings);
};

function* success(
  exchange: Exchange,
  matched: MatchedOperation,
  bindings: ComputeBindings | undefined,
): ComputeVerdicts {
  switch (matched.operation) {
    case 'list-instances':
      yield* instancePage(exchange, bindings);
      break;
    case 'stop-instance':
    case 'terminate-instance':
      yield* actionAnswer(exchange, matched.operation, matched.id);
      break;
    case 'presets':
      yield* judgePage(exchange, 'presets', presetsOf(exchange, bindings)?.length);
      yield* presetPage(exchange, bindings);
      break;
    case 'regions':
      yield* regions(exchange, bindings);
      break;
    case 'get-instance':
    case 'start-instance':
      // The document does not show these bodies: the suites judge what a binding makes readable.
      break;
  }
}

/** The set of regions is the same for every key. The effect of query parameters is open. */
function* regions(exchange: Exchange, bindings: ComputeBindings | undefined): ComputeVerdicts {
  const body = jsonBody(exchange);
  if (exchange.request.query !== '' || !body.ok) return;
  const mentioned = codesMentioned(exchange);
  yield { requirement: 'compute.regions.codes-mentioned', judgement: mentioned };
  const path = bindings?.regions?.codes;
  if (path === undefined || mentioned.violations.length > 0) return;
  const codes = readRegionCodes(body.value, path);
  if (!codes.ok) return;
  yield {
    requirement: 'compute.regions.codes-exact',
    judgement: codesExact(codes.value, exchange),
  };
}

function* instancePage(exchange: Exchange, bindings: ComputeBindings | undefined): ComputeVerdicts {
  yield {
    requirement: 'compute.list-instances.answers-200',
    judgement: answeredWith(exchange, 200, 'A list of instances'),
  };
  const items = itemsOf(exchange);
  const records = items?.filter((item) => isObject(item)) ?? [];
  const shown =
    items === undefined
      ? 'no such list'
      : `${items.length} items, ${records.length} of them objects`;
  yield judgedAs(
    'compute.list-instances.data-array',
    items?.length === records.length,
    'A page of instances is no object whose data is a list of instances.',
    { expected: 'data, a list of objects', actual: shown },
    exchange,
  );
  yield* judgePage(exchange, 'list-instances', items?.length);
  if (records.length === 0) return;
  const unmapped = bindings?.locations?.unmapped;
  yield* recordJudgements({ exchange, variant: 'list', records, unmapped });
  yield {
    requirement: 'compute.instance-record.id-unique',
    judgement: uniqueIds(records, exchange),
  };
}

function uniqueIds(records: readonly WireRecord[], exchange: Exchange): Judgement {
  const ids = idsOf(records).filter((id) => id !== '');
  const twice = firstRepeat(ids);
  if (twice === undefined) return pass(ids.length);
  return violated(
    'Two items of one page carry the same instance id.',
    { expected: 'each id once', actual: `${twice} twice` },
    exchange,
  );
}

/** The answer to a terminate may show the state before it, beside the date and the reason that it has set. */
const openAfterTerminate: readonly ComputeRequirementId[] = [
  'compute.instance-record.alive-has-no-date',
  'compute.instance-record.alive-has-no-reason',
];

function* actionAnswer(
  exchange: Exchange,
  operation: 'stop-instance' | 'terminate-instance',
  id: string | undefined,
): ComputeVerdicts {
  const record = actionRecordOf(exchange);
  yield judgedAs(
    `compute.${operation}.response-is-instance`,
    record !== undefined,
    'The body of the answer is no instance record.',
    { expected: 'an object with the fields of an instance', actual: 'none of its fields' },
    exchange,
  );
  // A body that is not a record violates one requirement, and not also those of each field.
  if (record === undefined) return;
  const named = textOf(record, 'instance_id');
  if (named !== undefined && id !== undefined) {
    yield judgedAs(
      `compute.${operation}.response-names-instance`,
      isSameId(id, named),
      'The record in the answer is that of another instance.',
      { expected: id, actual: named },
      exchange,
    );
  }
  const open = operation === 'terminate-instance' ? openAfterTerminate : [];
  yield* recordJudgements({ exchange, variant: 'action', records: [record], open });
}

/** UUIDs are equal in either case (RFC 9562 section 4). */
function isSameId(segment: string, named: string): boolean {
  try {
    return decodeURIComponent(segment).toLowerCase() === named.toLowerCase();
  } catch {
    return segment.toLowerCase() === named.toLowerCase();
  }
}
