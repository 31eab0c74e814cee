/** Cursors that nobody issued, and cursors that change under those who hold them. */

import { declareFaults } from '../../fault.ts';
import { type ComputeRules, type RequestContext, callerOf } from '../context.ts';
import type { Cursor } from '../queries.ts';
import type { KeyEntry } from '../model.ts';
import { invalid } from '../refusal.ts';
import { readInstanceQuery } from '../operations/instance-query.ts';
import { otherAccount } from './population.ts';
import { refusalIn } from './answering.ts';

/** A deployment that takes what no cursor is for a cursor. */
function taking(
  rules: ComputeRules,
  list: Cursor['list'],
  instead: (text: string, context: RequestContext) => Cursor,
): ComputeRules {
  return {
    ...rules,
    decodeCursor: (text, of, context) => {
      if (of !== list) return rules.decodeCursor(text, of, context);
      const refusal = refusalIn(() => rules.decodeCursor(text, of, context));
      return refusal === undefined ? rules.decodeCursor(text, of, context) : instead(text, context);
    },
  };
}

/** What no cursor that is read back may hold: JSON has no such number. */
const unknownInstanceId = { key: undefined, place: Number.NaN } as const;
const start = { key: undefined, place: Number.MAX_SAFE_INTEGER } as const;

export const cursorFaults = declareFaults<ComputeRules>([
  {
    name: 'garbage-cursor-starts-anew',
    summary: 'A cursor that nobody issued gives the first page.',
    breaks: ['compute.pagination.garbage-cursor-refused'],
    patch: (rules) =>
      taking(rules, 'instances', (_text, context) => ({
        list: 'instances',
        query: { ...readInstanceQuery(context), page: 0 },
        after: start,
      })),
  },
  {
    name: 'garbage-cursor-gives-another-account',
    summary: 'A cursor that nobody issued gives the instances of another account.',
    breaks: [
      'compute.pagination.garbage-cursor-gives-nothing',
      'compute.pagination.garbage-cursor-refused',
      'compute.scoping.lists-disjoint',
      'compute.scoping.foreign-cursor',
    ],
    patch: (rules) => {
      const lost = new WeakSet<object>();
      return {
        ...taking(rules, 'instances', (_text, context) => {
          lost.add(context);
          return {
            list: 'instances',
            query: { ...readInstanceQuery(context), page: 0 },
            after: start,
          };
        }),
        instancesInReach: (context) =>
          lost.has(context) ? otherAccount(context).instances : rules.instancesInReach(context),
      };
    },
  },
  {
    name: 'garbage-cursor-crashes',
    summary: 'A cursor that nobody issued brings about a 500.',
    breaks: [
      'compute.pagination.garbage-cursor-no-5xx',
      'compute.pagination.garbage-cursor-refused',
    ],
    patch: (rules) =>
      taking(rules, 'instances', (text) => {
        throw new Error(`no such cursor: ${text}`);
      }),
  },
  {
    name: 'cursor-beyond-ascii-crashes',
    summary: 'A cursor with a character beyond ASCII brings about a 500.',
    breaks: ['compute.pagination.garbage-cursor-no-5xx'],
    patch: (rules) =>
      taking(rules, 'instances', (text) => {
        if (/[^\p{ASCII}]/u.test(text)) throw new Error('Only ASCII can be decoded.');
        throw invalid('No such cursor.');
      }),
  },
  {
    name: 'preset-garbage-cursor-crashes',
    summary: 'A preset cursor that nobody issued brings about a 500.',
    breaks: ['compute.presets.garbage-cursor-no-5xx'],
    patch: (rules) =>
      taking(rules, 'presets', (text) => {
        throw new Error(`no such cursor: ${text}`);
      }),
  },
  {
    name: 'cursor-is-good-once',
    summary: 'A cursor that is used a second time is refused.',
    breaks: ['compute.pagination.cursor-repeats'],
    patch: (rules) => {
      const used = new Set<string>();
      return {
        ...rules,
        decodeCursor: (text, list, context) => {
          if (context.query.startsWith('cursor=') && list === 'instances') {
            if (used.has(text)) throw invalid('This cursor was used.');
            used.add(text);
          }
          return rules.decodeCursor(text, list, context);
        },
      };
    },
  },
  {
    name: 'cursor-moves-on-with-each-use',
    summary: 'A cursor without a size beside it gives the page after it, then the one after that.',
    breaks: ['compute.pagination.cursor-repeats'],
    patch: (rules) => {
      const uses = new Map<string, number>();
      return {
        ...rules,
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
  {
    name: 'foreign-cursor-shows-its-owner',
    summary: 'A cursor shows the instances of the account that it was issued to, whoever uses it.',
    breaks: ['compute.scoping.foreign-cursor', 'compute.scoping.lists-disjoint'],
    patch: (rules) => {
      const owners = new Map<string, KeyEntry>();
      const borrowed = new WeakMap<object, string>();
      return {
        ...rules,
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
  {
    name: 'last-page-of-instances-gives-a-dead-cursor',
    summary: 'The last page of 200 instances gives a cursor that is refused.',
    breaks: ['compute.pagination.cursor-leads-on'],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const page = rules.selectInstances(query, after, context);
        return query.size === 200 && page.end === undefined
          ? { ...page, end: unknownInstanceId }
          : page;
      },
    }),
  },
  {
    name: 'first-page-of-one-preset-gives-a-dead-cursor',
    summary: 'A page of one preset gives a cursor that is refused.',
    breaks: ['compute.presets.cursor-leads-on'],
    patch: (rules) => ({
      ...rules,
      selectPresets: (query, after, context) => {
        const page = rules.selectPresets(query, after, context);
        return query.size === 1 && page.end !== undefined
          ? { ...page, end: unknownInstanceId }
          : page;
      },
    }),
  },
]);
