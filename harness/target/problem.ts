/** Problems with a target file, and hints where the target cannot be reached, written for its author. */

import { readFileSync } from 'node:fs';
import { codeOrMessage, type Exchange } from '../exchange/exchange.ts';
import type { Target } from '../../schemas/target.ts';

/** A problem, and what to do about it. */
export interface Problem {
  readonly problem: string;
  readonly hint: string;
}

/** A problem in the file; lines and columns count from 1, and are undefined for a problem with the whole file. */
export interface TargetProblem extends Problem {
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The key, such as `keys.primary`; empty when the problem concerns no key. */
  readonly key: string;
  /** The offending line, with everything secret masked. */
  readonly excerpt: string | undefined;
}

/** Thrown for an unusable target file, with every problem found. It contains no secret. */
export class TargetFileError extends Error {
  override name = 'TargetFileError';
  readonly file: string;
  readonly problems: readonly TargetProblem[];

  constructor(file: string, problems: readonly TargetProblem[]) {
    super(problems.map((one) => problemText(file, one)).join('\n\n'));
    this.file = file;
    this.problems = problems;
  }
}

/** Throws when there are problems. */
export function refuse(file: string, problems: readonly TargetProblem[]): void {
  if (problems.length > 0) throw new TargetFileError(file, problems);
}

function problemText(file: string, one: TargetProblem): string {
  const where = [file, one.line, one.column].filter((part) => part !== undefined).join(':');
  const key = one.key === '' ? '' : `${one.key}: `;
  return [`${where}: ${key}${one.problem}`, ...excerptLines(one), `  ${one.hint}`].join('\n');
}

function excerptLines(one: TargetProblem): readonly string[] {
  if (one.excerpt === undefined || one.line === undefined || one.column === undefined) return [];
  const number = String(one.line);
  const margin = ' '.repeat(number.length);
  return [`  ${number} | ${one.excerpt}`, `  ${margin} | ${' '.repeat(one.column - 1)}^`];
}

/** The text of a file, or why it cannot be read. Invalid UTF-8 is an error, so that no key changes silently. */
export function readTextFile(
  file: string,
): { readonly text: string } | { readonly problem: string } {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(readFileSync(file)) };
  } catch (error) {
    const code = codeOrMessage(error);
    const known: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EISDIR: 'this is a folder',
      ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not a text in UTF-8',
    };
    return { problem: known[code] ?? `it cannot be read (${code})` };
  }
}

/** The error for a file that could not be read. */
export function unreadableFile(file: string, problem: string, hint: string): TargetFileError {
  const noPosition = { line: undefined, column: undefined, excerpt: undefined };
  return new TargetFileError(file, [{ ...noPosition, key: '', problem, hint }]);
}

/** A pattern of transport causes, and what to do about them. */
type Hint = readonly [cause: RegExp, hint: string];

const hints: readonly Hint[] = [
  [/ENOTFOUND|EAI_AGAIN/u, 'There is no host of that name; check baseUrl in the target file.'],
  [/ECONNREFUSED/u, 'Nothing listens there; is the service up, and the port right?'],
  [/CERT_HAS_EXPIRED/u, 'Its certificate has expired; it must be renewed before anything can run.'],
  [/CERT_NOT_YET_VALID/u, 'Its certificate is not valid yet; is the clock of this machine right?'],
  [
    /ALTNAME/u,
    'Its certificate is for another name; does baseUrl in the target file have the name under which it is served?',
  ],
  [
    /CERTIFICATE_REQUIRED/u,
    'It wants a client certificate; name one in the target file: tls: { cert: client.pem, key: client-key.pem }.',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_/u,
    'Its certificate is not trusted. For a private authority, name its certificate in the target file, tls: { ca: ca.pem }, or in NODE_EXTRA_CA_CERTS.',
  ],
  [
    /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/u,
    'It speaks no version of TLS that is still safe; TLS 1.2 is the least.',
  ],
  [
    /UNRECOGNIZED_NAME/u,
    'It serves no such host there; check the name in baseUrl of the target file.',
  ],
  [/HANDSHAKE_FAILURE/u, 'It has no TLS version or cipher in common with this machine.'],
  [
    /before secure TLS|WRONG_VERSION_NUMBER|SSL|TLS|EPROTO/u,
    'It does not speak TLS there, or closed the connection before it did; is the port right, and is it https?',
  ],
  [/timeout|no end within/u, 'It did not answer in time; is a firewall or VPN in the way?'],
];

/** What to do about an exchange without a usable response. */
export function unreachableHint(target: Target, exchange: Exchange, cause: string): string {
  if (exchange.ending === 'complete') {
    return exchange.response?.status === 429
      ? 'It is there, and lets no more requests of this key through for now: try again later, or with another key.'
      : 'It is there, and answers; is baseUrl in the target file right, and is the service well?';
  }
  const isPlain = new URL(target.baseUrl).protocol === 'http:';
  const known = hints.find(([pattern]) => pattern.test(cause) || pattern.test(exchange.ending));
  if (known !== undefined) return known[1];
  if (/HPE_|malformed/u.test(`${cause} ${exchange.ending}`)) {
    return `What answers there does not speak HTTP${isPlain ? '; is it https?' : '.'}`;
  }
  if (exchange.ending !== 'reset' && exchange.ending !== 'cut-short') {
    return 'Is baseUrl in the target file right, and is the service up?';
  }
  return isPlain
    ? 'It closed every connection; is baseUrl in the target file right, is it https, and is the service up?'
    : 'It closed every connection; is baseUrl in the target file right, is the service up, and does it want a client certificate (tls in the target file)?';
}
