/** Single pages: the size that they were made for, what their pagination says, and odd requests. */

import { isObject, jsonBody, canonicalJson, figureOf } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { isSuccess, itemsOf } from '../compute/records.ts';
import { instancePageSize } from '../../../schemas/compute/list-instances.ts';
import { paginationSchema } from '../../../schemas/compute/wire.ts';
import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { expectThat, type Judgement, notObserved, violated } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import { answered, isTelling, noServerError } from '../compute/answers.ts';

/** `pagination.next` of a page: a cursor, null on the last page, undefined when the answer has none. */
export function nextCursor(exchange: Exchange): string | null | undefined {
  if (!isSuccess(exchange)) return undefined;
  const body = jsonBody(exchange);
  if (!body.ok || !isObject(body.value)) return undefined;
  const pagination = body.value['pagination'];
  if (!isObject(pagination)) return undefined;
  const next = pagination['next'];
  return typeof next === 'string' || next === null ? next : undefined;
}

/** `pagination.size` of a page; undefined when the answer has none. */
export function shownSize(exchange: Exchange): unknown {
  const body = isSuccess(exchange) ? jsonBody(exchange) : undefined;
  if (body?.ok !== true || !isObject(body.value)) return undefined;
  const { pagination } = body.value;
  return isObject(pagination) ? pagination['size'] : undefined;
}

type Verdicts = Generator<UniversalJudgement<ComputeRequirementId>>;

/**
 * The page size that a request asks for: what it says, or the documented default of the first page. Undefined
 * where that is open: spellings other than plain digits, a size given twice, presets without a size, and any
 * size beside a cursor, which may carry one of its own: that is judged in walks, which ask for one size throughout.
 */
function askedSize(
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
export function* judgePage(answer: PageOfAnswer): Verdicts {
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

/** A page for this size: a 200 with a list of at most so many items. */
export function servesPage(exchange: Exchange, size: number): Judgement {
  if (!isTelling(exchange)) return notObserved;
  const items = exchange.response?.status === 200 ? itemsOf(exchange) : undefined;
  return expectThat(
    items !== undefined && items.length <= size,
    `A page of ${size} was not served.`,
    {
      expected: `200 with at most ${size} items`,
      actual: items === undefined ? answered(exchange) : `${items.length} items`,
    },
    exchange,
  );
}

/**
 * A page that was asked for without a size is made for the default. A short last page tells it only where its
 * size member does: what that means on such a page is open.
 */
export function madeForDefault(exchange: Exchange, standard: number): Judgement {
  const body = jsonBody(exchange);
  const items = itemsOf(exchange);
  if (!isTelling(exchange)) return notObserved;
  if (!isSuccess(exchange) || !body.ok || items === undefined)
    return servesPage(exchange, standard);
  const pagination = isObject(body.value) ? body.value['pagination'] : undefined;
  const { next, size } = isObject(pagination) ? pagination : {};
  const wrong = (actual: string): Judgement =>
    violated(
      `A page for which no size is asked does not hold up to ${standard} items.`,
      { expected: `${standard} items`, actual },
      exchange,
    );
  if (items.length > standard) return wrong(`${items.length} items`);
  const goesOn = typeof next === 'string';
  if (goesOn && size !== standard) return wrong(`more pages, and a size of ${String(size)}`);
  const isOther = Number.isInteger(size) && size !== standard && size !== items.length;
  if (isOther) return wrong(`${items.length} items on a page of ${String(size)}`);
  return goesOn || size === standard ? { seen: 1, violations: [] } : notObserved;
}

/**
 * An odd request brings about no 5xx. `plain` is an ordinary request made just after one that did: a target
 * that fails that as well is unwell, and says nothing about the odd one.
 */
export function noCrash(odd: Exchange, plain: Exchange | undefined, what: string): Judgement {
  if (!isTelling(odd)) return notObserved;
  const judgement = noServerError(odd, `The query "${what}"`);
  if (judgement.violations.length === 0) return judgement;
  return plain !== undefined && isSuccess(plain) ? judgement : notObserved;
}

export interface LastPage {
  readonly judgement: Judgement;
  /** The cursor of the page, if it has one. */
  readonly next: string | undefined;
  /** What the page says of its size. */
  readonly size: string;
}

/** Which list is read, and how its items are. */
export interface PagedList {
  readonly operation: 'list-instances' | 'presets';
  readonly itemsIn: (page: Exchange) => readonly unknown[] | undefined;
}

const instances: PagedList = { operation: 'list-instances', itemsIn: itemsOf };

/**
 * A page with room to spare has a null cursor. `following` is the page after it, if it has a cursor: only an
 * empty one shows that the page before was the last, since a page need not be full.
 */
export function lastPageIsNull(
  page: Exchange,
  following: Exchange | undefined,
  { operation, itemsIn }: PagedList = instances,
): LastPage {
  const body = jsonBody(page);
  const pagination =
    isSuccess(page) && body.ok && isObject(body.value) ? body.value['pagination'] : undefined;
  const { next, size } = isObject(pagination) ? pagination : {};
  const told = { next: typeof next === 'string' ? next : undefined, size: String(size) };
  const items = itemsIn(page)?.length ?? 0;
  const asked = askedSize(page, operation) ?? 0;
  if (!isObject(pagination) || items === 0 || items >= asked)
    return { ...told, judgement: notObserved };
  const ended = following === undefined ? undefined : itemsIn(following)?.length === 0;
  if (next !== null && ended !== true) return { ...told, judgement: notObserved };
  return {
    ...told,
    judgement: expectThat(
      next === null,
      'A page that holds the whole list, with room to spare, has a next page.',
      { expected: null, actual: next },
      page,
      ...(following === undefined ? [] : [following]),
    ),
  };
}
