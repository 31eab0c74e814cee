/** Filtered presets against all presets. They are the same for everybody and seldom change. */

import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { isSameSequence } from '../collection/bracket.ts';
import { type Part, notAnswered } from '../collection/filter.ts';
import type { WireRecord } from './records.ts';

export interface PresetSelection {
  readonly before: Part;
  readonly after: Part;
  readonly part: Part;
  readonly matches: (preset: WireRecord) => boolean;
  readonly filter: string;
}

/**
 * The filter gives exactly the presets that it means, each as often as the full list has it. Nothing meant and
 * nothing given says nothing; neither does a list that changed meanwhile, or one that was not read to its end. Of a
 * walk that was not read to its end, only what came is judged: it may be long for what it should not have.
 */
export function selectsPresets(selection: PresetSelection): Judgement {
  const { before, after, part, matches, filter } = selection;
  const broken = notAnswered(part, filter);
  if (broken !== undefined) return broken;
  const isKnown = [before, after].every(({ end }) => end === 'last-page');
  if (!isKnown || !isSameSequence(before.ids, after.ids)) return notObserved;
  const expected = before.ids.filter((_, index) => {
    const preset = before.records[index];
    return preset !== undefined && matches(preset);
  });
  if (expected.length === 0 && part.ids.length === 0) return notObserved;
  const missing = part.end === 'last-page' ? without(expected, part.ids) : [];
  const extra = without(part.ids, expected);
  if (part.end !== 'last-page' && extra.length === 0) return notObserved;
  return expectThat(
    missing.length === 0 && extra.length === 0,
    `The filter ${filter} does not give the presets that it means.`,
    {
      expected: `${expected.length} presets`,
      actual: `${part.ids.length} presets; missing: ${missing[0] ?? 'none'}; too many: ${extra[0] ?? 'none'}`,
    },
    ...part.exchanges,
  );
}

/** What is in one list beyond what is in the other, repeats counted. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const item of other) left.set(item, (left.get(item) ?? 0) + 1);
  return list.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}
