// Hostile hands on the page: links that were changed, files that are none, a monkey of pointer, keys and touches. `./dev fuzz` runs
// it; `--seed S --case N` repeats one case. A case is a visit of its own. It fails where the page throws, complains, replaces
// its engine, loses its way or no longer answers.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cli, root } from "./places.mjs";
import { startServer } from "./servers.mjs";
import { launch } from "./support.mjs";

const { values: options } = parseArgs({ options: { seed: { type: "string", default: "1" }, minutes: { type: "string", default: "1" }, case: { type: "string" }, "keep-going": { type: "boolean", default: false } } });
const seed = Number(options.seed), end = Date.now() + Number(options.minutes) * 60_000;
const patience = 60_000; // milliseconds for the page to become quiet
const acts = 40; // in a case

/** Numbers from a seed: mulberry32. */
function diceOf(number) {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(unit() * n);
  return { unit, below, of: (list) => list[below(list.length)] };
}

const links = readFileSync(join(root, "tests/golden/links_v1.txt"), "utf8").split("\n").filter((line) => line && !line.startsWith("# ")).map((line) => line.split("\t")[0]);
const pieces = ["-1", "0", "1e309", "nan", "99999999999999999999", "%", "%00", "%ff", "&", "=", "..", ":", ",,", "é", "猫", "\u202e", "<b>", "'", "\"", "#", "+", "control:walk:3", "edit=zero_positions",
  "&compare=difference&against=edit%3D", "&compare=beside&against=model%3Dminihelix", "&model=minihelix", "&prompt=%20a", "&bos=1", "&embed=1", "&present=1", "&lesson=1/2", "&v=2", ""];
/** Each study's presets, as parts of a link. */
const fragments = JSON.parse(execFileSync(cli, ["studies", "--json"], { maxBuffer: 1 << 26 })).flatMap(({ id, presets }) => presets.map(({ fragment }) => `study=${id}&${fragment}`));
const words = ["the", " ", "\n", "=1+1", "<|endoftext|>", "né 猫 😀", "x".repeat(300), "&&", "<img src=x onerror=alert(1)>", "\u202e"];
const keys = ["Tab", "Enter", "Escape", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageDown", "w", "a", "s", "d", "+", "-", "0", "Space", "Control+z", "Control+y", "Control+k", "Shift+Tab", "Backspace", "Delete"];

function changedText(dice, text) {
  for (let n = 1 + dice.below(3); n > 0; --n) {
    const at = dice.below(text.length + 1);
    text = text.slice(0, at) + dice.of(pieces) + text.slice(at + dice.of([0, 0, 1, 6]));
  }
  return text.startsWith("#") ? text : `#${text}`;
}

/** A model's file, or what is none. */
function file(dice) {
  const name = dice.of(["model.safetensors", "vocab.json", "merges.txt", "config.json", "emergence.safetensors"]);
  let bytes = readFileSync(join(root, "assets/models", name === "model.safetensors" ? dice.of(["minihelix", "gpt2-positions"]) : "minihelix", name));
  const kind = dice.below(5);
  if (kind === 0) bytes = bytes.subarray(0, dice.below(bytes.length));
  else if (kind === 1) bytes = Buffer.alloc(dice.below(5000), dice.below(256));
  else if (kind < 4) {
    bytes = Buffer.from(bytes);
    for (let n = 1 + dice.below(4); n > 0 && bytes.length; --n) bytes[dice.below(Math.min(bytes.length, dice.of([8, 100, 4000])))] = dice.below(256);
  }
  return { name: dice.of([name, name, name, "model.safetensors", "photo.png"]), mimeType: "application/octet-stream", buffer: bytes };
}

/** What a visitor may do. Each returns what it did, for the report. */
const hands = {
  async link(page, dice) {
    const text = changedText(dice, dice.below(3) ? dice.of(links) : `#v=1&model=minihelix&${dice.of(fragments)}`);
    await page.evaluate((link) => { location.hash = link; }, text);
    return text;
  },
  async preset(page, dice) {
    const text = `#v=1&model=${dice.of(["minihelix", "gpt2-positions", ""])}&${dice.of(fragments)}`;
    await page.evaluate((link) => { location.hash = link; }, text);
    return text;
  },
  async files(page, dice) {
    if (!await page.locator("#models").isVisible()) await page.locator("#model").click({ timeout: 2000 }).catch(() => {}); // something lies over it
    const some = Array.from({ length: 1 + dice.below(3) }, () => file(dice));
    await page.locator("#models input[type=file]").first().setInputFiles(some, { timeout: 2000 }).catch(() => {});
    return some.map(({ name, buffer }) => `${name} (${buffer.length})`).join(", ");
  },
  async click(page, dice) {
    const { width, height } = page.viewportSize();
    const at = [dice.below(width), dice.below(height)];
    await page.mouse.click(...at, { clickCount: dice.of([1, 1, 1, 2]) });
    return at.join(",");
  },
  async control(page, dice) {
    const places = await page.evaluate(() => [...document.querySelectorAll("button, input, select, summary, a, [role=menuitem], [role=option]")].map((e) => e.getBoundingClientRect())
      .filter((r) => r.width > 0 && r.top >= 0 && r.top < innerHeight && r.left >= 0 && r.left < innerWidth).map((r) => [r.left + r.width / 2, r.top + r.height / 2]));
    if (!places.length) return "nothing";
    const at = dice.of(places);
    await page.mouse.click(...at);
    return at.map(Math.round).join(",");
  },
  async drag(page, dice) {
    const { width, height } = page.viewportSize(), at = () => [dice.below(width), dice.below(height)];
    const [from, to] = [at(), at()];
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move(...to, { steps: 1 + dice.below(6) });
    if (dice.below(4)) await page.mouse.up();
    return `${from} to ${to}`;
  },
  async touch(page, dice) {
    const { width, height } = page.viewportSize(), at = [dice.below(width), dice.below(height)];
    await page.touchscreen.tap(...at);
    return at.join(",");
  },
  async wheel(page, dice) {
    const by = [0, dice.of([-500, -50, 50, 500])];
    await page.mouse.wheel(...by);
    return by.join(",");
  },
  async key(page, dice) {
    const some = Array.from({ length: 1 + dice.below(4) }, () => dice.of(keys));
    for (const key of some) await page.keyboard.press(key);
    return some.join(" ");
  },
  async type(page, dice) {
    const text = dice.of(words);
    await page.keyboard.insertText(text);
    return JSON.stringify(text.slice(0, 40));
  },
  async history(page, dice) {
    const by = dice.of([-1, -1, 1, -3]);
    await page.evaluate((steps) => history.go(steps), by);
    return String(by);
  },
  async resize(page, dice) {
    const size = dice.of([{ width: 1280, height: 800 }, { width: 390, height: 844 }, { width: 683, height: 384 }, { width: 320, height: 480 }]);
    await page.setViewportSize(size);
    return `${size.width}x${size.height}`;
  },
};
const names = ["link", "link", "preset", "files", "click", "click", "control", "control", "control", "drag", "drag", "touch", "wheel", "key", "key", "type", "history", "resize"];

class Wrong extends Error {}
const within = (promise, milliseconds, what) => Promise.race([promise, new Promise((_, failed) => { setTimeout(() => failed(new Wrong(what)), milliseconds).unref(); })]);

async function visit(browser, url, number) {
  const dice = diceOf(number), problems = [], done = [];
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, hasTouch: true, reducedMotion: "reduce", acceptDownloads: true });
  const page = await context.newPage();
  let left = 0;
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.stack || error}`));
  page.on("console", (message) => { if (message.type() === "error") problems.push(`console: ${message.text()}`); });
  page.on("crash", () => problems.push("the page crashed"));
  page.on("dialog", (dialog) => { problems.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("popup", (other) => other.close());
  const check = () => { if (problems.length) throw new Wrong(problems.join("\n")); };
  /** Comes back where Back or a link has led to another place, and waits until the page is there. */
  const home = async () => {
    for (let tries = 0; tries < 3; ++tries) {
      if (!page.url().startsWith(url)) {
        left += tries === 0 && done.length ? 1 : 0;
        await page.goto(url);
      }
      const there = await page.waitForFunction(() => window.helixscope, null, { timeout: patience / 2 }).then(() => true, () => false);
      if (there) return;
      if (page.url().startsWith(url)) throw new Wrong("the page did not start");
    }
    throw new Wrong("the page cannot be reached");
  };
  try {
    await home();
    for (let i = 0; i < acts; ++i) {
      const name = dice.of(names);
      done.push(`${name} …`);
      const what = await within(hands[name](page, dice), patience, `the page did not answer to: ${name}`).catch((error) => {
        if (error instanceof Wrong) throw error;
        if (/navigat|destroyed|closed/i.test(error.message)) return "(left the page)";
        throw error;
      });
      done[done.length - 1] = `${name} ${what}`;
      check();
      if (!page.url().startsWith(url) || i % 10 === 9) {
        await page.mouse.up();
        await home();
        await within(page.waitForFunction(() => !helixscope.busy(), null, { polling: 50, timeout: 0 }), patience, "the page is busy for ever");
        const { restarts } = await within(page.evaluate(() => helixscope.engine()), 10_000, "the page does not answer");
        if (restarts) throw new Wrong("the engine was replaced");
        check();
      }
    }
    return left;
  } catch (error) {
    console.error(`what was done:\n  ${done.join("\n  ")}`);
    throw error;
  } finally {
    await within(context.close(), 10_000, "the page cannot be closed").catch((error) => console.error(error.message));
  }
}

const server = await startServer([], { bundled: true });
const browser = await launch(["--disable-gpu-compositing"]);
let number = Number(options.case ?? 0), visits = 0;
try {
  do {
    try {
      await visit(browser, server.url, number);
    } catch (error) {
      console.error(`${error instanceof Wrong ? error.message : error.stack}\nthe page failed at case ${number}; again: ./dev fuzz --part page --seed ${seed} --case ${number}`);
      process.exitCode = 1;
      if (!options["keep-going"]) break;
    }
    ++visits;
    ++number;
  } while (options.case === undefined && Date.now() < end);
  console.log(`page: ${visits} visits of ${acts} acts, seed ${seed}`);
} finally {
  await browser.close();
  await server.stop();
}
