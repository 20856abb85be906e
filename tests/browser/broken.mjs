// Parts of the page that a test breaks on their way there, and mends.

/** How a part may be broken: what to do with the request for it. */
export const replies = {
  missing: (route) => route.fulfill({ status: 404, body: "not found" }),
  failing: (route) => route.fulfill({ status: 500, body: "broken" }),
  signIn: (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Sign in</title>" }),
  reset: (route) => route.abort("connectionreset"),
  /** Only this many bytes of it; other headers than its own where given. */
  cut: (size, headers) => async (route) => {
    const whole = await route.fetch();
    await route.fulfill({ response: whole, body: (await whole.body()).subarray(0, size), ...(headers && { headers }) });
  },
};

/**
 * Requests for `pattern` are answered by `reply(route)`, the first `times` of them or until `mend()`. `inject` is for
 * withPage's `prepare`. Mended by letting requests through, not by page.unrouteAll(): that waits for a word of every
 * worker, and one whose script never came says none.
 */
export function broken(pattern, reply, times = Infinity) {
  let left = times;
  return {
    inject: (page) => page.route(pattern, (route) => (left-- > 0 ? reply(route) : route.continue())),
    mend: () => { left = 0; },
  };
}

/** The engine's worker with more script before or after its own; `times` workers, or all until it is mended. */
export const brokenWorker = ({ begin = "", end = "" }, times) => broken("**/worker.js", async (route) => {
  const headers = { ...route.request().headers() };
  delete headers["if-none-match"], delete headers["if-modified-since"];
  const answer = await route.fetch({ headers }); // its own headers say that it may run here
  await route.fulfill({ response: answer, body: begin + (await answer.text()) + end });
}, times);
