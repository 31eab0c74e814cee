import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import { jsonBody } from '../../exchange/body.ts';
import { walk } from '../collection/reading.ts';

const page = (data: readonly number[], next: string | null) =>
  exchangeOf({ body: { data, pagination: { next } } });

/** A list in pages; the last page has no cursor, or one that leads back to a page that was seen. */
const lists = fc
  .array(fc.array(fc.integer(), { maxLength: 5 }), { minLength: 1, maxLength: 8 })
  .chain((pages) =>
    fc.record({
      pages: fc.constant(pages),
      back: fc.option(fc.integer({ min: 1, max: pages.length }), { nil: undefined }),
      mostPages: fc.integer({ min: 1, max: 12 }),
    }),
  );

test('a walk sees each page once, in order, and always ends', async () => {
  await fc.assert(
    fc.asyncProperty(lists, async ({ pages, back, mostPages }) => {
      const asked: (string | undefined)[] = [];
      const walked = await walk({
        page: async (cursor) => {
          asked.push(cursor);
          const at = cursor === undefined ? 0 : Number(cursor);
          const last = at + 1 >= pages.length;
          const onward = back === undefined || back >= pages.length ? null : String(back);
          return page(pages[at] ?? [], last ? onward : String(at + 1));
        },
        items: (exchange) => {
          const body = jsonBody(exchange);
          return body.ok ? Object(body.value).data : undefined;
        },
        mostPages,
      });
      const seen = Math.min(mostPages, pages.length);
      expect(new Set(asked).size).toBe(asked.length);
      expect(asked).toHaveLength(seen);
      expect(walked.items).toEqual(pages.slice(0, seen).flat());
      const turns = back !== undefined && back < pages.length;
      const whole = turns ? 'cursor-again' : 'last-page';
      expect(walked.end).toBe(mostPages < pages.length ? 'limit' : whole);
    }),
  );
});

test('a page of more items than any page may have is kept in part', async () => {
  const items = Array.from({ length: 300_000 }, (_, at) => at);
  const walked = await walk({
    page: async () => page([], null),
    items: () => items,
    mostPages: 1,
  });
  expect(walked.items).toEqual(items.slice(0, 10_000));
});
