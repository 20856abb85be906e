// A view as a BibTeX entry.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bibtex } from "../../web/shell/citation.js";

const view = {
  study: "position_helix", title: "The helix", link: "https://example.org/#v=1&model=my_model&study=position_helix&prompt=50%25", version: "0.1.0", commit: "0123456789ab",
  provenance: "rows 1..1023, centred; 91 % & more", model: "my_model", sha256: "2dddffa897d3", day: "2026-11-25",
};

test("the entry has the link as it is, and everything else with LaTeX's signs escaped", () => {
  assert.equal(bibtex(view), `@misc{helixscope-position-helix,
  author  = {{The helixscope authors}},
  title   = {{helixscope: The helix}},
  year    = {2026},
  version = {0.1.0, commit 0123456789ab},
  note    = {Computed with helixscope 0.1.0 (commit 0123456789ab); model my\\_model, SHA-256 2dddffa897d3; rows 1..1023, centred; 91 \\% \\& more},
  url     = {https://example.org/#v=1&model=my_model&study=position_helix&prompt=50%25},
  urldate = {2026-11-25},
}
`);
});

test("what is not known is left out", () => {
  const bare = bibtex({ ...view, commit: "", provenance: "", model: "", sha256: "" });
  assert.match(bare, /version = \{0\.1\.0\},/);
  assert.match(bare, /note {4}= \{Computed with helixscope 0\.1\.0\},/);
});

test("braces and backslashes cannot end a field, in titles or in links", () => {
  const odd = bibtex({ ...view, title: "a } b \\ c ~ d ^ e", link: "https://example.org/#v=1&prompt={}" });
  assert.match(odd, /title {3}= \{\{helixscope: a \\textbraceright\{\} b \\textbackslash\{\} c \\textasciitilde\{\} d \\textasciicircum\{\} e\}\},/);
  let depth = 0;
  for (const sign of odd) assert.ok((depth += { "{": 1, "}": -1 }[sign] ?? 0) >= 0);
  assert.equal(depth, 0, "BibTeX counts every brace");
  assert.match(odd, /url {5}= \{https:\/\/example\.org\/#v=1&prompt=%7B%7D\},/);
});
