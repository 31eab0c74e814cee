import { describe, expect, test } from 'vitest';
import { listRecord } from '../checks/compute/exchange.test.support.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { atSecond, judgedBy } from './judged.test.support.ts';
import { WalkFollower } from './compute.ts';
import { InstanceFollower } from './instances.ts';

const ENDS = 'compute.pagination.walk-ends';
const LAST = 'compute.pagination.last-page-null';
const ROUND = 'A walk does not end: it goes on where it has been before.';

let walked = 0;
/** A page with this many items, by default a full one. */
function pageOf(query: string, next: string | null, items = 2, path = '/instances'): Exchange {
  walked += 1;
  const data = Array.from({ length: items }, () => listRecord());
  return atSecond(walked, {
    path,
    query: `size=2&${query}`,
    body: { data, pagination: { next, size: 2 } },
  });
}
const verdicts = (pages: readonly Exchange[], of = ENDS) =>
  judgedBy(new WalkFollower(), pages)
    .judged.filter(([requirement]) => requirement === of)
    .map(([, verdict]) => verdict);

describe('a walk', () => {
  test('that comes to null has ended', () => {
    expect(verdicts([pageOf('', 'a'), pageOf('cursor=a', 'b'), pageOf('cursor=b', null)])).toEqual([
      'held',
    ]);
  });

  test('that comes to a cursor again does not end', () => {
    expect(verdicts([pageOf('', 'a'), pageOf('cursor=a', 'b'), pageOf('cursor=b', 'a')])).toEqual([
      ROUND,
    ]);
    expect(verdicts([pageOf('', 'a'), pageOf('cursor=a', 'a')])).toEqual([ROUND]);
  });

  test('of which a page is asked for twice is no circle, and neither are two walks', () => {
    const twice = [pageOf('', 'a'), pageOf('cursor=a', 'b'), pageOf('cursor=a', 'b')];
    expect(verdicts([...twice, pageOf('', 'a'), pageOf('cursor=a', 'b')])).toEqual([]);
  });

  test('is told from another by its query: the same cursors may stand in both', () => {
    const one = [pageOf('region=FR', 'a'), pageOf('region=FR&cursor=a', 'b')];
    const other = [pageOf('region=US', 'b'), pageOf('region=US&cursor=b', 'a')];
    expect(verdicts([...one, ...other])).toEqual([]);
  });

  test('over a sorted list may come to a cursor again, since its items change places', () => {
    const sorted = (cursor: string, next: string | null) =>
      pageOf(`sort_field=CURRENT_COST${cursor}`, next);
    const first = [sorted('', 'a'), sorted('&cursor=a', 'b'), sorted('&cursor=b', null)];
    const second = [sorted('', 'b'), sorted('&cursor=b', 'a')];
    expect(verdicts([...first, ...second])).toEqual(['held']);
  });

  test('from a cursor that nobody was seen to get says nothing', () => {
    expect(verdicts([pageOf('cursor=invented', null)])).toEqual([]);
    expect(verdicts([pageOf('cursor=invented', 'invented')])).toEqual([]);
  });

  test('over presets is judged for itself', () => {
    const walk = [pageOf('', 'a', 2, '/presets'), pageOf('cursor=a', null, 1, '/presets')];
    expect(verdicts(walk, 'compute.presets.walk-ends')).toEqual(['held']);
  });

  test('without an end holds bounded memory, and a circle is still found', () => {
    const endless = Array.from({ length: 7_000 }, (_, at) =>
      pageOf(at === 0 ? '' : `cursor=${at}`, String(at + 1)),
    );
    const follower = new WalkFollower();
    judgedBy(follower, endless);
    expect(follower.size).toBe(5_000);
    expect(judgedBy(follower, [pageOf('cursor=7000', '6900')]).judged).toEqual([[ENDS, ROUND]]);
  });
});

describe('a last page', () => {
  test('with room to spare has no next one', () => {
    expect(verdicts([pageOf('', null, 1)], LAST)).toEqual(['held']);
  });

  test('that is followed by an empty one was the last', () => {
    const [verdict] = verdicts([pageOf('', 'a', 1), pageOf('cursor=a', null, 0)], LAST);
    expect(verdict).toMatch(/has a next page/u);
  });

  test('is not one that is followed by more', () => {
    expect(verdicts([pageOf('', 'a', 1), pageOf('cursor=a', null, 1)], LAST)).toEqual([]);
    expect(verdicts([pageOf('', 'a', 2), pageOf('cursor=a', null, 0)], LAST)).toEqual([]);
  });
});

const ID = '6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11';
const bindings = {
  terminate: 'POST /instances/{id}/terminate',
  start: 'POST /instances/{id}/start',
  getInstance: { record: '$' },
};

const listed = (second: number, status: string, query = ''): Exchange =>
  atSecond(second, {
    query,
    body: { data: [listRecord({ status })], pagination: { next: null, size: 50 } },
  });
const shown = (second: number, status: string): Exchange =>
  atSecond(second, { path: `/instances/${ID.toUpperCase()}`, body: listRecord({ status }) });
const called = (second: number, action: string, status: number): Exchange =>
  atSecond(second, { method: 'POST', path: `/instances/${ID}/${action}`, status, body: {} });

const judged = (exchanges: readonly Exchange[], exclusive = false) =>
  judgedBy(new InstanceFollower(bindings, exclusive), exchanges);

const kept = ['compute.states.order-kept', 'held'];
const against = ['compute.states.order-kept', 'An instance moved against the documented order.'];

describe('an instance that was seen TERMINATED', () => {
  test('and is so still: held, in lists and alone', () => {
    expect(judged([listed(0, 'TERMINATED'), shown(10, 'TERMINATED')]).judged).toEqual([
      ['compute.states.terminated-stays', 'held'],
    ]);
  });

  test('and comes back: broken', () => {
    expect(judged([shown(0, 'TERMINATED'), listed(10, 'RUNNING')]).judged).toEqual([
      ['compute.states.terminated-stays', 'An instance that was TERMINATED came back.'],
    ]);
  });

  test('may still be shown otherwise by a copy that is behind, or behind the cursor of an old walk', () => {
    expect(judged([shown(0, 'TERMINATED'), listed(2, 'TERMINATING')]).judged).toEqual([]);
    expect(judged([shown(0, 'TERMINATED'), listed(60, 'RUNNING', 'cursor=c')]).judged).toEqual([]);
  });

  test('by an answer that came in after another had begun, says nothing of that one', () => {
    const late = { ...shown(0, 'TERMINATED'), durationMs: 60_000 };
    expect(judged([late, listed(30, 'RUNNING')]).judged).toEqual([]);
  });

  test('refuses stop and terminate with 409', () => {
    const seen = shown(0, 'TERMINATED');
    expect(judged([seen, called(1, 'stop', 409), called(2, 'terminate', 409)]).judged).toEqual([
      ['compute.stop-instance.terminated-conflict', 'held'],
      ['compute.terminate-instance.terminated-conflict', 'held'],
    ]);
    expect(judged([seen, called(1, 'terminate', 200)]).judged).toEqual([
      [
        'compute.terminate-instance.terminated-conflict',
        'A terminate of a terminated instance was accepted.',
      ],
    ]);
    expect(judged([seen, called(1, 'stop', 401)]).judged).toEqual([]);
  });
});

test('an instance that is TERMINATING does not come back', () => {
  expect(judged([shown(0, 'TERMINATING'), shown(10, 'STOPPED')]).judged).toEqual([
    ['compute.states.order-kept', 'An instance that was TERMINATING came back.'],
  ]);
});

describe('an instance that is alive', () => {
  const back = [shown(0, 'STOPPED'), shown(10, 'RUNNING')];

  test('may have been started by somebody else', () => {
    expect(judged(back).judged).toEqual([]);
    expect(judged(back).transitions).toEqual(['STOPPED>RUNNING']);
  });

  test('is held to the order where nobody else acts', () => {
    expect(judged(back, true).judged).toEqual([against]);
    expect(judged([shown(0, 'RUNNING'), shown(10, 'STOPPED')], true).judged).toEqual([kept]);
  });

  test('was started by a start that was seen, or by what may be one', () => {
    const [before, after] = back;
    if (before === undefined || after === undefined) throw new Error('two looks');
    expect(judged([before, called(5, 'start', 202), after], true).judged).toEqual([kept]);
    expect(judged([before, called(5, 'boot', 202), after], true).judged).toEqual([kept]);
  });

  test('may take its time to start, and is held to the order once it has moved', () => {
    const late = [shown(0, 'STOPPED'), called(5, 'start', 202), shown(10, 'STOPPED')];
    const started = [...late, shown(20, 'RUNNING')];
    expect(judged(started, true).judged).toEqual([kept, kept]);
    const stopped = [...started, called(25, 'stop', 202), shown(30, 'STOPPED')];
    expect(judged([...stopped, shown(40, 'STOPPING')], true).judged).toEqual([
      kept,
      kept,
      kept,
      against,
    ]);
  });

  test('may take its time to start, too, where its rest is seen after the start alone', () => {
    const late = [called(2, 'start', 202), shown(3, 'STOPPED'), shown(20, 'RUNNING')];
    expect(judged(late, true).judged).toEqual([kept]);
    const earlier = [shown(-60, 'RUNNING'), called(-30, 'stop', 202), ...late];
    expect(judged(earlier, true).judged).toEqual([kept, kept]);
    const again = [called(25, 'stop', 202), shown(30, 'STOPPED'), shown(40, 'RUNNING')];
    expect(judged([...late, ...again], true).judged.at(-1)).toEqual(against);
  });

  test('that errs is recorded', () => {
    expect(judged([shown(0, 'RUNNING'), shown(10, 'ERRORED')]).notes).toEqual([
      'RUNNING, then ERRORED',
    ]);
  });
});

test('a bounded number of instances is followed', () => {
  const follower = new InstanceFollower(bindings, false);
  const page = Array.from({ length: 6_000 }, (_, at) =>
    listRecord({ instance_id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}` }),
  );
  judgedBy(follower, [atSecond(0, { body: { data: page, pagination: { next: null, size: 50 } } })]);
  expect(follower.size).toBe(5_000);
});
