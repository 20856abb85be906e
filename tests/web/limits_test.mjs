// A limit of time for requests, without AbortSignal.timeout and AbortSignal.any, which browsers of 2022 lack.
import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLimit } from "../../web/sources/limits.js";

test("the time ends a request, named as such", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const signal = timeLimit(1000);
  t.mock.timers.tick(999);
  assert.equal(signal.aborted, false);
  t.mock.timers.tick(1);
  assert.equal(signal.reason.name, "TimeoutError");
});

test("another signal ends it too, also one that has ended already", () => {
  const other = new AbortController(), signal = timeLimit(60_000, other.signal);
  other.abort(new Error("stopped"));
  assert.equal(signal.reason.message, "stopped");
  assert.equal(timeLimit(60_000, other.signal).aborted, true);
});
