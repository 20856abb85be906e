// The model that comes with the page: available without any other, complete, marked as ours, and never in place of a larger one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { assertSameResult } from "./compare.mjs";
import { faultsOf } from "./faults.mjs";
import { cli, root } from "./places.mjs";
import { sendJson, sendRanged, sendWhole, startFaultServer, startServer } from "./servers.mjs";
import { planted, plantedFolder, tiny, tinyFiles, tinyFolder } from "./synthetic.mjs";
import { middle, notices, rect, settled, state, until, useBrowser, withPage } from "./support.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
const name = "minihelix";
const folder = join(root, "assets/models", name);
const golden = JSON.parse(readFileSync(join(root, "tests/golden/minihelix_logits.json"), "utf8"));
const logitTolerance = 2e-3;
let server, partial;

useBrowser();
before(async () => {
  partial = plantedFolder();
  server = await startServer([], { bundled: true });
});
after(async () => { await server?.stop(); partial?.remove(); });

const native = (study, ...more) => JSON.parse(execFileSync(cli, ["run", study, "--json", "--model", folder, ...more], { maxBuffer: 1 << 28 }));
const result = (page, study) => page.evaluate((id) => {
  const found = helixscope.result(id);
  for (const array of Object.values(found?.arrays ?? {})) array.data = Array.from(array.data);
  return found;
}, study);
const ours = (page) => page.locator("#runs-on");
const hash = (study, rest = "") => `#v=1&model=${name}&study=${study}${rest}`;
const onPage = (rest, run, options = {}) => withPage({ url: server.url + rest, ...options }, run);

describe("a page that has no other model", () => {
  test("runs text on it: its name in the link, and whose it is in one line", () => onPage("#v=1&model=&study=predictions", async (page) => {
    assert.equal((await state(page)).model, name);
    assert.match(await page.locator("#model").textContent(), /minihelix/);
    assert.match(await until(() => page.url(), (url) => url.includes("model=")), /[#&]model=minihelix(&|$)/);
    assert.match(await ours(page).textContent(), /This runs on minihelix, a small GPT-2 trained by us/);
    const card = await page.request.get(await ours(page).getByRole("link", { name }).getAttribute("href"));
    assert.match(await card.text(), /its first 16 principal components/);
    assert.deepEqual(await notices(page), [], "nothing to excuse");
  }));

  test("shows its positions where it is asked to", () => onPage(hash("position_helix"), async (page) => {
    assert.equal((await state(page)).model, name);
    assert.equal((await state(page)).params.source, "learned");
    assertSameResult(await result(page, "position_helix"), native("position_helix"));
  }));

  test("computes torch's logits", () => onPage(hash("predictions", `&predictions.top=100&tokens=${golden.tokens.join(",")}`), async (page) => {
    const { arrays } = await result(page, "predictions");
    assert.equal(arrays.token.data.length, 100);
    let worst = 0;
    arrays.token.data.forEach((id, i) => { worst = Math.max(worst, Math.abs(arrays.logit.data[i] - golden.logits[id])); });
    assert.ok(worst <= logitTolerance, `max |Δ| ${worst}`);
    const best = golden.logits.map((value, id) => [value, id]).sort((a, b) => b[0] - a[0]);
    assert.equal(arrays.token.data[0], best[0][1]);
  }));

  test("has it also where no list of models is", async () => {
    const bare = await startFaultServer({ current: null }, { bundled: true });
    try {
      await withPage({ url: bare.url, allowed: [/Failed to load resource.*404|404/] }, async (page) => {
        assert.equal((await state(page)).model, "gpt2-positions");
        await page.evaluate(() => helixscope.open("#v=1&study=tokens"));
        await settled(page);
        assert.equal((await state(page)).model, name);
      });
    } finally {
      await bare.stop();
    }
  });
});

describe("getting a larger one", () => {
  const hubPattern = "https://huggingface.co/**";

  test("from the hub in one click; what fails is said there, and nothing is lost", () => onPage(hash("tokens"), async (page) => {
    const asked = [];
    await page.route(hubPattern, (route) => { asked.push(route.request().url()); route.abort(); });
    await ours(page).getByRole("button", { name: "Get GPT-2 small" }).click();
    const said = await until(() => ours(page).locator("[role=status]").textContent(), (text) => /\.$/.test(text));
    see("GPT-2 small is wanted and the hub is not there", said);
    assert.deepEqual(asked, ["https://huggingface.co/openai-community/gpt2/resolve/main/config.json"]);
    assert.equal((await state(page)).model, name);
  }, { allowed: [/Failed to load resource|net::/] }));

  test("from a file, with what lies beside it", () => onPage(hash("tokens"), async (page) => {
    const files = tinyFiles();
    await ours(page).getByRole("button", { name: "open a file" }).click();
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.locator("#models").getByRole("button", { name: "Open .safetensors…" }).click()]);
    await chooser.setFiles(Object.entries(files).map(([file, bytes]) => ({ name: file === "model.safetensors" ? "larger.safetensors" : file, mimeType: "", buffer: Buffer.from(bytes) })));
    await until(() => state(page), (s) => s.model === "larger");
    await settled(page);
    assert.equal((await state(page)).model, "larger");
    assert.equal(await ours(page).isHidden(), true, "it is not ours");
  }));

  test("from a folder, named for it", () => onPage(hash("tokens"), async (page) => {
    const made = tinyFolder();
    try {
      await ours(page).getByRole("button", { name: "open a file" }).click();
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.locator("#models").getByRole("button", { name: "Open a folder…" }).click()]);
      await chooser.setFiles(made.folder);
      await until(() => state(page), (s) => s.model !== name);
      await settled(page);
      assert.equal((await state(page)).model, made.folder.split("/").at(-1));
    } finally {
      made.remove();
    }
  }));
});

describe("a link that names another model", () => {
  test("says so, shows what it can, and takes the file", () => onPage("#v=1&model=my-own&study=position_helix&position_helix.group=4", async (page) => {
    assert.equal((await state(page)).model, "gpt2-positions");
    see("a link's model is not here, and no hub's", (await notices(page)).join(" "));
    assert.match(await page.locator("#offer").textContent(), /names the model my-own/);
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.locator("#offer").getByRole("button", { name: "Open a file…" }).click()]);
    await chooser.setFiles([{ name: "my-own.safetensors", mimeType: "", buffer: Buffer.from(tinyFiles()["model.safetensors"]) }]);
    await until(() => state(page), (s) => s.model === "my-own");
    await settled(page);
    const { model, params } = await state(page);
    assert.deepEqual([model, params.group], ["my-own", "4"]);
    assert.equal(await page.locator("#offer").isHidden(), true);
  }));
});

describe("beside a model that has only positions", () => {
  let both;
  before(async () => { both = await startServer([partial.folder], { bundled: true }); });
  after(() => both?.stop());

  test("positions are those of the first, and text runs on ours", async () => {
    await withPage({ url: both.url }, async (page) => assert.equal((await state(page)).model, planted.name));
    await withPage({ url: `${both.url}#v=1&model=&study=predictions` }, async (page) => {
      assert.equal((await state(page)).model, name);
      assert.ok((await result(page, "predictions")).scalars.entropy_nats.value > 0);
    });
  });

  test("what it cannot show is shown on ours, and a line says so", () => withPage({ url: `${both.url}#v=1&model=${planted.name}&study=predictions` }, async (page) => {
    assert.equal((await state(page)).model, name);
    assert.equal(await page.locator("#overlay .card").count(), 0);
    assert.match(await ours(page).textContent(), /^planted-helix has no .*, so this runs on minihelix/);
    await page.evaluate((link) => helixscope.open(link), `#v=1&model=${planted.name}&study=position_helix`);
    await settled(page);
    assert.equal((await state(page)).model, planted.name);
    assert.equal(await ours(page).isHidden(), true);
  }));
});

describe("how its positions came about", () => {
  const study = "position_emergence";
  const moments = () => native(study).scalars.moments.value;
  const step = async (page) => (await state(page)).params.step;
  const onStudy = (rest, run, options) => onPage(hash(study, rest), run, options);

  test("is on the page what it is in the shell", () => onStudy("&position_emergence.step=12&position_emergence.compare=3", async (page) => {
    assertSameResult(await result(page, study), native(study, "--set", "step=12", "--set", "compare=3"));
  }));

  test("plays from the beginning, can be stopped, and is one entry of the history", () => onStudy("", async (page) => {
    const last = moments() - 1;
    assert.equal(await page.locator("#p-step").inputValue(), String(last));
    await page.getByRole("button", { name: "Play: Checkpoint" }).click();
    await until(() => step(page), (s) => Number(s) >= 3 && Number(s) < last);
    await page.getByRole("button", { name: "Stop playing: Checkpoint" }).click();
    await settled(page);
    const stopped = Number(await step(page));
    assert.ok(stopped >= 3 && stopped < last, `stopped at ${stopped}`);
    await page.waitForTimeout(400);
    assert.equal(Number(await step(page)), stopped);
    await page.getByRole("button", { name: "Play: Checkpoint" }).click();
    await until(() => step(page), (s) => Number(s) === last);
    await page.locator("#undo").click();
    await settled(page);
    assert.equal(Number(await step(page)), stopped);
  }));

  test("is dragged along its curves, and walked by keys", () => onStudy("", async (page) => {
    const from = await middle(page, "moment.5"), to = await middle(page, "moment.9");
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await until(() => step(page), (s) => s === "5");
    await page.mouse.move(to.x, to.y, { steps: 5 });
    await page.mouse.up();
    await settled(page);
    assert.equal(await step(page), "9");
    assert.match(await until(() => page.url(), (url) => url.includes("step=9")), /position_emergence\.step=9/);
    await page.locator("#controls .track input").focus();
    await page.keyboard.press("ArrowLeft");
    await settled(page);
    assert.equal(await step(page), "8");
    assert.match(await page.locator("#subtitle").textContent(), /checkpoint 8 of /);
  }));

  test("says what was measured at the moment under the pointer, and where a position lies", () => onStudy("", async (page) => {
    const at = await middle(page, "moment.7");
    await page.mouse.move(at.x - 2, at.y - 9);
    await page.mouse.move(at.x, at.y - 10);
    const found = await result(page, study);
    const words = await until(() => page.locator("#tooltip").textContent(), (text) => /tokens of training/.test(text));
    assert.ok(words.includes(found.arrays.loss_by_step.data[7].toFixed(4)), words);
    const row = await middle(page, "row.400");
    await page.mouse.move(row.x - 2, row.y);
    await page.mouse.move(row.x, row.y);
    assert.match(await until(() => page.locator("#tooltip").textContent(), (text) => text.startsWith("position")), /^position \d+PC1/);
  }));

  test("is dragged by a finger at its mark; elsewhere the page scrolls", () => onStudy("&position_emergence.step=9", async (page) => {
    await page.locator("#canvas").scrollIntoViewIfNeeded();
    const mark = await rect(page, "figure.curves.mark");
    assert.ok(mark.width > 0);
    const at = await middle(page, "moment.4");
    await page.touchscreen.tap(at.x, at.y);
    assert.equal(await until(() => step(page), (s) => s === "4"), "4");
  }, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }));

  test("a model without a record gives way to ours; where it is alone, it says so", async () => {
    const made = tinyFolder(), both = await startServer([made.folder], { bundled: true }), alone = await startServer([made.folder]);
    try {
      await withPage({ url: `${both.url}#v=1&model=${tiny.name}&study=${study}` }, async (page) =>
        assert.equal((await result(page, study)).provenance.model, name));
      await withPage({ url: `${alone.url}#v=1&model=${tiny.name}&study=${study}` }, async (page) =>
        see("a model has no record of its training", await page.locator("#overlay .card div").first().textContent()));
    } finally {
      await both.stop();
      await alone.stop();
      made.remove();
    }
  });
});

describe("a record that is none", () => {
  const answer = { current: null }, files = tinyFiles(), record = readFileSync(join(folder, "emergence.safetensors"));
  const list = [{ name: tiny.name, path: "models/tiny/", files: [...Object.keys(files), "emergence.safetensors"], bytes: files["model.safetensors"].length, sha256: "" }];
  let faulty;
  before(async () => { faulty = await startFaultServer(answer, { bundled: true }); });
  after(() => faulty?.stop());

  async function told(fault, send) {
    answer.current = (request, response, path) => {
      if (path.endsWith("/index.json")) return sendJson(response, list);
      const file = path.split("/").at(-1);
      return file === "emergence.safetensors" ? send(response) : file in files && sendRanged(request, response, Buffer.from(files[file]));
    };
    await withPage({ url: `${faulty.url}#v=1&model=${tiny.name}&study=position_emergence`, allowed: [/Failed to load resource/] }, async (page) => {
      const card = page.locator("#overlay .card");
      await card.waitFor();
      see(fault, await card.locator("div").first().textContent());
      await page.evaluate((link) => helixscope.open(link), hash("position_emergence"));
      await settled(page);
      assert.equal(await card.count(), 0, "the other model's is not in the way");
    });
  }

  test("is told: cut", () => told("the record of a training is cut", (response) => sendWhole(response, record.subarray(0, record.length / 2))));
  test("is told: a web page", () => told("the record of a training is a web page", (response) => sendWhole(response, Buffer.from("<!doctype html><title>Sign in</title>"))));
  test("is told: nothing comes", () => told("the record of a training does not come", (response) => { response.writeHead(503).end(); return true; }));
});

test("its folder is what the page serves, and small", () => {
  for (const file of ["model.safetensors", "emergence.safetensors", "config.json", "vocab.json", "merges.txt", "README.md", "LICENSE"])
    assert.ok(existsSync(join(folder, file)), file);
  const out = mkdtempSync(join(tmpdir(), "helixscope-mini-"));
  try {
    execFileSync(cli, ["pack", "--model", folder, "--out", join(out, "pack"), "--precision", "q8"], { stdio: "ignore" });
    assert.ok(existsSync(join(out, "pack", "emergence.safetensors")), "a pack keeps the record");
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
});

test("docs/faults.md lists nothing that was not injected here", everySeen);

test("a model has the same name in the dialog as on the button that opens it", () =>
  withPage({ url: server.url }, async (page) => {
    const name = await page.locator("#model .name").textContent();
    await page.locator("#model").click();
    const listed = await page.locator("#models li button[aria-pressed=true]").textContent();
    assert.match(listed, new RegExp(`^${name} · positions only · `));
    assert.doesNotMatch(await page.locator("#models").textContent(), /gpt2-positions/);
  }));
