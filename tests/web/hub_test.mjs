// Models of a hub: which names may be asked for, what is asked, and a sentence for each refusal.
import "./page.mjs";
import assert from "node:assert/strict";
import { after, afterEach, describe, test } from "node:test";
import { faultsOf } from "../browser/faults.mjs";
import { sendJson, sendRanged } from "../browser/servers.mjs";
import { findOnHub, isHubId, readHubId } from "../../web/sources/hub.js";
import { NamedModels } from "../../web/sources/named_models.js";
import { device, forgetAll, hub, hubOrigin, stopServers } from "./page.mjs";

const { see, everySeen } = faultsOf(import.meta.url);
const id = "some-lab/tiny-gpt2";

afterEach(forgetAll);
after(stopServers);

const sentenceOf = (promise) => promise.then(() => assert.fail("it was found"), (error) => error.message);
const sent = (status, code) => (request, response) => {
  if (code) response.setHeader("X-Error-Code", code);
  response.writeHead(status).end("no");
  return true;
};

describe("a name", () => {
  test("is owner/name, and nothing that leads elsewhere", () => {
    for (const name of ["openai-community/gpt2", "a/b", "A.b/c_d-e"]) assert.ok(isHubId(name), name);
    for (const name of ["", "gpt2", "a b", "../x", "a/b/c", "a/..", "a/b..c", "/b", "a/", "a/b?c", "a/b#c", `a/${"b".repeat(200)}`]) assert.ok(!isHubId(name), name);
  });

  test("may be pasted as an address of the hub, and of no other", () => {
    assert.equal(readHubId(` ${hubOrigin}/${id}/tree/main `), id);
    assert.equal(readHubId(id), id);
    for (const text of ["https://elsewhere.example/a/b", "", "gpt2", `${hubOrigin}/gpt2`]) assert.equal(readHubId(text), null, text);
  });
});

describe("a model of the hub", () => {
  test("is looked up by its configuration alone", async () => {
    const asked = [];
    hub.current = (request, response, path) => asked.push([path, request.headers.cookie, request.headers.referer]) && sendJson(response, { model_type: "gpt2" });
    const entry = await findOnHub(id);
    assert.deepEqual(asked, [[`/${id}/resolve/main/config.json`, undefined, undefined]]);
    assert.equal(entry.url.href, `${hubOrigin}/${id}/resolve/main/model.safetensors`);
    assert.deepEqual([...entry.beside.keys()], ["vocab.json", "merges.txt"]);
  });

  test("without a configuration is recognised by its weights", async () => {
    hub.current = (request, response, path) => path.endsWith("model.safetensors") && sendRanged(request, response, Buffer.alloc(100), '"x"');
    assert.equal((await findOnHub(id)).config, "");
  });
});

describe("the hub", () => {
  const faults = {
    "does not know the model (401)": sent(401, "RepoNotFound"),
    "does not know the model (404)": sent(404, "RepoNotFound"),
    "gives the model only to some (403)": sent(403, "GatedRepo"),
    "has an error of its own (500)": sent(500),
    "has had enough requests (429)": sent(429),
    "has a model of another kind": (request, response) => sendJson(response, { model_type: "llama" }),
    "sends something else as the configuration": (request, response) => sendJson(response, "<!doctype html>"),
  };
  for (const [what, reply] of Object.entries(faults))
    test(`that ${what}: one sentence`, async () => {
      hub.current = reply;
      see(`the hub ${what}`, await sentenceOf(findOnHub(id)));
    });

  test("that breaks the connection, or a device that is offline", async () => {
    hub.current = (request, response) => response.destroy() || true;
    assert.match(await sentenceOf(findOnHub(id)), /^The hub \(hub\.test\) could not be reached\.$/);
    device.online = false;
    assert.equal(await sentenceOf(findOnHub(id)), "This device is offline.");
  });
});

describe("a model that a run names", () => {
  const parts = () => {
    const said = [], there = new Set(["ours"]), offered = [];
    const models = { has: (name) => there.has(name), list: () => [...there].map((name) => ({ name })), addHub: async (name) => { if (name.startsWith("nobody")) throw new Error("There is none."); there.add(name); } };
    const offer = { offers: (names) => offered.at(-1)?.names === names, showCompared: (names, accepted) => offered.push({ names, accepted }) };
    return { said, offered, named: new NamedModels(models, (action) => said.push(action), offer) };
  };

  test("is asked for only after the visitor has agreed", async () => {
    const { said, offered, named } = parts();
    assert.deepEqual(["ours", "a/b", "no hub's"].map((name) => named.isOurs(name)), [false, true, false]);
    await named.find("a/b");
    await named.find("c/d");
    assert.deepEqual(said.map((a) => [a.do, a.name]), [["refuse_model", "a/b"], ["refuse_model", "c/d"]]);
    assert.deepEqual(offered.at(-1).names, ["a/b", "c/d"], "offered together");
    await offered.at(-1).accepted(["a/b", "c/d"]);
    assert.deepEqual(said.slice(2).map((a) => a.do), ["add_model", "add_model", "retry"]);
  });

  test("is asked for at once where its name was typed; a refusal is a sentence", async () => {
    const { said, offered, named } = parts();
    named.typed("nobody/nothing");
    await named.find("nobody/nothing");
    assert.deepEqual(said, [{ do: "refuse_model", name: "nobody/nothing", sentence: "There is none." }]);
    assert.deepEqual(offered, []);
  });
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
