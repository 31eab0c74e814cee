/** For tests: what the author of a target file is told. */

import { parseTarget } from './load.ts';
import { TargetFileError } from './problem.ts';

const environment = {
  KEY: 'hidden-key-1',
  OTHER: 'hidden-key-2',
  HOST: 'a.test',
  EMPTY: '',
  BROKEN: 'hidden-key-3\n',
  SPACED: 'hidden key 4',
};

/** The smallest compute file, with further lines. */
export function computeFile(...lines: readonly string[]): string {
  const smallest = ['contract: compute', 'baseUrl: https://a.test/v1', 'keys: { primary: ${KEY} }'];
  return [...smallest, ...lines].join('\n');
}

/** The smallest router file, with further lines. */
export function routerFile(...lines: readonly string[]): string {
  const smallest = ['contract: router', 'baseUrl: https://a.test', 'keys: { client: ${KEY} }'];
  return [...smallest, ...lines].join('\n');
}

/** The message with which a file is refused; fails when it shows a secret, or when the file is accepted. */
export function refusal(text: string): string {
  try {
    parseTarget(text, 'my.yaml', environment);
  } catch (error) {
    if (!(error instanceof TargetFileError)) throw error;
    const everything = JSON.stringify([Object.entries(error), error.message, error.stack]);
    const shown = /hunter|hidden.key|1234567890abcdef|123456789/u.exec(everything);
    if (shown) throw new Error(`the message shows a secret: ${error.message}`, { cause: error });
    return `\n${error.message}\n`;
  }
  throw new Error('the file was accepted');
}
