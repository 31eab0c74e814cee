/**
 * Instances that a run makes on a target, one JSON object per line. A line is written to disk before the instance is
 * requested, so that a later `sweep` finds it even if the run was killed.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';

/** The journal of a target file, in the folder of that file. */
export function journalIn(folder: string): string {
  return join(folder, '.plumbline', 'journal.ndjson');
}

export type JournalLine =
  /** An instance is about to be requested under this name. */
  | {
      readonly kind: 'asked';
      readonly target: string;
      readonly baseUrl: string;
      readonly name: string;
      readonly at: string;
    }
  /** The instance was made, with this id. */
  | { readonly kind: 'made'; readonly name: string; readonly id: string }
  /** The instance is gone, or was never made. */
  | { readonly kind: 'gone'; readonly name: string };

/** The outcome of sweeping one leftover. */
export interface Swept {
  readonly name: string;
  readonly id: string | undefined;
  /** `never-made` when the complete list does not have the name; `pending` when it may still appear. */
  readonly outcome: 'terminated' | 'gone' | 'never-made' | 'pending' | 'stays';
  readonly reason?: string;
}

/** True when nothing is left to do. */
export function isOver(outcome: Swept['outcome']): boolean {
  return outcome !== 'stays' && outcome !== 'pending';
}

/** An instance that must still be removed, according to the journal. */
export interface Leftover {
  readonly target: string;
  readonly baseUrl: string;
  readonly name: string;
  /** Undefined when the run ended before it learned the id. */
  readonly id: string | undefined;
  /** When it was requested, in milliseconds since 1970. */
  readonly askedAt: number;
}

/** A unique name for instance number `which` of a run. */
export function instanceName(runId: string, which: number): string {
  return `plumbline-${runId}-${which}-${randomUUID().slice(0, 8)}`;
}

/** True for a name that a run may have given. Nothing else is removed, whatever a journal says. */
export function isInstanceName(name: string): boolean {
  return /^plumbline-[\w-]+-\d+-[\da-f]{8}$/u.test(name);
}

export class Journal {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Appends and flushes the line, so that it is on disk before the request is sent. */
  write(line: JournalLine): void {
    mkdirSync(dirname(this.path), { recursive: true });
    // Line breaks on both sides keep a line that a killed run left incomplete apart from the others.
    appendFileSync(this.path, `\n${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
  }

  /** Every instance that was requested and is not known to be gone. Unreadable lines are skipped. */
  leftovers(): readonly Leftover[] {
    if (!existsSync(this.path)) return [];
    const open = new Map<string, Leftover>();
    for (const text of readFileSync(this.path, 'utf8').split('\n')) {
      const line = parsed(text);
      if (line === undefined) continue;
      const before = open.get(line.name);
      if (line.kind === 'asked') {
        open.set(line.name, {
          target: line.target,
          baseUrl: line.baseUrl,
          name: line.name,
          id: undefined,
          askedAt: Date.parse(line.at),
        });
      } else if (line.kind === 'made' && before !== undefined)
        open.set(line.name, { ...before, id: line.id });
      else if (line.kind === 'gone') open.delete(line.name);
    }
    return [...open.values()];
  }

  /** Unreadable lines with their number, since their instances may be left over. Lines cut off while written are skipped. */
  unreadable(): readonly { readonly number: number; readonly text: string }[] {
    if (!existsSync(this.path)) return [];
    return readFileSync(this.path, 'utf8')
      .split('\n')
      .flatMap((text, at) =>
        text.trim() === '' || parsed(text) !== undefined || isTorn(text)
          ? []
          : [{ number: at + 1, text }],
      );
  }

  /** Removes the file when it is readable and nothing is left over. Lines that another run writes meanwhile are kept. */
  tidy(): void {
    if (!existsSync(this.path) || this.#isNeeded()) return;
    const aside = `${this.path}.${process.pid}`;
    renameSync(this.path, aside);
    if (new Journal(aside).#isNeeded()) {
      appendFileSync(this.path, readFileSync(aside), { mode: 0o600, flush: true });
    }
    rmSync(aside, { force: true });
  }

  #isNeeded(): boolean {
    return this.leftovers().length + this.unreadable().length > 0;
  }
}

function parsed(text: string): JournalLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

const BEGINNING = '{"kind":"';

/** True for a line of ours that was cut off. */
function isTorn(text: string): boolean {
  if (!text.startsWith(BEGINNING) && !BEGINNING.startsWith(text)) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

const membersOf: Readonly<Record<string, readonly string[]>> = {
  asked: ['target', 'baseUrl', 'name', 'at'],
  made: ['name', 'id'],
  gone: ['name'],
};

function isLine(line: unknown): line is JournalLine {
  if (typeof line !== 'object' || line === null) return false;
  const members = new Map<string, unknown>(Object.entries(line));
  const needed = membersOf[String(members.get('kind'))];
  return needed?.every((name) => typeof members.get(name) === 'string') === true;
}
