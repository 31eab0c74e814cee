/** Cursors: one that nobody issued, one used twice, one beside other filters. */

import { refusedWith } from '../../harness/checks/compute/answers.ts';
import { leadsOn } from '../../harness/checks/compute/given-cursor.ts';
import { noCrash } from '../../harness/checks/compute/odd-request.ts';
import { nothingForeign } from '../../harness/checks/compute/foreign-items.ts';
import { presetContent } from '../../harness/checks/compute/preset-names.ts';
import { presetsOf } from '../../harness/checks/compute/presets.ts';
import { samePage } from '../../harness/checks/compute/same-page.ts';
import { oddText, oddTexts } from '../../harness/generate/odd-text.ts';
import { readInstances } from '../../harness/drivers/compute/listing.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import {
  having,
  tell,
  wholeInstances,
  wholePresets,
} from '../../harness/drivers/compute/whole-lists.ts';
import { nextCursor } from '../../harness/checks/compute/next-cursor.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

/** Nobody issues this: cursors are opaque, so nothing closer to a real one is ever made up. */
const GARBAGE = 'plumbline-no-such-cursor';
export default computeSection('pagination', (test) => {
  test(
    'the same cursor twice gives the same page',
    { judges: ['compute.pagination.cursor-repeats'], requests: 8 },
    async (t) => {
      const whole = wholeInstances(t, {}, { mostPages: 1 });
      await having(whole, 2, 'instances');
      for (const size of [1, undefined]) {
        const verdicts = await whole.against(
          async () => {
            const cursor = nextCursor(await t.api.list({ size: 1 }));
            if (typeof cursor !== 'string') throw new NotExercised('the list has no second page');
            return [
              await t.api.list({ cursor, size }),
              await t.api.list({ cursor, size }),
            ] as const;
          },
          ({ before, after }, [first, again]) => [
            {
              requirement: 'compute.pagination.cursor-repeats' as const,
              judgement: samePage({ before: before.ids, after: after.ids }, first, again),
            },
          ],
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'the same cursor of presets twice gives the same page',
    { judges: ['compute.presets.cursor-repeats'], requests: 4 },
    async (t) => {
      const whole = wholePresets(t);
      await having(whole, 2, 'presets');
      const namesOn = (page: Exchange) =>
        presetsOf(page, t.bindings)?.map((preset) => presetContent(preset, t.bindings));
      const verdicts = await whole.against(
        async () => {
          const cursor = nextCursor(await t.api.presets({ size: 1 }));
          if (typeof cursor !== 'string') throw new NotExercised('the list has no second page');
          return [
            await t.api.presets({ cursor, size: 1 }),
            await t.api.presets({ cursor, size: 1 }),
          ] as const;
        },
        ({ before, after }, [first, again]) => [
          {
            requirement: 'compute.presets.cursor-repeats' as const,
            judgement: samePage({ before: before.ids, after: after.ids }, first, again, namesOn),
          },
        ],
      );
      tell(t, verdicts);
    },
  );

  for (const [id, list] of [
    ['compute.pagination.garbage-cursor-refused', 'list'],
    ['compute.presets.garbage-cursor-refused', 'presets'],
  ] as const) {
    test(
      `a cursor that nobody issued is refused (${list})`,
      { judges: [id], requests: 1 },
      async (t) => {
        const answer = await t.api[list]({ cursor: GARBAGE });
        t.judge(id, refusedWith(answer, 400, 'A cursor that nobody issued'));
      },
    );
  }

  test(
    'a cursor that nobody issued never gives instances of somebody else',
    { judges: ['compute.pagination.garbage-cursor-gives-nothing'], requests: 4 },
    async (t) => {
      const whole = wholeInstances(t);
      const foreign =
        t.target.keys.second === undefined
          ? undefined
          : await readInstances(t.api, {}, { as: 'second', mostPages: 2 });
      const verdicts = await whole.against(
        async () => t.api.list({ cursor: GARBAGE, size: 200 }),
        (around, answer) => [
          {
            requirement: 'compute.pagination.garbage-cursor-gives-nothing' as const,
            judgement: nothingForeign(around, answer, foreign?.ids ?? []),
          },
        ],
      );
      tell(t, verdicts);
    },
  );

  for (const [id, list] of [
    ['compute.pagination.cursor-leads-on', 'list'],
    ['compute.presets.cursor-leads-on', 'presets'],
  ] as const) {
    test(`a cursor that a page gives leads on (${list})`, { judges: [id] }, async (t) => {
      let seen = 0;
      for (const size of [1, 200]) {
        // A cursor that was overtaken is not given twice.
        for (const isLast of [false, true]) {
          const page = await t.api[list]({ size });
          const cursor = nextCursor(page);
          if (typeof cursor !== 'string') break;
          const judgement = leadsOn(page, await t.api[list]({ size, cursor }));
          if (judgement.violations.length > 0 && !isLast) continue;
          t.judge(id, judgement);
          seen += judgement.seen;
          break;
        }
      }
      if (seen === 0) t.notExercised(id, 'the list has one item at most, and gives no cursor');
    });
  }

  test(
    'odd cursors never bring about a server error',
    { judges: ['compute.pagination.garbage-cursor-no-5xx'], requests: 32 },
    async (t) => {
      await t.property(
        'odd cursors',
        oddText,
        async (cursor, judge) => {
          const answer = await t.api.list({ cursor });
          const plain = (answer.response?.status ?? 0) < 500 ? undefined : await t.api.list();
          judge('compute.pagination.garbage-cursor-no-5xx', noCrash(answer, plain, cursor));
        },
        { weight: 0.25, examples: oddTexts },
      );
    },
  );

  test(
    'what a cursor does beside other filters is recorded',
    { judges: ['compute.pagination.cursor-with-other-filters'], requests: 3 },
    async (t) => {
      const cursor = nextCursor(await t.api.list({ size: 1 }));
      if (typeof cursor !== 'string') throw new NotExercised('the list has no second page');
      const answer = await t.api.list({ size: 1, cursor, region: 'FR' });
      t.record(
        'compute.pagination.cursor-with-other-filters',
        `a cursor of the whole list, with region=FR: ${answer.response?.status}`,
        answer,
      );
    },
  );
});
