/**
 * The one line of a request that may have to change: a client that was told to talk to the proxy names the proxy in
 * `Host`, and a deployment that is found by its name would not know itself.
 */

/** The head of a request, with the value of each `Host` line replaced that names another host; other bytes stay. */
export function withHost(head: Buffer, authority: string): Buffer {
  const text = head.toString('latin1');
  const changed = text.replaceAll(
    /^(host:[ \t]*)([^\r\n]*?)([ \t]*\r?)$/gimu,
    (line, name: string, value: string, end: string) =>
      hostOf(value) === hostOf(authority) ? line : `${name}${authority}${end}`,
  );
  return changed === text ? head : Buffer.from(changed, 'latin1');
}

function hostOf(authority: string): string {
  return authority.replace(/:\d+$/u, '').toLowerCase();
}

/**
 * Holds each request back until its head is there, changes its head, and lets everything else through as it comes.
 * It is told where heads and messages end by who reads them.
 */
export class HeadEditor {
  readonly #edit: (head: Buffer) => Buffer;
  #held: Buffer[] = [];
  #inHead = true;

  constructor(edit: (head: Buffer) => Buffer) {
    this.#edit = edit;
  }

  /** The bytes to send on. `offsets` are those of `bytes`, in order. */
  pass(
    bytes: Buffer,
    boundaries: readonly { readonly kind: 'head' | 'end'; readonly offset: number }[],
  ): readonly Buffer[] {
    const out: Buffer[] = [];
    let at = 0;
    for (const { kind, offset } of boundaries) {
      const piece = bytes.subarray(at, offset);
      at = offset;
      if (kind === 'head') {
        out.push(this.#edit(Buffer.concat([...this.#held, piece])));
        this.#held = [];
        this.#inHead = false;
      } else {
        if (piece.length > 0) out.push(piece);
        this.#inHead = true;
      }
    }
    const rest = bytes.subarray(at);
    if (rest.length === 0) return out;
    if (this.#inHead) this.#held.push(rest);
    else out.push(rest);
    return out;
  }

  /** What is still held back: it will not become a request. */
  release(): readonly Buffer[] {
    return this.#held.splice(0);
  }
}
