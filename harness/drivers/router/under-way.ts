/** Requests that were sent and are waited for later. */

/**
 * The same promise, whose failure counts as heard: whoever waits for it in the end sees it, and until then it must
 * not pass for one that nobody handles.
 */
export function underWay<T>(request: Promise<T>): Promise<T> {
  request.catch(() => undefined);
  return request;
}
