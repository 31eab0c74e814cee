/** The questions of `plumbline init` on a terminal. */

import { contractData, contractNames } from '../../../schemas/contracts.ts';
import type { Contract } from '../../../schemas/requirement.ts';
import { contractOf } from '../../contracts/index.ts';
import { readBaseUrl } from '../../contracts/target-file.ts';
import { CommandFailure, exitCodes, refuse } from '../exit.ts';
import { notGiven, type RunOptions } from './options.ts';

export interface InitOptions extends Pick<RunOptions, 'header'> {
  readonly contract?: Contract;
  readonly baseUrl?: string;
  readonly keyEnv?: string;
  readonly out: string;
  readonly force: boolean;
  /** PEM files, relative to the working directory. */
  readonly ca?: string;
  readonly cert?: string;
  readonly certKey?: string;
}

export interface Answers {
  readonly contract: Contract;
  readonly baseUrl: string;
  readonly keyEnv: string;
  /** A key that the user typed, because the environment variable is not set. */
  readonly key?: string;
}

const VARIABLE = /^[A-Za-z_]\w*$/u;

/** Longer words are unlikely in the name of a variable. */
const LONGEST_WORD = 20;

/** Whether the given name of a variable may in fact be a key. A variable that is set is not. */
export function looksLikeKey(name: string): boolean {
  if (process.env[name] !== undefined) return false;
  const mixed = /[a-z]/u.test(name) && /\d/u.test(name);
  return mixed || name.split('_').some((word) => word.length > LONGEST_WORD) || /\d{4}/u.test(name);
}

/** Throws `CommandFailure` for missing options without a terminal, and when the user cancels. */
export async function askFor(options: InitOptions): Promise<Answers> {
  const { contract, baseUrl, keyEnv } = options;
  if (keyEnv !== undefined && !VARIABLE.test(keyEnv)) {
    refuse(
      '--key-env: give the name of an environment variable, as in COMPUTE_KEY, and not the key.',
    );
  }
  if (contract !== undefined && baseUrl !== undefined && keyEnv !== undefined) {
    return { contract, baseUrl, keyEnv };
  }
  // Nobody can answer questions through a pipe.
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    const missing = notGiven({
      '--contract': contract,
      '--base-url': baseUrl,
      '--key-env': keyEnv,
    });
    refuse(`Without a terminal nothing can be asked: add ${missing.join(', ')}.`);
  }
  return ask(options);
}

async function ask(options: InitOptions): Promise<Answers> {
  const { intro, isCancel, outro, password, select, text } = await import('@clack/prompts');
  const output = process.stderr;
  intro('A target file tells plumbline about one deployment. It is looked at with reads alone.', {
    output,
  });
  const contract =
    options.contract ??
    (await select<Contract>({
      message: 'What does it serve?',
      options: contractNames.map((name) => ({
        value: name,
        label: name,
        hint: contractData(name).serves,
      })),
      output,
    }));
  if (isCancel(contract)) leave();
  const baseUrl =
    options.baseUrl ??
    (await text({
      message: 'Where is it?',
      placeholder: contractOf(contract).address.example,
      validate: (value = '') => {
        const read = readBaseUrl(contract, value);
        return 'problem' in read ? `${read.problem}. ${read.hint}` : undefined;
      },
      output,
    }));
  if (isCancel(baseUrl)) leave();
  const keyEnv =
    options.keyEnv ??
    (await text({
      message: 'Which environment variable holds a key? (The file names it, never the key.)',
      initialValue: `${contract.toUpperCase()}_KEY`,
      validate: (value = '') =>
        VARIABLE.test(value) && !looksLikeKey(value)
          ? undefined
          : 'The name of a variable, as in COMPUTE_KEY, and not the key.',
      output,
    }));
  if (isCancel(keyEnv)) leave();
  if (looksLikeKey(keyEnv) || (process.env[keyEnv] ?? '') !== '') {
    outro('Looking at the deployment…', { output });
    return { contract, baseUrl, keyEnv };
  }
  const key = await password({
    message: `${keyEnv} is not set. The key, for this look alone (it is not written anywhere):`,
    validate: (value = '') => (value === '' ? 'A key is needed to look.' : undefined),
    output,
  });
  if (isCancel(key)) leave();
  outro('Looking at the deployment…', { output });
  return { contract, baseUrl, keyEnv, key };
}

function leave(): never {
  throw new CommandFailure('Nothing was written.', exitCodes.interrupted);
}
