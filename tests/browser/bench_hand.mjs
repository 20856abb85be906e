// Measures interaction with the page, using only what both browser drivers share: evaluate and mouse.
/* global frames_, moved:writable, drawnAfter -- of the page */
import { goals, median, quantile, report } from "./bench_report.mjs";
import { middle, rect, state } from "./support.mjs";

const moves = 40, shifts = 240;

// ---- probes that are installed before the page's own scripts run

/** Records when the frame that draws the first result has been passed to the browser. */
export function watchFirstFrame() {
  const mark = performance.mark.bind(performance);
  performance.mark = (name, ...rest) => {
    if (name === "first-result") requestAnimationFrame(() => setTimeout(() => mark("first-frame")));
    return mark(name, ...rest);
  };
}

/** Times every frame, and within it every WebGL call, because the time of software drawing is not the page's. */
export function watchFrames() {
  window.frames_ = []; // {all, driver} in milliseconds, and how many calls drew something
  let driver = 0, draws = 0;
  const calls = WebGL2RenderingContext.prototype;
  for (const name of Object.getOwnPropertyNames(calls)) {
    const { value } = Object.getOwnPropertyDescriptor(calls, name);
    if (typeof value !== "function") continue;
    const drawing = name.startsWith("draw");
    calls[name] = function (...rest) {
      if (drawing) ++draws;
      const start = performance.now();
      try { return value.apply(this, rest); } finally { driver += performance.now() - start; }
    };
  }
  const ask = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => ask((now) => {
    driver = draws = 0;
    const start = performance.now();
    draw(now);
    frames_.push({ all: performance.now() - start, driver, draws });
  });
}

// ---- measurements

/** Milliseconds to the first result and, where watchFirstFrame looks, to the frame that shows it. */
export const milestones = (page) =>
  page.evaluate(() => ["first-result", "first-frame"].map((name) => performance.getEntriesByName(name)[0]?.startTime));

const framesOf = (page) => page.evaluate(() => frames_);

/** How many frames WebGL2 has drawn on a page that watchFrames looks at. */
export const drawnByWebgl = async (page) => (await framesOf(page)).filter((f) => f.draws > 0).length;

/** The page's part of turning, from a page that watchFrames looks at. */
export async function turning(page, where) {
  const at = await middle(page, "figure.helix");
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.evaluate(() => { frames_.length = 0; });
  for (let i = 1; i <= 100; ++i) await page.mouse.move(at.x + 150 * Math.sin(i / 8), at.y + 40 * Math.sin(i / 5));
  await page.mouse.up();
  const frames = await framesOf(page), times = frames.filter((f) => f.draws > 0);
  const all = await page.evaluate(() => helixscope.frameTimes());
  if (!times.length) return report(where, "frame while turning, no WebGL2, p95", "ms", quantile(all.slice(-frames.length), 0.95));
  const ours = times.map((f) => f.all - f.driver);
  report(where, "frame while turning, without WebGL, median", "ms", median(ours), goals.frame);
  report(where, "frame while turning, without WebGL, p95", "ms", quantile(ours, 0.95), goals.frame);
  report(where, "frame while turning, with WebGL, p95", "ms", quantile(all.slice(-times.length), 0.95));
}

function watchRefits() {
  window.moved = 0;
  let asked = 0;
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (...given) {
    if (/"type":"run"/.test(given[0]?.text)) asked = performance.now();
    return post.apply(this, given);
  };
  addEventListener("pointermove", (event) => { moved = event.timeStamp; }, true);
  const first = () => helixscope.result("position_helix", { arrays: false }).params.first;
  window.drawnAfter = (last) => new Promise((done) => {
    const look = () => {
      if (first() === last) return setTimeout(look, 1);
      const now = performance.now(), fitted = now - moved, computed = now - asked;
      requestAnimationFrame(() => setTimeout(() => done({ first: first(), computed, fitted, drawn: performance.now() - moved })));
    };
    look();
  });
}

/**
 * Milliseconds from each move of the range's end to the fitted numbers, and to the frame that shows them. A move waits for a
 * frame, which software may draw for 100 ms; so the time from the request to the engine, the page's own part, is measured too.
 */
export async function refits(page, where) {
  await page.evaluate(watchRefits);
  const strip = await rect(page, "figure.rows");
  const at = await middle(page, "figure.rows.first");
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  const taken = [];
  let last = Number((await state(page)).params.first);
  const step = (strip.width * 0.5) / moves;
  for (let i = 1; i <= moves; ++i) {
    const waiting = page.evaluate((from) => drawnAfter(from), last);
    await page.mouse.move(at.x + step * i, at.y);
    taken.push(await waiting);
    last = taken.at(-1).first;
  }
  await page.mouse.up();
  await page.evaluate(() => helixscope.settled());
  report(where, "slider, question to numbers, median", "ms", median(taken.map((t) => t.computed)), goals.refit);
  for (const [what, times] of [["numbers", taken.map((t) => t.fitted)], ["drawn helix", taken.map((t) => t.drawn)]]) {
    report(where, `slider to refitted ${what}, median`, "ms", median(times), goals.refit);
    report(where, `slider to refitted ${what}, p95`, "ms", quantile(times, 0.95), goals.refit);
  }
}

/** A page on which dragged() measures: a text of 64 tokens on the helix, predicted by minihelix. */
export const draggedLink = `#v=1&model=gpt2-positions&study=position_helix&tokens=${Array.from({ length: 64 }, (_, i) => 100 + i)}&edit=shift_positions:1`;

/** Milliseconds from each move of the text's slider, one a frame, to the numbers of that place or of a newer one. */
export async function dragged(page, where) {
  await page.waitForFunction(() => helixscope.result("text", { arrays: false })?.edits?.length === 1 && !helixscope.busy());
  const { taken, pictures } = await page.evaluate((steps) => new Promise((done) => {
    const slider = document.getElementById("say-shift"), asked = [], seen = new Set();
    const shown = () => Number(/shift_positions:(\d+)/.exec(helixscope.result("text", { arrays: false }).edits.join())?.[1]);
    const look = () => {
      const now = performance.now(), place = shown();
      seen.add(place);
      for (const one of asked) if (one.taken === undefined && place >= one.place) one.taken = now - one.at;
      if (asked.length === steps && asked.every((one) => one.taken !== undefined)) done({ taken: asked.map((one) => one.taken), pictures: seen.size });
      else setTimeout(look, 1);
    };
    const step = () => {
      slider.value = String(asked.length + 2);
      asked.push({ place: Number(slider.value), at: performance.now() });
      slider.dispatchEvent(new Event(asked.length === steps ? "change" : "input"));
      if (asked.length < steps) requestAnimationFrame(step);
    };
    look();
    step();
  }), shifts);
  await page.evaluate(() => helixscope.settled());
  report(where, "dragged edit, 64 tokens on minihelix, input to numbers, median", "ms", median(taken));
  report(where, "dragged edit, 64 tokens on minihelix, input to numbers, p95", "ms", quantile(taken, 0.95), goals.edit);
  report(where, "dragged edit, 64 tokens on minihelix, inputs for one picture", "ratio", shifts / pictures);
}

const sixtyFour = `tokens=${Array.from({ length: 64 }, (_, i) => 100 + i)}`;
/** Pages on which carried() measures, with 64 tokens on minihelix: what is pinned, and the places that it is dragged to. */
export const carries = [
  { what: "cell", study: "attention", link: `#v=1&model=minihelix&study=attention&attention.layer=3&attention.head=4&${sixtyFour}`,
    pinned: "pattern.query.60.key.59", places: Array.from({ length: 24 }, (_, i) => `pattern.query.60.key.${56 - 2 * i}`) },
  { what: "position", study: "text", link: `#v=1&model=gpt2-positions&study=position_helix&${sixtyFour}&edit=shift_positions:200`,
    pinned: "helix.position.230", places: Array.from({ length: 24 }, (_, i) => `helix.position.${233 + 3 * i}`) },
];

/** Milliseconds from each move of something that is carried by hand to the numbers of its new place. */
export async function carried(page, where, { what, study, pinned, places }) {
  await page.waitForFunction((id) => helixscope.result(id, { arrays: false }) && !helixscope.busy(), study);
  const from = await middle(page, pinned);
  await page.mouse.click(from.x, from.y);
  await page.waitForFunction(() => helixscope.state().focus.locked);
  const to = [];
  for (const id of places) to.push(await middle(page, id));
  await page.evaluate((id) => {
    window.moved = 0;
    addEventListener("pointermove", (event) => { moved = event.timeStamp; }, true);
    const edits = () => helixscope.result(id, { arrays: false }).edits.join();
    window.editsShown = edits;
    window.takenFrom = (last) => new Promise((done) => {
      const look = () => (edits() === last ? setTimeout(look, 1) : done(performance.now() - moved));
      look();
    });
  }, study);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  const taken = [];
  for (const at of to) {
    const waiting = page.evaluate((last) => window.takenFrom(last), await page.evaluate(() => window.editsShown()));
    await page.mouse.move(at.x, at.y);
    taken.push(await waiting);
    await page.evaluate(() => helixscope.settled());
  }
  await page.mouse.up();
  report(where, `dragged ${what}, 64 tokens on minihelix, input to numbers, median`, "ms", median(taken));
  report(where, `dragged ${what}, 64 tokens on minihelix, input to numbers, p95`, "ms", quantile(taken, 0.95), goals.edit);
}

/** A page on which typed() measures: 960 tokens, all of them shown. */
export const typedLink = `#v=1&model=minihelix&study=tokens&prompt=${encodeURIComponent("one two ".repeat(480))}`;

/** Milliseconds that the page's thread is busy with a key, and from the key to the numbers of the longer text. */
export async function typed(page, where) {
  await page.waitForFunction(() => helixscope.result("tokens", { arrays: false }) && !helixscope.busy());
  const taken = await page.evaluate(async (keys) => {
    const field = document.getElementById("prompt"), all = [];
    const count = () => helixscope.result("tokens", { arrays: false }).scalars.count.value;
    for (let i = 0; i < keys; ++i) {
      const before = count(), start = performance.now();
      field.value += " one";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      const handled = performance.now() - start;
      while (count() === before) await new Promise((next) => setTimeout(next, 1));
      all.push({ handled, numbers: performance.now() - start });
    }
    return all;
  }, moves);
  const numbers = taken.map((t) => t.numbers);
  report(where, "typed word after 960 tokens, the page's thread busy, median", "ms", median(taken.map((t) => t.handled)));
  report(where, "typed word after 960 tokens, input to numbers, median", "ms", median(numbers));
  report(where, "typed word after 960 tokens, input to numbers, p95", "ms", quantile(numbers, 0.95), goals.edit);
}
