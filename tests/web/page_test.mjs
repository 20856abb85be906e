// Parts of the page that need no browser: links, numbers of a result.
import "./page.mjs";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { asked, expanded, pairsOf, shows } from "../../web/lessons/fragments.js";
import { modelOf } from "../../web/shell/address.js";
import { numbersOf } from "../../web/start/api.js";
import { stopServers } from "./page.mjs";

after(stopServers);

describe("links", () => {
  const schema = {
    id: "position_helix", reads_prompt: true, params: [{ key: "first", default: "1" }, { key: "last", default: "1023" }],
    presets: [{ id: "all", fragment: "first=0" }],
  };
  const schemas = [schema];

  test("are read as pairs; a plus is a plus", () => {
    assert.deepEqual(pairsOf("#v=1&prompt=a+b%20%26&flag"), [["v", "1"], ["prompt", "a+b &"], ["flag", ""]]);
    assert.equal(modelOf("#v=1&model=a+b%2Fc"), "a+b/c");
    assert.equal(modelOf("#v=1"), "");
  });

  test("a preset stands for its fragment; what is named beside it counts more", () => {
    assert.equal(expanded("study=position_helix&preset=all", schemas), "study=position_helix&first=0");
    assert.equal(expanded("study=position_helix&preset=all&first=3", schemas), "study=position_helix&first=3");
    assert.throws(() => expanded("study=position_helix&preset=none", schemas), /There is no preset none/);
  });

  test("what they ask for is a run", () => {
    const found = asked("study=position_helix&position_helix.first=7&last=9&prompt=x%20y&bos=1&edit=zero_positions&view.axes=1&theme=dark", schemas);
    assert.deepEqual(found, { study: "position_helix", params: { first: "7", last: "9" }, prompt: "x y", tokens: "", bos: true, edits: ["zero_positions"], compare: "", against: "" });
  });

  test("the page shows what a link asks for, whatever the view and however a number is written", () => {
    const at = (link) => ({ state: { study: "position_helix" }, link });
    const here = at("#v=1&model=m&study=position_helix&position_helix.first=5&view.camera=1,2,3");
    assert.ok(shows(here, "study=position_helix&first=5.0", schemas));
    assert.ok(!shows(here, "study=position_helix&first=6", schemas));
    assert.ok(!shows(here, "study=position_helix&first=5&edit=zero_positions", schemas));
    assert.ok(shows(here, "study=position_helix&first=5&last=1023", schemas), "at its default");
    assert.ok(!shows(here, "study=sinusoid", [...schemas, { id: "sinusoid", params: [], presets: [] }]));
  });
});

test("the numbers of a result: two 32-bit numbers share the place of one of 64", () => {
  const data = new Float64Array(4);
  new Float32Array(data.buffer, 8, 3).set([1.5, 2.5, 3.5]);
  data[3] = 0.1;
  assert.deepEqual(numbersOf(data, { dtype: "f32", offset: 1 }, 3), new Float32Array([1.5, 2.5, 3.5]));
  assert.deepEqual(numbersOf(data, { dtype: "f64", offset: 3 }, 1), new Float64Array([0.1]));
});

test("the elements that the types name are those of index.html", () => {
  const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const tags = { HTMLCanvasElement: "canvas", HTMLTextAreaElement: "textarea", HTMLInputElement: "input", HTMLSelectElement: "select", HTMLDetailsElement: "details",
    HTMLDialogElement: "dialog", HTMLFormElement: "form", HTMLButtonElement: "button" };
  const [, elements] = /interface PageElements \{(.*?)\n\}/s.exec(read("types/page.d.ts"));
  const named = [...elements.matchAll(/"([a-z-]+)": (\w+);/g)].map(([, id, type]) => [id, tags[type]]);
  const there = new Map([...read("web/index.html").matchAll(/<(\w+)\b[^>]*?\bid="([^"]+)"/g)].map(([, tag, id]) => [id, tag]));
  assert.ok(named.length > 20);
  for (const [id, tag] of named) assert.equal(there.get(id), tag, id);
});
