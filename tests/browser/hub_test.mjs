// Models of a hub: read, offered, and what the page says where the hub fails.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { faultsOf } from "./faults.mjs";
import { address, bytes, hub, hubServer, id, offer, own, refused, serve, server, turns, useHub } from "./hubs.mjs";
import { python, root } from "./places.mjs";
import { sendRanged, sendWhole } from "./servers.mjs";
import { tinyFiles } from "./synthetic.mjs";
import { keptAll, notices, open, result, scalars, settled, state, until, withPage } from "./support.mjs";

useHub();

const { see, everySeen } = faultsOf(import.meta.url);
const card = (page) => page.locator("#overlay [role=alert]");
const link = `#v=1&model=${id}&study=position_helix&position_helix.first=10`;

async function ask(page, text) {
  if (!await page.locator("#models").isVisible()) await page.locator("#model").click();
  await page.locator("#hub-id").fill(text);
  await page.locator("#hub").getByRole("button", { name: "Load" }).click();
}

async function assertFromHub(page, expected = turns) {
  await until(() => result(page), (r) => r?.complete && r.provenance.model === id);
  await settled(page);
  const found = await result(page);
  assert.equal(found.provenance.model, id);
  assert.ok(Math.abs(scalars(found).turns - expected) < 0.2, `${scalars(found).turns} turns`);
  assert.ok(await card(page).isHidden());
}

const answered = async (page) => {
  await until(() => page.locator("#hub-answer").textContent(), (text) => /\.$/.test(text));
  const told = await page.locator("#hub-answer").textContent();
  assert.match(told, /^[A-Za-z].{10,300}\.$/s);
  assert.doesNotMatch(told, /undefined|null|NaN|\[object|Error:|0x/);
  return told;
};

describe("a model of the hub", () => {
  test("is asked for by its name: header first, then what the study needs; nothing is told of the visitor", () => {
    const asked = serve();
    return withPage({ url: server.url }, async (page) => {
      assert.equal((await result(page)).provenance.model, "ours");
      assert.deepEqual(asked, [], "nobody asked for it yet");
      await ask(page, id);
      await assertFromHub(page);
      assert.equal((await state(page)).model, id);
      const named = /model=some-lab(\/|%2F)tiny-gpt2/;
      assert.match(await until(() => page.url(), (url) => named.test(url)), named); // the address follows in a moment
      assert.equal(asked[0].path, address("config.json"));
      const weights = asked.filter((a) => a.path.startsWith("/blobs/"));
      assert.ok(weights.length >= 2 && weights.every((a) => /^bytes=\d+-\d+$/.test(a.range)), JSON.stringify(weights));
      assert.match(weights[0].range, /^bytes=0-/);
      assert.ok(asked.every((a) => !a.cookie && !a.referer), "no cookie, no referrer");
      assert.deepEqual(await notices(page), []);
    });
  });

  test("is asked for by its address as well", () => {
    serve();
    return withPage({ url: server.url }, async (page) => {
      await ask(page, `${hubServer.origin}/${id}/tree/main`);
      await assertFromHub(page);
    });
  });

  test("is read from one commit, whatever happens to the branch meanwhile", () => {
    const asked = serve({ redirect: false });
    const commit = "0123456789abcdef0123456789abcdef01234567", { current } = hub;
    hub.current = (request, response, path) => {
      const branch = path.replace(`/resolve/${commit}/`, "/resolve/main/"), from = asked.length;
      response.setHeader("X-Repo-Commit", commit);
      const answered = current(request, response, branch);
      if (asked[from]) asked[from].path = path;
      return answered;
    };
    return withPage({ url: server.url }, async (page) => {
      await ask(page, id);
      await assertFromHub(page);
      assert.deepEqual([...new Set(asked.map(({ path }) => path))], [address("config.json"), `/${id}/resolve/${commit}/model.safetensors`]);
    });
  });

  test("is read from the revision that its name asks for", () => {
    const asked = serve({ redirect: false }), { current } = hub;
    hub.current = (request, response, path) => current(request, response, path.replace("/resolve/v1.0/", "/resolve/main/")) && asked.at(-1) && (asked.at(-1).path = path, true);
    return withPage({ url: server.url }, async (page) => {
      await ask(page, `${id}@v1.0`);
      await until(() => result(page), (r) => r?.complete && r.provenance.model === `${id}@v1.0`);
      assert.deepEqual([...new Set(asked.map(({ path }) => path))], ["config.json", "model.safetensors"].map((file) => `/${id}/resolve/v1.0/${file}`));
      assert.ok((await page.evaluate(() => decodeURIComponent(location.hash))).includes(`model=${id}@v1.0&`), "the link names it");
    });
  });

  test("without a config.json is read all the same", () => {
    serve({ configuration: null });
    return withPage({ url: server.url, allowed: refused }, async (page) => {
      await ask(page, id);
      await assertFromHub(page);
    });
  });

  test("on a hub that refuses ranges comes as one stream", () => {
    serve({ send: (request, response) => sendWhole(response, bytes, { ETag: '"sum-of-it"' }) });
    return withPage({ url: server.url }, async (page) => {
      await ask(page, id);
      await assertFromHub(page);
    });
  });

  test("on a hub without another host is read from the hub", () => {
    serve({ redirect: false });
    return withPage({ url: server.url }, async (page) => {
      await ask(page, id);
      await assertFromHub(page);
    });
  });

  test("is kept: at the next visit it is offered, and no weights are asked for", () => {
    const asked = serve();
    return withPage({ url: server.url }, async (page) => {
      await ask(page, id);
      await assertFromHub(page);
      await open(page, server.url);
      asked.length = 0;
      await page.locator("#model").click();
      await page.locator("#kept [data-kept]", { hasText: id }).getByRole("button", { name: "Open" }).click();
      await assertFromHub(page);
      assert.deepEqual(asked.filter((a) => !a.path.endsWith("config.json")), []);
    });
  });

  test("that changes between two ranges is said and read anew", () => {
    let count = 0;
    serve({ send: (request, response) => sendRanged(request, response, ++count === 1 ? own : bytes, count === 1 ? '"one"' : '"two"') });
    return withPage({ url: server.url, allowed: refused }, async (page) => {
      await ask(page, id);
      await card(page).waitFor();
      see("the file on the hub changes between two ranges", await card(page).innerText());
      await card(page).getByRole("button", { name: "Try again" }).click();
      await assertFromHub(page);
    });
  });
});

describe("a link that names a model of the hub", () => {
  test("offers to load it, and asks nothing of the hub before that", () => {
    const asked = serve();
    return withPage({ url: server.url + link }, async (page) => {
      await offer(page).waitFor();
      see("a link names a model of the hub", await offer(page).innerText());
      assert.equal((await result(page)).provenance.model, "ours", "meanwhile the page shows what it has");
      assert.deepEqual(asked, []);
      await offer(page).getByRole("button", { name: "Load it" }).click();
      await assertFromHub(page, turns * 0.95);
      assert.equal((await state(page)).params.first, "10", "with all that the link said");
      assert.ok(await offer(page).isHidden());
      assert.deepEqual(await notices(page), []);
    });
  });

  test("and a prompt: its vocabulary comes from there too, and is kept with the rest", () => {
    const files = Object.fromEntries(Object.entries(tinyFiles()).map(([name, content]) => [name, Buffer.from(content)]));
    const asked = serve();
    hub.current = (request, response, path) => {
      const file = path.split("/").pop();
      asked.push(file);
      return path === address(file) && file in files && sendRanged(request, response, files[file], `"${file}"`);
    };
    const predicted = (page) => page.evaluate(() => helixscope.result("predictions", { arrays: false }));
    return withPage({ url: `${server.url}#v=1&model=${id}&study=predictions`, allowed: refused }, async (page) => {
      await offer(page).getByRole("button", { name: "Load it" }).click();
      const found = await until(() => predicted(page), (r) => r?.complete && r.provenance.model === id);
      assert.ok(found?.scalars.entropy_nats.value > 0);
      for (const file of Object.keys(files)) assert.ok(asked.includes(file), file);
      await until(() => page.url(), (text) => /model=some-lab/.test(text)); // the address follows in a moment
      await keptAll(page);
      await page.reload();
      await page.waitForFunction(() => window.helixscope);
      asked.length = 0;
      await offer(page).getByRole("button", { name: "Load it" }).click();
      const second = await until(() => predicted(page), (r) => r?.complete && r.provenance.model === id);
      assert.deepEqual(second?.scalars, found.scalars);
      assert.deepEqual(asked, ["config.json"]);
    });
  });

  test("can be declined", () => {
    const asked = serve();
    return withPage({ url: server.url + link }, async (page) => {
      await offer(page).getByRole("button", { name: "No" }).click();
      assert.ok(await offer(page).isHidden());
      assert.equal((await result(page)).provenance.model, "ours");
      assert.deepEqual(asked, []);
    });
  });

  test("comes while the page is open: offered too", () => {
    const asked = serve();
    return withPage({ url: server.url }, async (page) => {
      await page.evaluate((hash) => { location.hash = hash; }, link);
      await offer(page).waitFor();
      assert.deepEqual(asked, []);
      await offer(page).getByRole("button", { name: "Load it" }).click();
      await assertFromHub(page, turns * 0.95);
    });
  });

  test("that is no name of a hub's model asks no hub: only a file can be it", () => {
    const asked = serve();
    return withPage({ url: `${server.url}#v=1&model=..%2Fsecret&study=position_helix` }, async (page) => {
      assert.match(await offer(page).textContent(), /names the model \.\.\/secret, which this page does not have\./);
      assert.equal(await offer(page).getByRole("button", { name: "Load it" }).count(), 0);
      await offer(page).getByRole("button", { name: "No" }).click();
      assert.ok(await offer(page).isHidden());
      assert.deepEqual(asked, []);
    });
  });
});

describe("the hub", () => {
  const sent = (status, code, word = "no") => (request, response) => {
    if (code) response.setHeader("X-Error-Code", code);
    response.writeHead(status).end(word);
    return true;
  };
  test("that breaks the connection: one sentence in the dialog, and the page stays as it was", () => {
    serve();
    hub.current = (request, response) => response.destroy() || true;
    return withPage({ url: server.url, allowed: refused }, async (page) => {
      await ask(page, id);
      see("the hub breaks the connection", await answered(page));
      assert.ok(await page.locator("#models").isVisible());
      assert.equal((await state(page)).model, "ours");
      serve();
      await ask(page, id);
      await assertFromHub(page);
    });
  });

  test("has the model, not its weights: said, and nothing is opened in its place", () => {
    serve();
    const whole = hub.current;
    hub.current = (request, response, path) => (path.endsWith("model.safetensors") ? sent(404, "EntryNotFound")(request, response) : whole(request, response, path));
    return withPage({ url: server.url, allowed: refused }, async (page) => {
      await ask(page, id);
      await card(page).waitFor();
      see("the hub has no weights in safetensors form", await card(page).innerText());
    });
  });

  test("sends to a host that the page's policy does not allow: said, and not followed", () => {
    serve();
    const whole = hub.current;
    hub.current = (request, response, path) => {
      if (!path.endsWith("model.safetensors")) return whole(request, response, path);
      response.writeHead(302, { Location: "http://localhost:9/elsewhere" }).end();
      return true;
    };
    return withPage({ url: server.url, allowed: refused }, async (page) => {
      await ask(page, id);
      await card(page).waitFor();
      see("the hub sends to a host that is not allowed", await card(page).innerText());
    });
  });

  test("is out of reach: said", () => {
    serve();
    return withPage({ url: server.url, allowed: refused }, async (page) => {
      await page.context().setOffline(true);
      await ask(page, id);
      see("the device is offline when the hub is asked", await answered(page));
      await page.context().setOffline(false);
    });
  });

  test("is not asked for what is no name", () => {
    const asked = serve();
    return withPage({ url: server.url }, async (page) => {
      for (const text of ["", "gpt2", "a b", "../x", "a/b/c", "https://elsewhere.example/a/b"]) {
        await ask(page, text);
        see("what was typed is no name of a hub's model", await answered(page));
      }
      assert.deepEqual(asked, []);
    });
  });
});

test("a page that was put together without a hub offers none", () => {
  const page = spawnSync(python, [join(root, "tools/dev/website.py"), "index.html"], { env: { ...process.env, HELIXSCOPE_HUBS: "" }, encoding: "utf8" });
  assert.match(page.stdout, /connect-src 'self';/);
  assert.match(page.stdout, /name="helixscope-hub" content=""/);
});

test("only this machine may be a hub without TLS", () => {
  for (const given of ["http://hub.example", "https://*.hub.example", "https://hub.example/path", "ftp://127.0.0.1"]) {
    const page = spawnSync(python, [join(root, "tools/dev/website.py"), "index.html"], { env: { ...process.env, HELIXSCOPE_HUBS: given }, encoding: "utf8" });
    assert.notEqual(page.status, 0, given);
  }
});

test("docs/faults.md lists nothing that was not injected here", everySeen);
