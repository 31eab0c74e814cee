/**
 * What a run made on a target, written to disk before it is made, so that a later `sweep` can find it
 * even when the run was killed. One JSON object a line.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';

/** The journal beside a target file, by the folder of that. */
export function journalIn(folder: string): string {
  return join(folder, '.plumbline', 'journal.ndjson');
}

export type JournalLine =
  /** An instance is about to be asked for; `name` is the name that it will carry. */
  | {
      readonly kind: 'asked';
      readonly target: string;
      readonly baseUrl: string;
      readonly name: string;
      readonly at: string;
    }
  /** It was made, under this id. */
  | { readonly kind: 'made'; readonly name: string; readonly id: string }
  /** It is gone, or was never made. */
  | { readonly kind: 'gone'; readonly name: string };

/** What became of one leftover. */
export interface Swept {
  readonly name: string;
  readonly id: string | undefined;
  /** `never-made` when the whole list does not have the name; `pending` when it may still appear. */
  readonly outcome: 'terminated' | 'gone' | 'never-made' | 'pending' | 'stays';
  readonly reason?: string;
}

/** True when nothing is left to do. */
export function isOver(outcome: Swept['outcome']): boolean {
  return outcome !== 'stays' && outcome !== 'pending';
}

/** What is still to be removed, according to a journal. */
export interface Leftover {
  readonly target: string;
  readonly baseUrl: string;
  readonly name: string;
  /** Undefined when the run ended before it learned the id. */
  readonly id: string | undefined;
  /** When it was asked for, in milliseconds since 1970. */
  readonly askedAt: number;
}

/** A name that no other run and nobody else gives: `which` instance of a run it is for. */
export function instanceName(runId: string, which: number): string {
  return `plumbline-${runId}-${which}-${randomUUID().slice(0, 8)}`;
}

/** True for a name that a run may have given: whatever a journal says, nothing else is removed. */
export function isInstanceName(name: string): boolean {
  return /^plumbline-[\w-]+-\d+-[\da-f]{8}$/u.test(name);
}

export class Journal {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Appends at once: the line is on its way to disk before the request that it speaks of. */
  write(line: JournalLine): void {
    mkdirSync(dirname(this.path), { recursive: true });
    // A line break on both sides: a line that a killed run left torn spoils no other.
    appendFileSync(this.path, `\n${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
  }

  /** Everything that was asked for and is not known to be gone. A torn last line is passed over. */
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

  /**
   * Lines that say nothing, with their number in the file: what they spoke of may be left over. One that was torn as it was
   * written is passed over: what it was to say had not been done yet.
   */
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

  /** Removes the file when nothing is left over, as far as it can be read; what another run writes meanwhile is kept. */
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

/** How every line begins. */
const BEGINNING = '{"kind":"';

/** True for the beginning of a line of ours. */
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
