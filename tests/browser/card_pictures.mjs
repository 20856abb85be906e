// Takes the pictures for the studies' cards and for the documents: `./dev pictures`; with --new those of cards that have none, with
// --documents those of the documents.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { movingView, writeMovingPicture } from "./moving_picture.mjs";
import { startServer } from "./servers.mjs";
import { launch, open } from "./support.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const text = "prompt=In%20the%20morning%20they%20went%20to%20the%20old%20house%2C%20and%20in%20the%20morning%20they%20went%20to";
const list = "prompt=%20money%20garden%20mother%20morning%20river%20music%20summer%20street%20captain%20money%20garden%20mother%20morning";
const rare = "prompt=The%20lighthouse%20keeper%20recited%20antidisestablishmentarianism.";

/** The view that a card shows, where a study's opening view is not the best one. */
const better = { attention: `layer=4&head=4&${text}`, head_taxonomy: text, tokens: rare, predictions: text, continuation: text,
  attention_dose: `layer=5&head=0&key=7&${list}`, edit_reach: `position=4&${list}`,
  head_logits: list,
  head_sources: `layer=5&head=0&target=induction&${list}` };

/** The documents' pictures: a file's name, and the view. */
const views = {
  helix: "study=position_helix",
};

const onlyNew = process.argv.includes("--new"), onlyDocuments = process.argv.includes("--documents");
const file = (id, theme) => join(root, `src/studies/${id}/card-${theme}.jpg`);

const browser = await launch();
const server = await startServer([], { bundled: true });

async function shoot(options, hash, take) {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  await open(page, `${server.url}#v=1&${hash}`);
  await take(page);
  await context.close();
}

/** The figure alone, on an empty page where it is lower than a card; only its upper part where it is higher. */
async function card(page, path) {
  await page.addStyleTag({ content: "body * { visibility: hidden } #stage, #stage * { visibility: visible }" });
  await page.locator("#stage").scrollIntoViewIfNeeded();
  const { x, y, width } = await page.locator("#stage").boundingBox();
  const clip = { x, y, width, height: (width * 5) / 8 };
  writeFileSync(path, await page.screenshot({ clip, type: "jpeg", quality: 82 }));
}

try {
  let ids = [];
  await shoot({}, "", async (page) => {
    ids = await page.evaluate(() => [...document.querySelectorAll("#studies [data-key^='study:']")].map((one) => one.dataset.key.slice(6)));
  });
  for (const id of ids.filter((one) => !onlyDocuments && (!onlyNew || !existsSync(file(one, "dark")))))
    for (const colorScheme of ["dark", "light"])
      await shoot({ viewport: { width: 960, height: 900 }, deviceScaleFactor: 0.625, colorScheme, bypassCSP: true }, `study=${id}&${better[id] ?? ""}`,
        (page) => card(page, file(id, colorScheme)));
  mkdirSync(join(root, "docs/pictures"), { recursive: true });
  for (const [name, hash] of onlyNew ? [] : Object.entries(views))
    await shoot({ viewport: { width: 1280, height: 800 }, colorScheme: "dark" }, hash, async (page) =>
      writeFileSync(join(root, `docs/pictures/${name}.png`), await page.screenshot()));
  if (!onlyNew)
    await shoot({ viewport: { width: 1100, height: 700 }, deviceScaleFactor: 0.7, colorScheme: "dark" }, movingView, (page) =>
      writeMovingPicture(page, join(root, "docs/pictures/dragged.webp")));
} finally {
  await server.stop();
  await browser.close();
}
