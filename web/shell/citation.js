// A view as a BibTeX entry.

/** Characters with a meaning in LaTeX. A brace is counted by BibTeX even after a backslash, so it is written by its name. */
/** @type {Record<string, string>} */
const inLatex = { "\\": "\\textbackslash{}", "{": "\\textbraceleft{}", "}": "\\textbraceright{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
const escaped = (/** @type {string} */ text) => text.replace(/[\\{}~^]/g, (sign) => inLatex[sign]).replace(/[&%$#_]/g, "\\$&").replaceAll("…", "...");

/**
 * The entry of a view. `study` and `title`: its id and name; `link`: its whole address; `version` and `commit` of the page;
 * `provenance`: the line below the figure, or ""; `model` and `sha256`, where a model was read; `day`: when it was seen, as 2026-11-25.
 * @param {{study: string, title: string, link: string, version: string, commit: string, provenance: string, model?: string, sha256?: string, day: string}} view
 */
export function bibtex({ study, title, link, version, commit, provenance, model, sha256, day }) {
  const program = `helixscope ${version}${commit ? ` (commit ${commit})` : ""}`;
  const read = model ? `; model ${model}${sha256 ? `, SHA-256 ${sha256}` : ""}` : "";
  const fields = {
    author: "{The helixscope authors}",
    title: `{helixscope: ${escaped(title)}}`,
    year: day.slice(0, 4),
    version: escaped(`${version}${commit ? `, commit ${commit}` : ""}`),
    note: escaped(`Computed with ${program}${read}${provenance ? `; ${provenance}` : ""}`),
    url: link.replace(/[{}\\]/g, encodeURIComponent),
    urldate: day,
  };
  const lines = Object.entries(fields).map(([key, value]) => `  ${key.padEnd(7)} = {${value}},`);
  return `@misc{helixscope-${study.replaceAll("_", "-")},\n${lines.join("\n")}\n}\n`;
}
