/** Reads a deviations file. It is plain data, without variables. */

import { isMap } from 'yaml';
import { allRequirements } from '../../schemas/contracts.ts';
import { deviation, deviationList, type Deviation } from '../../schemas/deviations.ts';
import { readTextFile, refuse, type TargetProblem, unreadableFile } from './problem.ts';
import { meant } from './known-keys.ts';
import { YamlSource } from './yaml-source.ts';

/** Reads a deviations file from disk, if given. Throws `TargetFileError` with every mistake and its line. */
export function loadDeviations(file: string | undefined): readonly Deviation[] {
  if (file === undefined) return [];
  const read = readTextFile(file);
  if ('text' in read) return parseDeviations(read.text, file);
  throw unreadableFile(file, read.problem, 'Name a file of known deviations with --deviations.');
}

/** Reads deviations from a text; `file` names it in messages. */
export function parseDeviations(text: string, file: string): readonly Deviation[] {
  const source = new YamlSource(file, text, () => false);
  refuse(file, source.problems);
  const { contents } = source.document;
  const isWrapped = isMap(contents) && contents.has('deviations');
  const value: unknown = source.document.toJS();
  const root: Path = isWrapped ? ['deviations'] : [];
  const problemAt: ProblemAt = (path, problem, hint, part = 'value') => ({
    ...source.problemAt([...root, ...path], part, problem, hint),
    // `entry 2 reason` is the reason of the second entry.
    key: path.map((step) => (typeof step === 'number' ? `entry ${step + 1}` : step)).join(' '),
  });
  const judged = deviationList.safeParse((isWrapped ? Object(value).deviations : value) ?? []);
  refuse(file, formProblems(problemAt, judged.error?.issues ?? []));
  const entries = judged.data ?? [];
  refuse(
    file,
    entries.flatMap((entry, at) => senseProblems(problemAt, entries, entry, at)),
  );
  return entries;
}

type Path = readonly (string | number)[];

/** Makes a problem at a path in the list, or at the nearest existing parent. */
type ProblemAt = (
  path: Path,
  problem: string,
  hint: string,
  part?: 'key' | 'value',
) => TargetProblem;

const form =
  'Write a list; each entry has requirement, reason and expires, and may have link and target.';

function formProblems(
  problemAt: ProblemAt,
  issues: readonly { code: string; path: readonly PropertyKey[]; keys?: readonly string[] }[],
): readonly TargetProblem[] {
  const known = Object.keys(deviation.shape);
  return issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.keys !== undefined) {
      return issue.keys.map((key) => {
        const hint = meant(key, known, `Known here: ${known.join(', ')}.`);
        return problemAt([...path, key], 'unknown key', hint, 'key');
      });
    }
    const [, member] = path;
    if (typeof member !== 'string') {
      return [problemAt(path, 'expected a list of deviations', form)];
    }
    const hint = expectations[member] ?? form;
    return [problemAt(path, 'missing or not in its form', hint)];
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
  problemAt: ProblemAt,
  entries: readonly Deviation[],
  entry: Deviation,
  at: number,
): readonly TargetProblem[] {
  const { requirement: id, target } = entry;
  const wrong = (problem: string, hint: string) => [problemAt([at, 'requirement'], problem, hint)];
  const known = allRequirements.find((requirement) => requirement.id === id);
  if (known === undefined) {
    const ids = allRequirements.map((requirement) => requirement.id);
    const hint = 'The report and docs/requirements.md list the ids.';
    return wrong(`no requirement is called ${id}`, meant(id, ids, hint));
  }
  if (known.strength === 'open') {
    return wrong(`${id} is open: it is recorded and never judged`, 'Take the entry out.');
  }
  const first = entries.findIndex((each) => each.requirement === id && each.target === target);
  return first < at
    ? wrong(`${id} stands twice for the same target`, `Keep one of entry ${first + 1} and this.`)
    : [];
}
