// axe-core in a page: its serious findings.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const serious = ["serious", "critical"];

/** axe's serious findings on the page as it is, a line for each rule: where, and what is wrong. */
export async function found(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter((v) => serious.includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(" ")} (${n.failureSummary.split("\n").at(-1).trim()})`).join("; ")}`);
}
