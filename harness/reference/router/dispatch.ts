/** What the router sends on its way. */

/** What is sent to an agent. */
export interface Dispatch {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}
