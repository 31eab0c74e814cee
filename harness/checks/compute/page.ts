/** Universal: the shape of a page, and its size against the size that was asked for (compute#pagination). */

import { instancePageSize } from '../../../schemas/compute/list-instances.ts';
import { paginationSchema } from '../../../schemas/compute/wire.ts';
import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { canonicalJson, figureOf, isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';

type Verdicts = Generator<UniversalJudgement<ComputeRequirementId>>;

/**
 * The page size that a request asks for: what it says, or the documented default of the first page. Undefined
 * where that is open: spellings other than plain digits, a size given twice, presets without a size, and any
 * size beside a cursor, which may carry one of its own: that is judged in walks, which ask for one size throughout.
 */
export function askedSize(
  exchange: Exchange,
  operation: 'list-instances' | 'presets',
): number | undefined {
  const parameters = new URLSearchParams(exchange.request.query);
  if (parameters.has('cursor')) return undefined;
  const sizes = parameters.getAll('size');
  const [size] = sizes;
  if (sizes.length === 0) {
    return operation === 'list-instances' ? instancePageSize.standard : undefined;
  }
  return sizes.length === 1 && size !== undefined && /^[1-9]\d{0,8}$/u.test(size)
    ? Number(size)
    : undefined;
}

/** The body of a page without its pagination, as text; what is no page is like no other. */
export function contentOf(answer: Exchange): string {
  const body = jsonBody(answer);
  if (!body.ok || !isObject(body.value)) return answer.id;
  const { pagination: _pagination, ...content } = body.value;
  return canonicalJson(content);
}

/** What a page must be judged with. */
export interface PageOfAnswer {
  readonly exchange: Exchange;
  readonly operation: 'list-instances' | 'presets';
  /** How many items it holds; undefined where the array is unknown. */
  readonly items: number | undefined;
}

/** Judges the pagination object of a successful page, and how many items the page holds. */
export function* page(answer: PageOfAnswer): Verdicts {
  const { exchange, operation } = answer;
  const body = jsonBody(exchange);
  const pagination = body.ok && isObject(body.value) ? body.value['pagination'] : undefined;
  yield {
    requirement:
      operation === 'list-instances'
        ? 'compute.pagination.object-on-instances'
        : 'compute.pagination.object-on-presets',
    judgement: expectThat(
      isObject(pagination),
      'A page carries no pagination object.',
      { expected: 'an object', actual: pagination ?? 'absent' },
      exchange,
    ),
  };
  const asked = askedSize(exchange, operation);
  if (asked !== undefined && answer.items !== undefined && answer.items > 0) {
    yield withinSize(exchange, answer.items, asked);
  }
  if (isObject(pagination)) yield* paginationObject(answer, pagination, asked);
}

/** The pages of a walk that asked for one size throughout: whoever decides, that is the size of each. */
export function* pagesOfWalk(
  pages: readonly Exchange[],
  size: number,
  itemsIn: (page: Exchange) => readonly unknown[] | undefined,
): Generator<
  UniversalJudgement<'compute.pagination.page-within-size' | 'compute.pagination.size-echo'>
> {
  for (const exchange of pages.slice(1)) {
    const body = jsonBody(exchange);
    const pagination = body.ok && isObject(body.value) ? body.value['pagination'] : undefined;
    const items = itemsIn(exchange)?.length;
    if (items === undefined || !isObject(pagination)) continue;
    yield withinSize(exchange, items, size);
    if (typeof pagination['next'] === 'string' || items === size) {
      yield sizeEcho(exchange, pagination['size'], size);
    }
  }
}

function withinSize(exchange: Exchange, items: number, size: number) {
  return {
    requirement: 'compute.pagination.page-within-size' as const,
    judgement: expectThat(
      items <= size,
      'A page holds more items than were asked for.',
      { expected: `at most ${size} items`, actual: `${items} items` },
      exchange,
    ),
  };
}

function sizeEcho(exchange: Exchange, shown: unknown, asked: number) {
  return {
    requirement: 'compute.pagination.size-echo' as const,
    judgement: expectThat(
      shown === asked,
      'The size member is not the page size that was asked for.',
      { expected: asked, actual: shown },
      exchange,
    ),
  };
}

function* paginationObject(
  { exchange, items }: PageOfAnswer,
  pagination: Readonly<Record<string, unknown>>,
  asked: number | undefined,
): Verdicts {
  const { next, size } = pagination;
  yield {
    requirement: 'compute.pagination.next-type',
    judgement: expectThat(
      paginationSchema.shape.next.safeParse(next).success,
      'The next member of a pagination object is neither text nor null.',
      { expected: 'text or null', actual: next === undefined ? 'absent' : next },
      exchange,
    ),
  };
  const sizeIsInteger = paginationSchema.shape.size.safeParse(figureOf(size)).success;
  yield {
    requirement: 'compute.pagination.size-type',
    judgement: expectThat(
      sizeIsInteger,
      'The size member of a pagination object is no integer.',
      { expected: 'an integer', actual: size === undefined ? 'absent' : size },
      exchange,
    ),
  };
  // What the size of a short last page means is open: only pages that are full or have a next one tell.
  const telling = typeof next === 'string' || (items !== undefined && items === asked);
  if (asked === undefined || !telling || !sizeIsInteger) return;
  yield sizeEcho(exchange, size, asked);
}
