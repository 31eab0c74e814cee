/** Lines to add to a target file, as one block that can be pasted. */

import { parse, stringify } from 'yaml';

/** Each line as YAML; those that begin with the same word become one. */
export function oneBlock(lines: readonly string[]): string {
  let block: unknown = {};
  for (const line of lines) {
    // Variables and paths with braces are no YAML within braces until they are quoted.
    const quoted = line.replaceAll(/(?<!['"])(\$\{\w+\}|[A-Z]+ \/[\w/{}-]+)(?!['"])/gu, "'$1'");
    block = merged(block, parse(quoted));
  }
  return stringify(block, { lineWidth: 0 }).trimEnd();
}

function merged(one: unknown, other: unknown): unknown {
  if (!isMap(one) || !isMap(other)) return other;
  const entries = Object.entries(other).map(([name, value]) => [name, merged(one[name], value)]);
  return { ...one, ...Object.fromEntries(entries) };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
