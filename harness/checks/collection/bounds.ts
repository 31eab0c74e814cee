/** Single pages: their size, their pagination object, and unusual requests. */

import { instancePageSize } from '../../../schemas/compute/list-instances.ts';
import { paginationSchema } from '../../../schemas/compute/wire.ts';
import { canonicalJson, figureOf, isObject, membersOf } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectAnswer, isInformative, noServerError } from '../compute/answers.ts';
import { isSuccess, itemsOf, type WireRecord } from '../compute/records.ts';
import { expectThat, type Judgement, notObserved, pass, violated } from '../judgement.ts';
import { judgedAs, type UniversalJudgement } from '../universal.ts';
import type { ComputeVerdicts } from '../compute/operation.ts';

/** The pagination object of a page, whatever its members; undefined when the body has none. */
function paginationOf(page: Exchange): WireRecord | undefined {
  const pagination = membersOf(page)?.['pagination'];
  return isObject(pagination) ? pagination : undefined;
}

/** `pagination.next` of a page: a cursor, or null on the last page; undefined when the response has neither. */
export function nextCursor(exchange: Exchange): string | null | undefined {
  const next = isSuccess(exchange) ? paginationOf(exchange)?.['next'] : undefined;
  return typeof next === 'string' || next === null ? next : undefined;
}

/** `pagination.size` of a page; undefined when the response has none. */
export function shownSize(exchange: Exchange): unknown {
  return isSuccess(exchange) ? paginationOf(exchange)?.['size'] : undefined;
}

type Operation = 'list-instances' | 'presets';
/**
 * The page size that a request asks for, or the documented default. Undefined where it is open: spellings other than plain
 * digits, a repeated size, presets without a size, and any request with a cursor, which may carry its own size. Pages after
 * the first are judged in walks, which ask for one size throughout.
 */
function askedSize(exchange: Exchange, operation: Operation): number | undefined {
  const parameters = new URLSearchParams(exchange.request.query);
  if (parameters.has('cursor')) return undefined;
  const [size, ...more] = parameters.getAll('size');
  if (size === undefined) {
    return operation === 'list-instances' ? instancePageSize.standard : undefined;
  }
  return more.length === 0 && /^[1-9]\d{0,8}$/u.test(size) ? Number(size) : undefined;
}

/** The body of a page without its pagination, as text. Other responses give their exchange id, so that they equal no page. */
export function contentOf(answer: Exchange): string {
  const members = membersOf(answer);
  if (members === undefined) return answer.id;
  const { pagination: _pagination, ...content } = members;
  return canonicalJson(content);
}

/** Judges the pagination object of a successful page and its count of `items` (undefined when unknown). */
export function* judgePage(
  exchange: Exchange,
  operation: Operation,
  items: number | undefined,
): ComputeVerdicts {
  const pagination = paginationOf(exchange);
  const kind = operation === 'list-instances' ? 'instances' : 'presets';
  yield judgedAs(
    `compute.pagination.object-on-${kind}`,
    pagination !== undefined,
    'A page carries no pagination object.',
    { expected: 'an object', actual: membersOf(exchange)?.['pagination'] ?? 'absent' },
    exchange,
  );
  const asked = askedSize(exchange, operation);
  if (asked !== undefined && items !== undefined && items > 0) {
    yield withinSize(exchange, items, asked);
  }
  if (pagination === undefined) return;
  const { next, size } = pagination;
  yield judgedAs(
    'compute.pagination.next-type',
    paginationSchema.shape.next.safeParse(next).success && next !== '',
    'The next member of a pagination object is neither a cursor nor null.',
    { expected: 'a text that is not empty, or null', actual: next === undefined ? 'absent' : next },
    exchange,
  );
  const sizeIsInteger = paginationSchema.shape.size.safeParse(figureOf(size)).success;
  yield judgedAs(
    'compute.pagination.size-type',
    sizeIsInteger,
    'The size member of a pagination object is no integer.',
    { expected: 'an integer', actual: size === undefined ? 'absent' : size },
    exchange,
  );
  // The size member of a short last page is open, so only full pages and pages with a next one are judged.
  const isConclusive = typeof next === 'string' || (items !== undefined && items === asked);
  if (asked !== undefined && isConclusive && sizeIsInteger) yield sizeEcho(exchange, size, asked);
}

/** Judges the pages of a walk whose requests all ask for one size: request and cursor agree, so each page has that size. */
export function* pagesOfWalk(
  pages: readonly Exchange[],
  size: number,
  itemsIn: (page: Exchange) => readonly unknown[] | undefined,
): Generator<
  UniversalJudgement<'compute.pagination.page-within-size' | 'compute.pagination.size-echo'>
> {
  for (const exchange of pages.slice(1)) {
    const pagination = paginationOf(exchange);
    const items = itemsIn(exchange)?.length;
    if (items === undefined || pagination === undefined) continue;
    yield withinSize(exchange, items, size);
    if (typeof pagination['next'] === 'string' || items === size) {
      yield sizeEcho(exchange, pagination['size'], size);
    }
  }
}

function withinSize(exchange: Exchange, items: number, size: number) {
  return judgedAs(
    'compute.pagination.page-within-size',
    items <= size,
    'A page holds more items than were asked for.',
    { expected: `at most ${size} items`, actual: `${items} items` },
    exchange,
  );
}

function sizeEcho(exchange: Exchange, shown: unknown, asked: number) {
  return judgedAs(
    'compute.pagination.size-echo',
    shown === asked,
    'The size member is not the page size that was asked for.',
    { expected: asked, actual: shown },
    exchange,
  );
}

/**
 * A page without a requested size has the default size. A short last page passes only when its size member is the
 * default; a size member that equals the count of its items is open.
 */
export function madeForDefault(exchange: Exchange, standard: number): Judgement {
  const items = itemsOf(exchange);
  if (!isInformative(exchange)) return notObserved;
  if (!isSuccess(exchange) || items === undefined) {
    const expected = `200 with at most ${standard} items`;
    return expectAnswer(exchange, false, `A page of ${standard} was not served.`, expected);
  }
  const { next, size } = paginationOf(exchange) ?? {};
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
  return goesOn || size === standard ? pass() : notObserved;
}

/** An odd request causes no 5xx. A 5xx counts only when `plain`, an ordinary request right after it, succeeds. */
export function noCrash(odd: Exchange, plain: Exchange | undefined, what: string): Judgement {
  const judgement = noServerError(odd, `The query "${what}"`);
  if (judgement.violations.length === 0) return judgement;
  return plain !== undefined && isSuccess(plain) ? judgement : notObserved;
}

interface PagedList {
  readonly operation: Operation;
  readonly itemsIn: (page: Exchange) => readonly unknown[] | undefined;
}

const instances: PagedList = { operation: 'list-instances', itemsIn: itemsOf };

/** Parameters that leave no item out. */
const unfiltering = new Set(['cursor', 'size', 'sort_field', 'sort_direction']);

function isFiltered({ request }: Exchange): boolean {
  const { searchParams } = new URL(request.url);
  return Array.from(searchParams.keys()).some((name) => !unfiltering.has(name));
}

/**
 * A page with fewer items than requested has a null cursor. `following` is the page after it, if the page has a cursor.
 * Only an empty `following` proves that the page was the last, since a page need not be full. Of a filtered list it proves
 * nothing: a server may filter each page of the whole list. Returns also the cursor of the page, if any, and its size
 * member.
 */
export function lastPageIsNull(
  page: Exchange,
  following: Exchange | undefined,
  { operation, itemsIn }: PagedList = instances,
): { readonly judgement: Judgement; readonly next: string | undefined; readonly size: string } {
  const pagination = isSuccess(page) ? paginationOf(page) : undefined;
  const { next, size } = pagination ?? {};
  const items = itemsIn(page)?.length ?? 0;
  const asked = askedSize(page, operation) ?? 0;
  const hasRoom = pagination !== undefined && items > 0 && items < asked;
  const ended = following !== undefined && itemsIn(following)?.length === 0 && !isFiltered(page);
  const judgement =
    hasRoom && (next === null || ended)
      ? expectThat(
          next === null,
          'A page that holds the whole list, with room to spare, has a next page.',
          { expected: null, actual: next },
          page,
          ...(following === undefined ? [] : [following]),
        )
      : notObserved;
  return { judgement, next: typeof next === 'string' ? next : undefined, size: String(size) };
}
