/** Cursors that nobody issued, and cursors that change under those who hold them. */

import { type RequestContext, callerOf } from '../context.ts';
import { type Cursor, invalid, type KeyEntry } from '../model.ts';
import { readInstanceQuery } from '../operations.ts';
import { otherAccount } from './population.ts';
import { type Patch, replace, amend, faultTable, refusalIn } from './answering.ts';

/** A deployment that takes what no cursor is for a cursor. */
function taking(
  list: Cursor['list'],
  instead: (text: string, context: RequestContext) => Cursor,
): Patch {
  return replace('decodeCursor', (original, text, of, context) => {
    if (of !== list) return original(text, of, context);
    const refusal = refusalIn(() => original(text, of, context));
    return refusal === undefined ? original(text, of, context) : instead(text, context);
  });
}

/** What no cursor that is read back may hold: JSON has no such number. */
const unknownInstanceId = { key: undefined, place: Number.NaN } as const;
const start = { key: undefined, place: Number.MAX_SAFE_INTEGER } as const;

export const cursorFaults = faultTable({
  'compute.pagination.garbage-cursor-refused': {
    'garbage-cursor-starts-anew': {
      says: 'A cursor that nobody issued gives the first page.',
      patch: taking('instances', (_text, context) => ({
        list: 'instances',
        query: { ...readInstanceQuery(context), page: 0 },
        after: start,
      })),
    },
  },
  'compute.pagination.garbage-cursor-gives-nothing': {
    'garbage-cursor-gives-another-account': {
      besides: [
        'compute.pagination.garbage-cursor-refused',
        'compute.scoping.lists-disjoint',
        'compute.scoping.foreign-cursor',
      ],
      patch: (rules) => {
        const lost = new WeakSet<object>();
        return {
          ...taking('instances', (_text, context) => {
            lost.add(context);
            return {
              list: 'instances',
              query: { ...readInstanceQuery(context), page: 0 },
              after: start,
            };
          })(rules),
          instancesInReach: (context) =>
            lost.has(context) ? otherAccount(context).instances : rules.instancesInReach(context),
        };
      },
    },
  },
  'compute.pagination.garbage-cursor-no-5xx': {
    'garbage-cursor-crashes': {
      says: 'A cursor that nobody issued brings about a 500.',
      besides: ['compute.pagination.garbage-cursor-refused'],
      patch: taking('instances', (text) => {
        throw new Error(`no such cursor: ${text}`);
      }),
    },
    'cursor-beyond-ascii-crashes': taking('instances', (text) => {
      if (/[^\p{ASCII}]/u.test(text)) throw new Error('Only ASCII can be decoded.');
      throw invalid('No such cursor.');
    }),
  },
  'compute.presets.garbage-cursor-no-5xx': {
    'preset-garbage-cursor-crashes': taking('presets', (text) => {
      throw new Error(`no such cursor: ${text}`);
    }),
  },
  'compute.pagination.cursor-repeats': {
    'cursor-is-good-once': (rules) => {
      const used = new Set<string>();
      return {
        decodeCursor: (text, list, context) => {
          if (context.query.startsWith('cursor=') && list === 'instances') {
            if (used.has(text)) throw invalid('This cursor was used.');
            used.add(text);
          }
          return rules.decodeCursor(text, list, context);
        },
      };
    },
    'cursor-moves-on-with-each-use': {
      says: 'A cursor without a size beside it gives the page after it, then the one after that.',
      patch: (rules) => {
        const uses = new Map<string, number>();
        return {
          decodeCursor: (text, list, context) => {
            const cursor = rules.decodeCursor(text, list, context);
            const use = uses.get(text) ?? 0;
            uses.set(text, use + 1);
            const place = cursor.after.place - use;
            return list === 'instances' ? { ...cursor, after: { ...cursor.after, place } } : cursor;
          },
        };
      },
    },
  },
  'compute.scoping.foreign-cursor': {
    'foreign-cursor-shows-its-owner': {
      besides: ['compute.scoping.lists-disjoint'],
      patch: (rules) => {
        const owners = new Map<string, KeyEntry>();
        const borrowed = new WeakMap<object, string>();
        return {
          encodeCursor: (cursor, context) => {
            const text = rules.encodeCursor(cursor, context);
            if (context.key !== undefined) owners.set(text, context.key);
            return text;
          },
          decodeCursor: (text, list, context) => {
            const owner = owners.get(text);
            if (owner === undefined || owner.account === callerOf(context).name) {
              return rules.decodeCursor(text, list, context);
            }
            borrowed.set(context, owner.account);
            return rules.decodeCursor(text, list, { ...context, key: owner });
          },
          instancesInReach: (context) => {
            const account = borrowed.get(context);
            return account === undefined
              ? rules.instancesInReach(context)
              : context.world.account(account).instances;
          },
        };
      },
    },
  },
  'compute.pagination.cursor-leads-on': {
    'last-page-of-instances-gives-a-dead-cursor': amend('selectInstances', (page, query) =>
      query.size === 200 && page.end === undefined ? { ...page, end: unknownInstanceId } : page,
    ),
  },
  'compute.presets.cursor-leads-on': {
    'first-page-of-one-preset-gives-a-dead-cursor': amend('selectPresets', (page, query) =>
      query.size === 1 && page.end !== undefined ? { ...page, end: unknownInstanceId } : page,
    ),
  },
});
