/** Pages of a list, and the cursors from one page to the next. */

import { createHmac, randomBytes } from 'node:crypto';
import { callerOf, type RequestContext } from '../context.ts';
import {
  type Cursor,
  type Instance,
  type InstanceQuery,
  invalid,
  isInstanceQuery,
  isPresetQuery,
  isRecord,
  type Page,
  type PagedQuery,
  type Placed,
  type Position,
} from '../model.ts';

/** Default page size of the instance list: 50. */
export function instancePageSize(): number {
  return 50;
}

/** One page of instances, from the start or after a position. */
export function selectInstances(
  query: InstanceQuery,
  after: Position | undefined,
  context: RequestContext,
): Page<Instance> {
  const wanted = query.size + (context.choices.emptyLastPage ? 0 : 1);
  const inCreationOrder =
    query.sortField === undefined && context.choices.directionAlone === 'ignored';
  const found = inCreationOrder
    ? newestFirst(query, after, wanted, context)
    : smallest(query, after, wanted, context);
  const items = found.slice(0, query.size);
  const last = items.at(-1);
  const isMore =
    found.length > query.size || (context.choices.emptyLastPage && items.length === query.size);
  return {
    items: items.map(({ instance }) => instance),
    end: last !== undefined && isMore ? { key: last.key, place: last.place } : undefined,
  };
}

/** Finds the first `wanted` items of a list, from its start or after a position. */
type Finding = (
  query: InstanceQuery,
  after: Position | undefined,
  wanted: number,
  context: RequestContext,
) => readonly Placed[];

/** Reads backwards from the position. Instances are kept in creation order, so no sort is needed. */
const newestFirst: Finding = (query, after, wanted, context) => {
  const instances = context.rules.instancesInReach(context);
  const found: Placed[] = [];
  for (let place = Math.min(after?.place ?? Infinity, instances.length) - 1; place >= 0; place--) {
    const instance = instances[place];
    if (instance === undefined || !context.rules.matchesQuery(instance, query, context)) continue;
    found.push({ instance, key: undefined, place });
    if (found.length === wanted) break;
  }
  return found;
};

/** Finds them in sort order in a single pass, so that a page does not cost a whole sort. */
const smallest: Finding = (query, after, wanted, context) => {
  const { rules } = context;
  const found: Placed[] = [];
  for (const [place, instance] of rules.instancesInReach(context).entries()) {
    if (!rules.matchesQuery(instance, query, context)) continue;
    const key =
      query.sortField === undefined
        ? undefined
        : rules.instanceSortKey(instance, query.sortField, query, context);
    const placed = { instance, key, place };
    const isPast =
      after === undefined ||
      rules.compareInstances(placed, { instance, ...after }, query, context) > 0;
    if (!isPast) continue;
    const last = found.length === wanted ? found.at(-1) : undefined;
    if (last !== undefined && rules.compareInstances(placed, last, query, context) > 0) continue;
    found.splice(slotOf(placed, found, query, context), 0, placed);
    if (found.length > wanted) found.pop();
  }
  return found;
};

function slotOf(
  placed: Placed,
  sorted: readonly Placed[],
  query: InstanceQuery,
  context: RequestContext,
): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = sorted[middle];
    if (other !== undefined && context.rules.compareInstances(other, placed, query, context) < 0) {
      low = middle + 1;
    } else high = middle;
  }
  return low;
}

/** A text that `decodeCursor` turns back into the cursor for the same account. */
export function encodeCursor(cursor: Cursor, context: RequestContext): string {
  const content = JSON.stringify({ ...cursor, owner: ownerOf(cursor.list, context) });
  const { cursor: style } = context.choices;
  if (style === 'stored') {
    const token = randomBytes(12).toString('hex');
    context.deployment.storedCursors.set(token, content);
    return token;
  }
  if (style === 'long') {
    return signed(JSON.stringify({ pad: 'x'.repeat(1_500), content }), 'base64url', context);
  }
  // Needs every kind of escaping in a URL. Clients have to return it unchanged.
  if (style === 'awkward') return `§ ${signed(content, 'base64', context)}&size=1#+%41 "é"`;
  return signed(content, 'base64url', context);
}

/** @throws {Refusal} 400 for a text that this deployment did not issue to this account for this list */
export function decodeCursor(text: string, list: Cursor['list'], context: RequestContext): Cursor {
  const content = contentOf(text, context);
  const value: unknown = content === undefined ? undefined : JSON.parse(content);
  if (isRecord(value) && value['owner'] === ownerOf(list, context)) {
    const { query, after } = value;
    if (isPosition(after)) {
      if (list === 'instances' && isInstanceQuery(query)) return { list, query, after };
      if (list === 'presets' && isPresetQuery(query)) return { list, query, after };
    }
  }
  throw invalid('cursor is not one that this list has given to this account.');
}

/** The query of a page: that of the walk, or that of the request, as this deployment chooses. */
export function queryOfPage<Q extends PagedQuery>(
  asked: Q,
  begun: Q | undefined,
  context: RequestContext,
): Q {
  if (begun === undefined) return asked;
  const { cursorWithOtherFilters, cursorKeepsSize } = context.choices;
  const sizeAsked = context.rules.readParameter('size', context) !== undefined;
  const size = sizeAsked || !cursorKeepsSize ? asked.size : begun.size;
  const page = begun.page + 1;
  if (cursorWithOtherFilters === 'request-wins') return { ...begun, ...asked, page, size };
  if (cursorWithOtherFilters === 'refuse' && differs(asked, begun)) {
    throw invalid('cursor belongs to a walk with other filters.');
  }
  return { ...begun, page, size };
}

/** Whether a request repeats a filter with another value. An omitted filter does not differ. */
function differs(asked: object, begun: object): boolean {
  const before = new Map(Object.entries(begun));
  return Object.entries(asked).some(
    ([name, value]) =>
      !['page', 'size', 'asOf'].includes(name) && value !== undefined && before.get(name) !== value,
  );
}

function ownerOf(list: Cursor['list'], context: RequestContext): string {
  // Presets are the same for every caller, so their cursors are too.
  return list === 'presets' ? '*' : callerOf(context).name;
}

function signed(
  content: string,
  encoding: 'base64' | 'base64url',
  context: RequestContext,
): string {
  const mark = signature(content, context).toString(encoding);
  return `${Buffer.from(content).toString(encoding)}.${mark}`;
}

function signature(content: string, context: RequestContext): Buffer {
  return createHmac('sha256', context.deployment.secret).update(content).digest().subarray(0, 12);
}

function contentOf(text: string, context: RequestContext): string | undefined {
  const { cursor } = context.choices;
  if (cursor === 'stored') return context.deployment.storedCursors.get(text);
  const plain = cursor === 'awkward' ? /^§ (.*)&size=1#\+%41 "é"$/su.exec(text)?.[1] : text;
  const [encoded = ''] = (plain ?? '').split('.');
  const content = Buffer.from(encoded, 'base64').toString();
  // Compared as text, since base64 decoders accept texts that no encoder writes.
  const due = signed(content, cursor === 'awkward' ? 'base64' : 'base64url', context);
  if (plain !== due) return undefined;
  if (cursor !== 'long') return content;
  const padded: unknown = JSON.parse(content);
  return isRecord(padded) && typeof padded['content'] === 'string' ? padded['content'] : undefined;
}

function isPosition(value: unknown): value is Position {
  return isRecord(value) && typeof value['place'] === 'number';
}
