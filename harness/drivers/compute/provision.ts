/** Makes one instance, with the command or the request of the target file. */

import { exec, execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Provision } from '../../../schemas/compute/target.ts';
import { jsonBody } from '../../exchange/body.ts';
import { Inconclusive } from '../../runner/case.ts';
import { waits } from '../../runner/waits.ts';
import { readIdentifier } from '../../target/bindings.ts';
import type { ComputeApi } from './api.ts';

const run = promisify(exec);
const runFile = promisify(execFile);

/** A command line that is one program with plain arguments; anything else that a shell interprets may have effects. */
const PLAIN = /^[\w\s./:,@%+-]+$/u;
/** Programs whose first argument is the file that they run. */
const INTERPRETERS = /^(?:sh|bash|dash|zsh|node|python3?|ruby|perl)$/u;

/** Thrown when certainly nothing was made, so that nothing has to be searched for. */
export class NotMade extends Inconclusive {}

/** A command or a request that makes instances, in place of a list of them. */
export type Making = Exclude<Provision, readonly string[]>;

/** Makes an instance and returns its id. Throws `NotMade` if nothing was made, `Inconclusive` if something may have been. */
export async function makeInstance(
  making: Making,
  name: string,
  {
    api,
    ...at
  }: { readonly api: ComputeApi; readonly folder: string; readonly signal: AbortSignal },
): Promise<string> {
  return 'command' in making ? byCommand(making.command, name, at) : byRequest(making, name, api);
}

async function byCommand(
  command: string,
  name: string,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<string> {
  try {
    const { stdout } = await run(command, {
      cwd: folder,
      env: { ...process.env, PLUMBLINE_INSTANCE_NAME: name },
      timeout: waits.sweptCommand.withinMs,
      signal,
    });
    const text = stdout.trim();
    const id = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/iu.exec(text)?.[0];
    if (id === undefined) throw new Error(`it printed no instance id but: ${text.slice(0, 200)}`);
    return id;
  } catch (error) {
    const isMissing = (await missingProgram(command, folder)) !== undefined;
    throw new (isMissing ? NotMade : Inconclusive)(
      `the provision command failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function byRequest(
  { request, id: idPath }: Extract<Making, { readonly request: string }>,
  name: string,
  api: ComputeApi,
): Promise<string> {
  const [method = 'POST', route = ''] = request.trim().split(/\s+/u);
  const exchange = await api.send({ method, path: route, json: { name }, as: 'primary' });
  const body = jsonBody(exchange);
  const id = body.ok ? readIdentifier(body.value, idPath) : undefined;
  if (id === undefined) {
    const { status = 0 } = exchange.response ?? {};
    const isRefused = status >= 400 && status < 500 && status !== 408;
    throw new (isRefused ? NotMade : Inconclusive)(
      `${request} answered ${exchange.response?.status ?? 'nothing'} and no id at ${idPath}`,
    );
  }
  return id;
}

/** Why the program or script of a plain command cannot run; undefined when it can, and for other command lines. */
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

/** Asks the shell, which also has built-in commands. */
async function isFound(program: string, folder: string): Promise<boolean> {
  try {
    await runFile('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', program], { cwd: folder });
    return true;
  } catch {
    return false;
  }
}
