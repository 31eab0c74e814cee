/** Reads a deviations file. It is data: nothing in it is executed, and no variable is filled in. */

import { isMap, isNode, isPair, LineCounter, parseDocument, visit } from 'yaml';
import { allRequirements } from '../../schemas/contracts.ts';
import type { Requirement } from '../../schemas/requirement.ts';
import { deviation, deviationList, type Deviation } from '../../schemas/deviations.ts';
import { readTextFile, TargetFileError, type TargetProblem, unreadableFile } from './problem.ts';
import { meant } from './known-keys.ts';

/** Reads a deviations file from disk, if one was given. Throws `TargetFileError`, which tells every mistake with its line. */
export function loadDeviations(file: string | undefined): readonly Deviation[] {
  if (file === undefined) return [];
  const read = readTextFile(file);
  if ('text' in read) return parseDeviations(read.text, file);
  throw unreadableFile(file, read.problem, 'Name a file of known deviations with --deviations.');
}

/** The same of a text; `file` names it in messages. */
export function parseDeviations(
  text: string,
  file: string,
  catalogue: readonly Requirement[] = allRequirements,
): readonly Deviation[] {
  const source = new DeviationSource(text);
  refuse(file, source.problems);
  const judged = deviationList.safeParse(source.entries);
  refuse(file, formProblems(source, judged.error?.issues ?? []));
  const entries = judged.data ?? [];
  refuse(
    file,
    entries.flatMap((entry, at) => senseProblems(source, entries, entry, at, catalogue)),
  );
  return entries;
}

type Path = readonly (string | number)[];
type Told = Pick<TargetProblem, 'problem' | 'hint'>;

const form =
  'Write a list; each entry has requirement, reason and expires, and may have link and target.';

/** The file with the place of everything in it. */
class DeviationSource {
  /** What stands in the list, to be judged. */
  readonly entries: unknown;
  readonly problems: readonly TargetProblem[];
  readonly #text: string;
  readonly #counter = new LineCounter();
  readonly #root: Path;
  readonly #document: ReturnType<typeof parseDocument>;

  constructor(text: string) {
    this.#text = text;
    this.#document = parseDocument(text, { lineCounter: this.#counter, prettyErrors: false });
    const [error] = [...this.#document.errors, ...this.#document.warnings];
    const content = this.#document.contents;
    this.#root = isMap(content) && content.has('deviations') ? ['deviations'] : [];
    if (error !== undefined) {
      const said = error.message.replaceAll(/\s+/gu, ' ');
      this.problems = [this.#at(error.pos[0], '', { problem: `not YAML: ${said}`, hint: form })];
      return;
    }
    let alias: number | undefined;
    visit(this.#document, { Alias: (_, node) => void (alias ??= node.range?.[0] ?? 0) });
    if (alias !== undefined) {
      const hint = 'Write the value itself: nothing else may stand for it.';
      this.problems = [this.#at(alias, '', { problem: 'an alias', hint })];
      return;
    }
    const value: unknown = this.#document.toJS();
    const wrapped = typeof value === 'object' && value !== null && 'deviations' in value;
    this.entries = (wrapped ? value.deviations : value) ?? [];
    this.problems = [];
  }

  /** A mistake at a place in the list, or at the nearest thing around it. */
  problemAt(path: Path, told: Told, part: 'key' | 'value' = 'value'): TargetProblem {
    const whole = [...this.#root, ...path];
    for (let length = whole.length; length >= 0; length -= 1) {
      const offset = this.#offsetOf(whole.slice(0, length), part);
      if (offset !== undefined) return this.#at(offset, placeName(path), told);
    }
    return {
      line: undefined,
      column: undefined,
      excerpt: undefined,
      key: placeName(path),
      ...told,
    };
  }

  #offsetOf(path: Path, part: 'key' | 'value'): number | undefined {
    const parent = this.#document.getIn(path.slice(0, -1), true);
    if (part === 'key' && isMap(parent)) {
      const pair = parent.items.find(({ key }) => isNode(key) && String(key) === path.at(-1));
      if (isPair(pair) && isNode(pair.key)) return pair.key.range?.[0];
    }
    const node = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    return isNode(node) ? node.range?.[0] : undefined;
  }

  #at(offset: number, key: string, told: Told): TargetProblem {
    const { line, col } = this.#counter.linePos(Math.min(offset, this.#text.length));
    const start = this.#counter.lineStarts[line - 1] ?? 0;
    const [excerpt = ''] = this.#text.slice(start).split(/\r?\n/u, 1);
    return { line, column: col, key, excerpt, ...told };
  }
}

/** `2.reason` is the reason of the second entry. */
function placeName(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? `entry ${step + 1}` : step)).join(' ');
}

function formProblems(
  source: DeviationSource,
  issues: readonly { code: string; path: readonly PropertyKey[]; keys?: readonly string[] }[],
): readonly TargetProblem[] {
  const known = Object.keys(deviation.shape);
  return issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.keys !== undefined) {
      return issue.keys.map((key) => {
        const hint = meant(key, known, `Known here: ${known.join(', ')}.`);
        return source.problemAt([...path, key], { problem: 'unknown key', hint }, 'key');
      });
    }
    const [, member] = path;
    if (typeof member !== 'string') {
      return [source.problemAt(path, { problem: 'expected a list of deviations', hint: form })];
    }
    const hint = expectations[member] ?? form;
    return [source.problemAt(path, { problem: 'missing or not in its form', hint })];
  });
}

const expectations: Readonly<Record<string, string>> = {
  requirement: 'Write the id of a requirement, as the report shows it.',
  reason: 'Say in words why it is accepted for now.',
  link: 'Write an http or https address.',
  expires: 'Write the last day on which it is accepted, as 2027-01-31.',
  target: 'Write the name of a target.',
};

function senseProblems(
  source: DeviationSource,
  entries: readonly Deviation[],
  entry: Deviation,
  at: number,
  catalogue: readonly Requirement[],
): readonly TargetProblem[] {
  const { requirement: id, target } = entry;
  const wrong = (problem: string, hint: string) => [
    source.problemAt([at, 'requirement'], { problem, hint }),
  ];
  const known = catalogue.find((requirement) => requirement.id === id);
  if (known === undefined) {
    const ids = catalogue.map((requirement) => requirement.id);
    const look = 'The report and docs/requirements.md list the ids.';
    return wrong(`no requirement is called ${id}`, meant(id, ids, look));
  }
  if (known.strength === 'open') {
    return wrong(`${id} is open: it is recorded and never judged`, 'Take the entry out.');
  }
  const first = entries.findIndex((each) => each.requirement === id && each.target === target);
  return first < at
    ? wrong(`${id} stands twice for the same target`, `Keep one of entry ${first + 1} and this.`)
    : [];
}

function refuse(file: string, problems: readonly TargetProblem[]): void {
  const [first, ...others] = problems;
  if (first !== undefined) throw new TargetFileError(file, first, ...others);
}
