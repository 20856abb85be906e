// The list of models, the files that a visitor picks, and the files beside the weights.
import "./page.mjs";
import assert from "node:assert/strict";
import { after, afterEach, describe, test } from "node:test";
import { faultsOf } from "../browser/faults.mjs";
import { sendJson, sendRanged } from "../browser/servers.mjs";
import { plantedFile, safetensors } from "../browser/synthetic.mjs";
import { baseOf, controlName, controlTitle, readControl } from "../../web/sources/control_models.js";
import { Models } from "../../web/sources/models.js";
import { forgetAll, site, stopServers } from "./page.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
const bytes = plantedFile();

afterEach(forgetAll);
after(stopServers);

function made() {
  const sent = [];
  let wake = () => {};
  const models = new Models((message, data) => {
    sent.push({ ...message, data });
    wake();
  });
  const until = async (found) => {
    while (!sent.some(found)) await new Promise((next) => { wake = next; });
    return sent.find(found);
  };
  return { models, sent, until };
}
const listOf = (content) => { site.current = (request, response, path) => path === "/models/index.json" && sendJson(response, content); };
const good = { name: "planted", path: "models/planted/", files: ["model.safetensors", "vocab.json"], bytes: bytes.length };

describe("the list of models", () => {
  for (const [what, content] of [["is something else", { models: 3 }], ["is a web page", "<!doctype html><title>sign in</title>"]])
    test(`${what}: one sentence, and no model`, async () => {
      listOf(content);
      const { models } = made();
      see(`the list of models ${what}`, await models.load());
      assert.deepEqual(models.list(), []);
    });

  test("is not there: nothing is wrong", async () => {
    assert.equal(await made().models.load(), null);
  });

  test("has models that follow others: each does so once, wherever it is listed; where the other is not there, it keeps its place", async () => {
    const entry = (name, after) => ({ ...good, name, path: `models/${name}/`, after });
    listOf([entry("of b", "b"), entry("of none", "nothing"), entry("a"), entry("of itself", "of itself"), entry("b", ""), entry("of a follower", "of b"), entry("odd", 7), entry("c"), entry("of b too", "b")]);
    const { models } = made();
    await models.load();
    assert.deepEqual(models.list().map(({ name }) => name), ["of none", "a", "of itself", "b", "of b", "of b too", "of a follower", "odd", "c"]);
  });

  test("has broken entries: the good ones are listed", async () => {
    listOf([null, 7, {}, { name: "no files", path: "x/" }, { name: "a", path: "b", files: "c.safetensors" }, { name: "vocabulary only", path: "x/", files: ["vocab.json"] },
      { name: "nowhere", path: "http://[", files: ["a.safetensors"] }, good]);
    const { models } = made();
    assert.equal(await models.load(), null);
    assert.deepEqual(models.list().map(({ name, files }) => [name, files]), [["planted", ["vocab.json"]]]);
  });
});

describe("files that the visitor picks", () => {
  const file = (name, content) => new File([content], name);
  const tensors = file("mine.safetensors", bytes);

  test("are a model with what lies beside it", async () => {
    const { models } = made();
    assert.deepEqual(await models.addFiles([tensors, file("vocab.json", "{}"), file("config.json", '{"n_head":2}')], ""), { name: "mine" });
    assert.equal(models.list()[0].config, '{"n_head":2}');
    assert.deepEqual(models.list()[0].files, ["vocab.json", "config.json"]);
  });

  test("complete the open model, if that is a file", async () => {
    const { models } = made();
    await models.addFiles([tensors], "");
    assert.deepEqual(await models.addFiles([file("merges.txt", "")], "mine"), { name: "mine" });
    assert.deepEqual(models.list()[0].files, ["merges.txt"]);
    assert.match((await models.addFiles([file("merges.txt", "")], "another")).sentence, /^merges\.txt is no model, but belongs to one/);
  });

  test("that are no model are refused in a sentence that names them", async () => {
    const { models } = made();
    const refused = { "notes.txt": "hello", "empty.safetensors": "", "page.safetensors": "<!doctype html>".repeat(40), "cut.safetensors": bytes.subarray(0, 40),
      "other.safetensors": safetensors(new Float32Array(4), [2, 2], "bert.embeddings") };
    for (const [name, content] of Object.entries(refused)) {
      const { sentence } = await models.addFiles([file(name, content)], "");
      assert.ok(sentence.startsWith(name) && sentence.endsWith("."), sentence);
    }
    assert.deepEqual(models.list(), []);
  });

  test("called model.safetensors have their folder's name", async () => {
    const { models } = made(), inFolder = Object.assign(file("model.safetensors", bytes), { helixscopePath: "/folders/ours/model.safetensors" });
    assert.deepEqual(await models.addFiles([inFolder], ""), { name: "ours" });
  });
});

test("what the engine needs of a model comes: bytes, files, or a sentence", async () => {
  site.current = (request, response, path) => {
    if (path === "/models/index.json") return sendJson(response, [good]);
    if (path.endsWith("vocab.json")) return sendJson(response, { a: 1 });
    return path.endsWith(".safetensors") && sendRanged(request, response, bytes, '"x"');
  };
  const { models, until } = made();
  await models.load();
  models.need({ type: "need", model: "planted", ranges: [[0, 100]], have: 0, want: 100, afresh: false });
  assert.equal((await until((m) => m.type === "bytes")).data.byteLength, 100);
  models.needFiles({ model: "planted", names: ["vocab.json", "merges.txt"] });
  assert.equal(new TextDecoder().decode((await until((m) => m.type === "file" && m.name === "vocab.json")).data), '{"a":1}');
  assert.equal((await until((m) => m.type === "file" && m.name === "merges.txt")).sentence, "The model planted has no merges.txt beside its weights.");
});

test("a control is read from its base's bytes, under its own name", async () => {
  assert.deepEqual(readControl("control:walk:3@a/b"), { kind: "walk", seed: 3, base: "a/b" });
  assert.equal(readControl("control:dance:3"), null);
  assert.equal(controlName("rows", 7, "gpt2"), "control:rows:7@gpt2");
  assert.deepEqual(["control:rows:7@gpt2", "gpt2"].map(baseOf), ["gpt2", "gpt2"]);
  assert.equal(controlTitle({ kind: "walk", seed: 3 }, "minihelix"), "A random walk, seed 3, made from minihelix");
  site.current = (request, response, path) => (path === "/models/index.json" ? sendJson(response, [good]) : sendRanged(request, response, bytes, '"x"'));
  const { models, until } = made();
  await models.load();
  models.need({ type: "need", model: "control:walk:1", ranges: [[0, 50]], have: 0, want: 50, afresh: false });
  assert.equal((await until((m) => m.type === "bytes")).model, "control:walk:1");
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
