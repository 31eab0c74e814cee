/** Where held requests wait until they are let go. */

export class Gate {
  #passes = 0;
  readonly #waiting = new Set<() => void>();

  get held(): number {
    return this.#waiting.size;
  }

  /** Lets the next `count` pass, first come first served, also those that have yet to come; all for good unless told. */
  release(count = Number.POSITIVE_INFINITY): void {
    this.#passes += count;
    for (const pass of this.#waiting) {
      if (this.#passes < 1) return;
      this.#passes -= 1;
      this.#waiting.delete(pass);
      pass();
    }
  }

  /** Resolves when let go. Rejects with the reason of the signal. `onChange` is told when it begins and ends to wait. */
  async wait(signal: AbortSignal, onChange: () => void): Promise<void> {
    signal.throwIfAborted();
    if (this.#passes >= 1) {
      this.#passes -= 1;
      return;
    }
    const { promise, resolve, reject } = deferred();
    const leave = () => {
      this.#waiting.delete(resolve);
      reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', leave, { once: true });
    onChange();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
      onChange();
    }
  }
}

/** Promise.withResolvers, which Node 20 does not have. */
function deferred() {
  let resolve = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<void>((resolveIt, rejectIt) => {
    resolve = resolveIt;
    reject = rejectIt;
  });
  return { promise, resolve, reject };
}
