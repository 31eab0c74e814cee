/** How a case says that it cannot judge. Thrown, because there is nothing left to do in it. */

/** Something that the case needs is not there; `line` is what to add to the target file, if that would help. */
export class NotExercised extends Error {
  override name = 'NotExercised';
  readonly line: string | undefined;
  constructor(reason: string, line?: string) {
    super(reason);
    this.line = line;
  }
}

/** The target, the network or the budget did not let us see. */
export class Inconclusive extends Error {
  override name = 'Inconclusive';
}
