// Every question to a worker ends, also where the worker does not start, fails or says nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Calls } from "../../web/sources/calls.js";

/** A worker that a test plays: `made` holds each one that was started. */
function workers() {
  const made = [];
  const make = () => {
    const worker = { asked: [], ended: false, postMessage(message) { this.asked.push(message); }, terminate() { this.ended = true; } };
    made.push(worker);
    return worker;
  };
  return { made, make };
}

const answer = (worker, message) => worker.onmessage({ data: message });
const fail = (worker, message = "") => worker.onerror({ message, preventDefault() {} });

test("answers find their questions, and a worker's error is the question's", async () => {
  const { made, make } = workers();
  const calls = new Calls("x", make);
  const one = calls.ask({ name: "one" }), two = calls.ask({ name: "two" });
  const [first, second] = made[0].asked;
  answer(made[0], { id: second.id, bytes: 2 });
  answer(made[0], { id: first.id, error: { name: "QuotaExceededError", message: "full" } });
  assert.deepEqual(await two, { bytes: 2 });
  await assert.rejects(one, { name: "QuotaExceededError", message: "full" });
});

test("after a worker that did not start, the next question gets another one", async () => {
  const { made, make } = workers();
  const calls = new Calls("x", make);
  const lost = calls.ask({});
  fail(made[0]);
  await assert.rejects(lost, /did not start/);
  const next = calls.ask({});
  assert.equal(made.length, 2);
  answer(made[1], { id: made[1].asked[0].id, ok: true });
  assert.deepEqual(await next, { ok: true });
  fail(made[0]); // the first one again: it is nobody's any more
  const third = calls.ask({});
  answer(made[1], { id: made[1].asked[1].id });
  await third;
});

test("where no worker starts, questions fail at once, and no more workers are tried", async () => {
  const { made, make } = workers();
  const calls = new Calls("x", make);
  for (let i = 0; i < 5; ++i) {
    const lost = calls.ask({});
    if (made[i]) fail(made[i]);
    await assert.rejects(lost);
  }
  assert.equal(made.length, 3);
  const refused = new Calls("x", () => { throw new Error("not here"); });
  await assert.rejects(refused.ask({}));
});

test("a worker that says nothing is ended, and its questions with it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { made, make } = workers();
  const calls = new Calls("x", make);
  const lost = calls.ask({});
  const told = assert.rejects(lost, /has not answered for 30 seconds/);
  for (let second = 0; second < 30; ++second) t.mock.timers.tick(1000);
  await told;
  assert.ok(made[0].ended);
  const next = calls.ask({});
  answer(made[1], { id: made[1].asked[0].id });
  await next;
});

test("an answer that cannot be read ends the questions", async () => {
  const { made, make } = workers();
  const lost = new Calls("x", make).ask({});
  made[0].onmessageerror({});
  await assert.rejects(lost, /could not be read/);
});
