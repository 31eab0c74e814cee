/** Where two texts differ, to mark the difference between expected and actual. */

export interface TextPart {
  readonly text: string;
  readonly same: boolean;
}

/** Characters of a common beginning that are kept as context. */
const CONTEXT = 24;
/** Maximum characters of a side, a few lines of a terminal. */
const SHOWN = 280;

const OTHER_STATUS = 60;

/** Both sides from shortly before the first difference, cut to a few lines. Never empty. */
export function differingPart(
  sides: { readonly expected: string; readonly actual: string },
  limit = SHOWN,
) {
  const { expected, actual } = sides;
  const isLong = Math.max(expected.length, actual.length) > limit;
  const same =
    isLong && expected !== actual ? commonLength(Array.from(expected), Array.from(actual)) : 0;
  const start = same > 2 * CONTEXT ? same - CONTEXT : 0;
  const part = (text: string, longest = limit): string => {
    const rest = Array.from(text).slice(start);
    const shown = rest.slice(0, longest).join('');
    if (text === '' || text === 'undefined') return '(nothing)';
    return `${start > 0 ? '… ' : ''}${shown}${rest.length > longest ? '…' : ''}`;
  };
  const [asked, got] = [expected, actual].map((text) => /^\d{3}(?=\s|$)/u.exec(text)?.[0]);
  const isStatus = asked !== undefined && got !== undefined && asked !== got;
  // For a success in place of a refusal, the rest of the response does not matter.
  if (isStatus && got.startsWith('2')) return { expected: part(expected), actual: got };
  return { expected: part(expected), actual: part(actual, isStatus ? OTHER_STATUS : limit) };
}

/** Maximum words per side for a full comparison, which takes quadratic space. Beyond it, only the ends are compared. */
const MAX_WORDS = 400;

/** Compares word by word. The parts of a side concatenate to that side. */
export function differenceOf(expected: string, actual: string) {
  const left = wordsOf(expected);
  const right = wordsOf(actual);
  const start = commonLength(left, right);
  const end = commonLength(left.slice(start).toReversed(), right.slice(start).toReversed());
  const leftMiddle = left.slice(start, left.length - end);
  const rightMiddle = right.slice(start, right.length - end);
  const kept =
    leftMiddle.length <= MAX_WORDS && rightMiddle.length <= MAX_WORDS
      ? commonWords(leftMiddle, rightMiddle)
      : { left: new Set<number>(), right: new Set<number>() };
  const isEnd = (index: number, words: readonly string[]) =>
    index < start || index >= words.length - end;
  return {
    expected: joined(left, (index) => isEnd(index, left) || kept.left.has(index - start)),
    actual: joined(right, (index) => isEnd(index, right) || kept.right.has(index - start)),
  };
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function commonLength(left: readonly string[], right: readonly string[]): number {
  let length = 0;
  while (length < left.length && length < right.length && left[length] === right[length]) {
    length += 1;
  }
  return length;
}

/** Indices of a longest common subsequence. */
function commonWords(
  left: readonly string[],
  right: readonly string[],
): { readonly left: ReadonlySet<number>; readonly right: ReadonlySet<number> } {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  const lengthAt = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        left[row] === right[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  const kept = { left: new Set<number>(), right: new Set<number>() };
  for (let row = 0, column = 0; row < left.length && column < right.length;) {
    if (left[row] === right[column]) {
      kept.left.add(row);
      kept.right.add(column);
      row += 1;
      column += 1;
    } else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) row += 1;
    else column += 1;
  }
  return kept;
}

function joined(words: readonly string[], isSame: (index: number) => boolean): readonly TextPart[] {
  const parts: { text: string; same: boolean }[] = [];
  for (const [index, word] of words.entries()) {
    const same = isSame(index);
    const last = parts.at(-1);
    if (last?.same === same) last.text += word;
    else parts.push({ text: word, same });
  }
  return parts;
}
