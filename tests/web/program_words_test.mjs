// web/words/program.js: the studies' words in the page's language, in English where they do not arrive; a sentence where neither does.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { site, stopServers } from "./page.mjs";

after(stopServers);

Object.defineProperty(navigator, "languages", { value: ["en-GB"], configurable: true });
const { programWords } = await import("../../web/words/program.js");

const asked = [];
const answer = (texts) => {
  asked.length = 0;
  site.current = (request, response, path) => {
    asked.push(path);
    return texts[path] && response.end(texts[path]);
  };
};

test("neither cut words nor a web page in their place are taken, and the next who asks gets them", async () => {
  answer({});
  await assert.rejects(programWords(), /the server answered 404/);
  answer({ "/words/program.en.txt": "<!doctype html>" });
  await assert.rejects(programWords(), /a web page came in their place/);
  answer({ "/words/program.en.txt": "# studies\n## a\nA\n" });
  await assert.rejects(programWords(), /they did not arrive whole/);
  const whole = "# studies\n## a\nA\n# end\n";
  answer({ "/words/program.en.txt": whole });
  assert.equal(await programWords(), whole);
  assert.equal(await programWords(), whole);
  assert.equal(asked.length, 1, "once for both modules");
});
