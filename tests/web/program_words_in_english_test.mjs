// web/words/program.js where the page speaks another language, whose words do not arrive.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { site, stopServers } from "./page.mjs";

after(stopServers);

test("the studies speak English where the words of the visitor's language do not arrive", async (t) => {
  t.mock.method(console, "warn", () => {});
  document.querySelector = (selector) => (selector === "meta[name=helixscope-languages]" ? { content: '{"it": "Italiano"}' } : null);
  location.hash = "#v=1&lang=it";
  const { programWords } = await import("../../web/words/program.js");
  const asked = [];
  site.current = (request, response, path) => {
    asked.push(path);
    return path.includes(".en.") && response.end("# studies\n# end\n");
  };
  assert.equal(await programWords(), "# studies\n# end\n");
  assert.deepEqual(asked, ["/words/program.it.txt", "/words/program.en.txt"]);
});
