/** What goes wrong on the way of a request, before it has a form on the wire. */

export type Source = 'router' | 'backend';

/** Why a quota refused; it decides which headers the answer carries. */
export type QuotaKind = 'bucket' | 'serverless' | 'undeclared' | 'budget' | 'overrun';

export interface FailureDetail {
  readonly source?: Source;
  /** Status to answer with where the code alone does not settle it. */
  readonly status?: number;
  readonly quota?: QuotaKind;
}

/** A refusal or failure that ends as an error answer. */
export class RouterFailure extends Error {
  override readonly name = 'RouterFailure';
  readonly code: string;
  readonly detail: FailureDetail;

  constructor(code: string, message: string, detail: FailureDetail = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

/** Reason of an abort: the client is gone and nobody waits for an answer. */
export class HangUp extends Error {
  override readonly name = 'HangUp';
}

/** Reason of an abort: the end-to-end deadline passed. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** An agent that could not be reached, or whose connection was lost before it answered. */
export class LinkLost extends Error {
  override readonly name = 'LinkLost';
}
