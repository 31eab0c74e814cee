/** The exit codes of the command. Others script against them. */

export const exitCodes = {
  conforms: 0,
  violates: 1,
  /** Wrong options, or a target file that cannot be used. */
  usage: 2,
  /** The target could not be reached, or did not accept the key. */
  unreachable: 3,
  /** The suite itself failed. */
  suiteFailed: 4,
  /** Nothing broken was seen, and too little was decided. */
  undecided: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** How a command tells its exit code. */
export type SetExitCode = (code: ExitCode) => void;

/** Ends a command with a message for the user and an exit code; no stack trace is shown. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}
