// The same measurements in Firefox: the first visit, interaction, and whether the numbers are the published ones.
import { drawnByWebgl, milestones, refits, turning, watchFirstFrame, watchFrames } from "./bench_hand.mjs";
import { goals, median, remark, report } from "./bench_report.mjs";
import { launchFirefox, openInFirefox } from "./firefox.mjs";
import { rect, result, until } from "./support.mjs";

const visits = 5;
// Published for these positions, rows 1 to 1023, which the page shows first.
const gpt2Positions = "29c69587e2af826b7c159c38620a32e549a925e6d9a0dc37cb563f377f5be772", published = "0.9106";

const drawn = (page) => page.evaluate(() => performance.getEntriesByName("first-frame").length);

async function firstVisits(browser, url, where) {
  const seen = [];
  for (let i = 0; i < visits; ++i) {
    const { page, context } = await openInFirefox(browser, url, { init: watchFirstFrame });
    await until(() => drawn(page), Boolean);
    seen.push(await milestones(page));
    await context.close();
  }
  report(where, "first helix, result", "ms", median(seen.map(([first]) => first)), goals.firstHelix);
  report(where, "first helix, drawn", "ms", median(seen.map(([, frame]) => frame)), goals.firstHelix);
}

/** The number of the page's first view; fails where the published number differs. */
async function checkNumbers(page) {
  const { scalars, provenance } = await result(page);
  const share = scalars.explained_first3.value.toFixed(4);
  if (provenance.tensors["wpe.weight"] === gpt2Positions && share !== published)
    throw new Error(`explained_first3 is ${share} in Firefox; ${published} is published`);
  return share;
}

/** What draws WebGL2 here, from a canvas beside the page's own; null where there is none. */
const renderer = (page) => page.evaluate(() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  return gl && gl.getParameter(gl.RENDERER);
});

const shownAsSvg = (page) => page.evaluate(() => document.getElementById("svg-figure")?.hidden === false);

async function howDrawn(page, frames) {
  if (frames) return `drawn with WebGL2 (${await renderer(page)})`;
  return `no WebGL2 was to be had: ${(await shownAsSvg(page)) ? "drawn as SVG" : "not drawn at all"}`;
}

/** Measures the first view, and turning it if there is a figure. */
async function turn(browser, url, where) {
  const { page, context } = await openInFirefox(browser, url, { init: watchFrames });
  const share = await checkNumbers(page), frames = await drawnByWebgl(page);
  remark(`${where.browser.padEnd(8)} explained_first3 = ${share}; ${await howDrawn(page, frames)}`,
    { ...where, work: "first view", explained_first3: Number(share), webgl2: frames > 0 });
  if (await rect(page, "figure.helix")) await turning(page, where);
  await context.close();
}

async function dragRange(browser, url, where) {
  const { page, context } = await openInFirefox(browser, url);
  if (await rect(page, "figure.rows.first")) await refits(page, where);
  await context.close();
}

/** {browser, flavour} of the rows, after a line on both. */
async function tellVersion(browser, url) {
  const { page, context } = await openInFirefox(browser, url);
  const { flavour } = await page.evaluate(() => helixscope.engine());
  await context.close();
  const version = (await browser.version()).replace(/^firefox\//i, ""), where = { browser: "firefox", flavour };
  remark(`firefox  ${version}, the ${flavour} engine`, { ...where, work: "version", version });
  return where;
}

export async function benchFirefox({ url }) {
  const { browser, close } = await launchFirefox();
  try {
    const where = await tellVersion(browser, url);
    await firstVisits(browser, url, where);
    await turn(browser, url, where);
    await dragRange(browser, url, where);
  } finally {
    await close();
  }
}
