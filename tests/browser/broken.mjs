// Lets a test break parts of the page in transit, and repair them.
import { part } from "./files.mjs";

/** The ways to break a part: how its request is answered. */
export const replies = {
  missing: (route) => route.fulfill({ status: 404, body: "not found" }),
  failing: (route) => route.fulfill({ status: 500, body: "broken" }),
  signIn: (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Sign in</title>" }),
  reset: (route) => route.abort("connectionreset"),
  /** Only this many bytes of it; with other headers where given. */
  cut: (size, headers) => async (route) => {
    const whole = await route.fetch();
    await route.fulfill({ response: whole, body: (await whole.body()).subarray(0, size), ...(headers && { headers }) });
  },
};

/**
 * Requests for `pattern` are answered by `reply(route)`, the first `times` of them or until `mend()`. `inject` is for
 * withPage's `prepare`. It is repaired by letting requests through, not by page.unrouteAll(), which waits for every worker and
 * so for ever for a worker whose script never loaded.
 */
export function broken(pattern, reply, times = Infinity) {
  let left = times;
  return {
    inject: (page) => page.route(pattern, (route) => (left-- > 0 ? reply(route) : route.continue())),
    mend: () => { left = 0; },
  };
}

/** The engine's worker with more script before or after its own; for `times` workers, or for all until it is repaired. */
export const brokenWorker = ({ begin = "", end = "" }, times) => broken(part("engine/worker.js"), async (route) => {
  const headers = { ...route.request().headers() };
  delete headers["if-none-match"];
  delete headers["if-modified-since"];
  const answer = await route.fetch({ headers }); // its own headers permit it to run here
  await route.fulfill({ response: answer, body: begin + (await answer.text()) + end });
}, times);
