import { describe, expect, it, test } from 'vitest';
import type { Mutant } from './instrument.ts';
import type { MutantJob } from './mutant-thread.ts';
import { type JobEnd, type CaseCost, Credits, firstWaves, groupsOf, Trial } from './trial.ts';

/** Cases by position: 0 is cheap, 1 costs most of a run. */
const costs = [
  { requests: 1, durationMs: 0 },
  { requests: 99, durationMs: 0 },
];

const mutant = (id: string, file = id): Mutant => ({
  id,
  contract: 'compute',
  file,
  line: 1,
  original: 'a < b',
  mutator: 'EqualityOperator',
  part: 'a < b',
  replacement: 'a <= b',
  nth: 1,
});

/** The case whose position ends a mutant's id finds it, unless it is hidden. */
function ended(job: MutantJob, isHidden: (id: string, on: readonly string[]) => boolean): JobEnd {
  const on = job.on.filter(
    (id) => !isHidden(id, job.on) && (job.variant === 'other') === id.startsWith('quota1'),
  );
  if (on.some((id) => id.startsWith('loop'))) return 'endless';
  const finders = [0, 1].filter(
    (at) => (job.cases?.includes(at) ?? true) && on.some((id) => id.endsWith(String(at))),
  );
  const silent = on.some((id) => id.startsWith('silent'));
  return {
    titles: [],
    killedBy: finders.length === 0 ? undefined : `by ${String(finders[0])}`,
    finders: finders.slice(0, 1),
    requests: 1,
    durationMs: 1,
    undecided: Array.from({ length: silent ? 9 : 0 }, (_, index) => `r${String(index)}`),
    met: on,
    reached: { import: [], start: [], cases: [] },
  };
}

/** Verdicts of the mutants, and the number of jobs. */
async function tried(
  mutants: readonly Mutant[],
  isHidden: Parameters<typeof ended>[1] = () => false,
) {
  const verdicts: Record<string, string> = {};
  let jobs = 0;
  const trial = new Trial({
    pool: {
      run: async (job) => {
        jobs += 1;
        return ended(job, isHidden);
      },
      runFromImport: async (id, cases) => ended({ on: [id], cases }, isHidden),
    },
    recording: {
      titles: ['cheap', 'dear'],
      costs,
      reached: 0,
      casesOf: (id) => (id.startsWith('far') ? undefined : [0, 1]),
      isAtImport: (id) => id.startsWith('import'),
      undecided: new Set(),
    },
    further: ({ id }) => (id.startsWith('quota') ? [{ cases: [0, 1], variant: 'other' }] : []),
    report: ({ mutant: { id }, kind, by }) => {
      expect(verdicts).not.toHaveProperty(id);
      verdicts[id] = by ?? kind;
    },
  });
  for (const one of mutants) await trial.first(one);
  while (trial.hasLiving) {
    for (const group of trial.takeLiving()) await trial.together(group);
  }
  return { verdicts, jobs };
}

test('a mutant that the first cases find meets no others', async () => {
  expect(await tried([mutant('a0')])).toEqual({ verdicts: { a0: 'by 0' }, jobs: 1 });
});

test('mutants that live are put before all other cases together', async () => {
  const { verdicts, jobs } = await tried([mutant('a'), mutant('b'), mutant('c')]);
  expect(verdicts).toEqual({ a: 'survived', b: 'survived', c: 'survived' });
  // Two waves for each mutant, and one job for the group.
  expect(jobs).toBe(7);
});

test('what is found together is told apart', async () => {
  const { verdicts } = await tried([mutant('a'), mutant('b1'), mutant('c1'), mutant('d')]);
  expect(verdicts).toEqual({ a: 'survived', b1: 'by 1', c1: 'by 1', d: 'survived' });
});

test('one that another kept from being passed through is tried by itself', async () => {
  const isHidden = (id: string, on: readonly string[]): boolean => id === 'b1' && on.includes('a');
  const { verdicts } = await tried([mutant('a'), mutant('b1')], isHidden);
  expect(verdicts).toEqual({ a: 'survived', b1: 'by 1' });
});

test('one that lives may show in another deployment', async () => {
  const { verdicts } = await tried([mutant('quota1'), mutant('quota')]);
  expect(verdicts).toEqual({ quota1: 'by 1', quota: 'survived' });
});

test('what leaves much undecided, comes to no end or is not passed through is told', async () => {
  const ids = ['silent', 'a', 'loop', 'far', 'import', 'import1'];
  const { verdicts } = await tried(ids.map((id) => mutant(id)));
  expect(verdicts).toEqual({
    silent: 'inconclusive',
    a: 'survived',
    loop: 'endless',
    far: 'not-reached',
    import: 'survived',
    import1: 'by 1',
  });
});

const cost = (requests: number, durationMs = 0): CaseCost => ({ requests, durationMs });
const none = (): number => 0;

describe('the first waves of a mutant', () => {
  /** Cases 0 to 7 are cheap, 8 waits, the others all cost the same. */
  const caseCosts = [
    ...Array.from({ length: 8 }, () => cost(1)),
    cost(1, 9_000),
    ...Array.from({ length: 4 }, () => cost(99)),
  ];

  it('are the cheap ones, as long as together they cost little of a whole run', () => {
    const all = [...caseCosts.keys()].toReversed();
    expect(firstWaves(all, caseCosts, none)).toEqual([
      [7, 6, 5],
      [4, 3, 2, 1, 0],
    ]);
  });

  it('begin with what found something before, whatever it costs', () => {
    expect(firstWaves([0, 1, 9], caseCosts, (at) => (at === 9 ? 1 : 0))).toEqual([[9], [0, 1]]);
  });

  it('are none for a mutant that no case reaches', () => {
    expect(firstWaves([], caseCosts, none)).toEqual([]);
  });
});

it('credit is kept for each file, and shared by cases that found the same', () => {
  const credits = new Credits();
  credits.add('paging.js', [1, 2]);
  credits.add('paging.js', [1]);
  expect([1, 2, 3].map(credits.of('paging.js'))).toEqual([1.5, 0.5, 0]);
  expect(credits.of('dates.js')(1)).toBe(0);
});

it('puts mutants of different files together, and each into one group', () => {
  const items = Array.from('aaabbcdefgh').map((file, at) => ({ file, at }));
  const groups = groupsOf(items, ({ file }) => file);
  expect(groups.map((group) => group.map(({ file }) => file).join(''))).toEqual([
    'abcdef',
    'abgh',
    'a',
  ]);
  expect(new Set(groups.flat())).toEqual(new Set(items));
  expect(groupsOf([], String)).toEqual([]);
});
