/** `--header`: lines that the requests of one call carry, beside those of the target file. */

import { headerProblem, headerSecretName } from '../target/headers.ts';
import { expandVariables } from '../target/concealment.ts';
import type { PlannedTarget } from '../runner/selection.ts';
import { refuse } from './exit.ts';

/** Name and value of each line as it was typed: a variable of the environment is not read. */
export function headersAsTyped(lines: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const [, header = '', written = ''] = /^([^:]*):\s*(.*)$/su.exec(line) ?? [];
      return [header, written] as const;
    }),
  );
}

/** The target with these headers, `Name: value` each; their values are shown nowhere. Throws `CommandFailure`. */
export function withHeaders(planned: PlannedTarget, lines: readonly string[] = []): PlannedTarget {
  const headers = new Map(Object.entries(planned.target.headers ?? {}));
  const values = new Map(Object.entries(planned.secrets));
  for (const [header, written] of headersAsTyped(lines)) {
    const { text, missing } = expandVariables(written, process.env);
    const problem =
      missing[0] === undefined
        ? headerProblem(header, text)
        : `the environment has no ${missing[0]}`;
    if (problem !== undefined) refuse(`--header '${header}: …': ${problem}.`);
    for (const name of headers.keys()) {
      if (name.toLowerCase() === header.toLowerCase()) headers.delete(name);
    }
    headers.set(header, headerSecretName(header));
    values.set(headerSecretName(header), text);
  }
  return {
    ...planned,
    target: { ...planned.target, headers: Object.fromEntries(headers) },
    secrets: Object.fromEntries(values),
  };
}
