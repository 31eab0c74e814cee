/** The command that judges one requirement again. */

const PLAIN_WORD = /^[\w@%+=:,./-]+$/u;

/** A word as a POSIX shell reads it back unchanged. */
export function shellWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `file` is the target file; without one the embedded reference deployments are judged. */
export function replayCommand(file: string | undefined, requirement: string, seed: number): string {
  const words = ['plumbline', 'run'];
  if (file !== undefined) words.push(shellWord(file));
  words.push('--only', shellWord(requirement), '--seed', String(seed));
  return words.join(' ');
}
