// Signals that end a request. AbortSignal.timeout and AbortSignal.any say the same, but browsers of 2022 lack them.

export const silence = 30_000; // milliseconds after which the request for a small file of the page counts as lost

/**
 * A signal that aborts after this many milliseconds, or with another signal. Its error is named TimeoutError after the time.
 * @param {number} milliseconds
 * @param {AbortSignal} [other]
 */
export function timeLimit(milliseconds, other) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException("the time is over", "TimeoutError")), milliseconds);
  const follow = () => {
    clearTimeout(timer);
    controller.abort(other?.reason);
  };
  if (other?.aborted) follow();
  else other?.addEventListener("abort", follow, { once: true });
  return controller.signal;
}
