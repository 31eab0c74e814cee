/** Instances that may be stopped and destroyed: made by this run as the target file says, or listed there for it. Each is journalled before it is asked for, and removed at the end of the run. */

import { exec, execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ComputeBindings, Provision } from '../../../schemas/compute/target.ts';
import { jsonBody } from '../../exchange/body.ts';
import { pause } from '../../exchange/budget.ts';
import type { ComputeGuard } from '../../exchange/compute-guard.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import { readIdentifier } from '../../target/bindings.ts';
import { instanceName, type Journal } from '../journal.ts';
import type { ComputeApi } from './api.ts';
import { observe } from './instances.ts';
import { findNamed, remove } from './sweep.ts';
import { waits } from '../../runner/waits.ts';

const runFile = promisify(execFile);

/** A command line that is one program and its plain arguments: whatever else a shell does with a line may act. */
const PLAIN = /^[\w\s./:,@%+-]+$/u;
/** Programs whose first argument is the file that they run. */
const INTERPRETERS = /^(?:sh|bash|dash|zsh|node|python3?|ruby|perl)$/u;

/**
 * The file or program without which the command does nothing, with what is wrong with it; undefined when nothing is,
 * and for a line that may do more than run one program.
 */
export async function missingProgram(command: string, folder: string): Promise<string | undefined> {
  if (!PLAIN.test(command)) return undefined;
  const [program = '', argument] = command.trim().split(/\s+/u);
  if (program.includes('/')) return unusable(program, folder, constants.X_OK);
  if (!(await isFound(program, folder))) return `${program} is not found`;
  return INTERPRETERS.test(program) && argument !== undefined && /^[\w./]/u.test(argument)
    ? unusable(argument, folder, constants.R_OK)
    : undefined;
}

function unusable(file: string, folder: string, mode: number): string | undefined {
  const there = path.resolve(folder, file);
  if (!existsSync(there)) return `there is no file ${file}`;
  if (!statSync(there).isFile()) return `${file} is no file`;
  try {
    accessSync(there, mode);
    return undefined;
  } catch {
    return mode === constants.X_OK ? `${file} is not executable` : `${file} cannot be read`;
  }
}

/** As the shell looks for it, which has commands of its own. */
async function isFound(program: string, folder: string): Promise<boolean> {
  try {
    await runFile('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', program], { cwd: folder });
    return true;
  } catch {
    return false;
  }
}

const run = promisify(exec);

/** Looks for instances that were asked for and never answered. */
const ATTEMPTS_FOR_UNKNOWN = 3;

export interface DisposablesOptions {
  readonly provision: Provision | undefined;
  /** True to keep the first of listed ids back for `take` with `kept`: what many cases can share. */
  readonly keepFirst: boolean;
  readonly consent: { readonly stop: boolean; readonly terminate: boolean };
  readonly guard: ComputeGuard;
  readonly journal: Journal;
  readonly target: { readonly name: string; readonly baseUrl: string };
  readonly bindings: ComputeBindings;
  readonly runId: string;
  /** Folder of the target file: commands run there. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export class Disposables {
  readonly #options: DisposablesOptions;
  readonly #listed: string[];
  #kept: string | undefined;
  /** Name to id of what this run made and has not yet seen removed. */
  readonly #made = new Map<string, string>();
  /** Names that were asked for and of which no id is known (yet). */
  readonly #unknown = new Set<string>();
  readonly #making = new Set<Promise<string>>();
  /** Listed ones that were terminated by somebody else. */
  #gone = 0;
  #ended = false;
  #count = 0;

  constructor(options: DisposablesOptions) {
    this.#options = options;
    this.#listed = isList(options.provision) ? [...options.provision] : [];
    this.#kept = options.keepFirst ? this.#listed.shift() : undefined;
  }

  /**
   * An instance of our own, in whatever state it is. Throws `NotExercised` when the target file offers none
   * (any more), `Inconclusive` when making one failed. `kept` gives the one that was kept back.
   */
  async take(api: ComputeApi, kept = false): Promise<string> {
    const { provision, guard } = this.#options;
    if (provision === undefined) throw new NotExercised('no way to make disposable instances');
    if (isList(provision)) {
      const id = await this.#nextOf(api, kept);
      if (id === undefined) {
        const gone =
          this.#gone === 0 ? '' : `, ${this.#gone} of them terminated before they were needed`;
        throw new NotExercised(
          `the ${provision.length} listed disposable instances are used up${gone}`,
          'instances: { provision: [ more ids ] }',
        );
      }
      guard.allow(id, 'stop', 'start', 'terminate');
      return id;
    }
    if (!this.#options.consent.terminate) {
      throw new NotExercised(
        'an instance that is made must be removed again, and that needs leave',
        'consent: { terminate: true }',
      );
    }
    return this.#make(provision, api);
  }

  /** The next listed one that is good for something: a terminated one would be used up in vain. */
  async #nextOf(api: ComputeApi, kept: boolean): Promise<string | undefined> {
    for (;;) {
      const id = kept ? (this.#kept ?? this.#listed.shift()) : this.#listed.shift();
      if (kept) this.#kept = undefined;
      if (id === undefined) return undefined;
      const { status } = (await observe(api, this.#options.bindings, id)) ?? {};
      if (status !== 'TERMINATING' && status !== 'TERMINATED') return id;
      this.#gone += 1;
    }
  }

  /** True when this run made something, or may have made it. */
  get hasLeft(): boolean {
    return this.#made.size + this.#unknown.size + this.#making.size > 0;
  }

  /**
   * Ends the making and terminates what is left of what this run made, also what was asked for and never
   * answered. What cannot be removed or found stays in the journal.
   */
  async sweep(api: ComputeApi): Promise<void> {
    const { journal, bindings } = this.#options;
    this.#ended = true;
    await Promise.allSettled(this.#making);
    await this.#findUnknown(api);
    await Promise.all(
      [...this.#made].map(async ([name, id]) => {
        if ((await remove(api, bindings, id)).kind === 'stays') return;
        journal.write({ kind: 'gone', name });
        this.#made.delete(name);
      }),
    );
    journal.tidy();
  }

  /** An answer that was cut off may belong to an instance that appears a moment later. */
  async #findUnknown(api: ComputeApi): Promise<void> {
    for (
      let attempts = 0;
      attempts < ATTEMPTS_FOR_UNKNOWN && this.#unknown.size > 0;
      attempts += 1
    ) {
      if (attempts > 0) await pause(waits.sweptRequest.pollMs[0]);
      for (const { name, id } of (await findNamed(api, this.#unknown)).found) {
        this.#options.guard.allow(id, 'terminate');
        this.#options.journal.write({ kind: 'made', name, id });
        this.#made.set(name, id);
        this.#unknown.delete(name);
      }
    }
  }

  async #make(provision: Exclude<Provision, readonly string[]>, api: ComputeApi): Promise<string> {
    if (this.#ended) throw new Inconclusive('the run is ending');
    const making = this.#makeNow(provision, api);
    this.#making.add(making);
    try {
      return await making;
    } finally {
      this.#making.delete(making);
    }
  }

  async #makeNow(
    provision: Exclude<Provision, readonly string[]>,
    api: ComputeApi,
  ): Promise<string> {
    const { journal, target, guard, runId } = this.#options;
    this.#count += 1;
    const name = instanceName(runId, this.#count);
    journal.write({
      kind: 'asked',
      target: target.name,
      baseUrl: target.baseUrl,
      name,
      at: new Date().toISOString(),
    });
    this.#unknown.add(name);
    const id =
      'command' in provision
        ? await this.#byCommand(provision.command, name)
        : await byRequest(provision, name, api);
    journal.write({ kind: 'made', name, id });
    this.#made.set(name, id);
    this.#unknown.delete(name);
    guard.allow(id, 'stop', 'start', 'terminate');
    return id;
  }

  /** A command that could not even run made nothing: there is nothing to look for. */
  async #closeUnmade(command: string, name: string): Promise<void> {
    if ((await missingProgram(command, this.#options.folder)) === undefined) return;
    this.#options.journal.write({ kind: 'gone', name });
    this.#options.journal.tidy();
    this.#unknown.delete(name);
  }

  async #byCommand(command: string, name: string): Promise<string> {
    try {
      const { stdout } = await run(command, {
        cwd: this.#options.folder,
        env: { ...process.env, PLUMBLINE_INSTANCE_NAME: name },
        timeout: waits.sweptCommand.withinMs,
        signal: this.#options.signal,
      });
      const text = stdout.trim();
      const id = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/iu.exec(text)?.[0];
      if (id === undefined) throw new Error(`it printed no instance id but: ${text.slice(0, 200)}`);
      return id;
    } catch (error) {
      await this.#closeUnmade(command, name);
      throw new Inconclusive(
        `the provision command failed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}

async function byRequest(
  provision: { readonly request: string; readonly id: string },
  name: string,
  api: ComputeApi,
): Promise<string> {
  const [method = 'POST', route = ''] = provision.request.trim().split(/\s+/u);
  const exchange = await api.send({ method, path: route, json: { name }, as: 'primary' });
  const body = jsonBody(exchange);
  const id = body.ok ? readIdentifier(body.value, provision.id) : undefined;
  if (id === undefined) {
    throw new Inconclusive(
      `${provision.request} answered ${exchange.response?.status ?? 'nothing'} and no id at ${provision.id}`,
    );
  }
  return id;
}

function isList(provision: Provision | undefined): provision is readonly string[] {
  return Array.isArray(provision);
}
