// Edits in the page, for the tests of edits: a small model on a server, the form, the chips and the switch.
import { after, before } from "node:test";
import { startServer } from "./servers.mjs";
import { tiny, tinyFolder } from "./synthetic.mjs";
import { settled, state, useBrowser, withPage } from "./support.mjs";

export const prompt = "the cat on the cat";
/** The folder of the model, from before() on. */
export let model;
let server;

/** For a file of tests: a browser, and a server with the small model. */
export function useEdits() {
  useBrowser();
  before(async () => { model = tinyFolder(); server = await startServer([model.folder]); });
  after(async () => { await server?.stop(); model.remove(); });
}

const hash = (rest = "", study = "attention") => `#v=1&model=${tiny.name}&study=${study}&prompt=${encodeURIComponent(prompt)}${rest}`;
export const onPage = (run, rest = "", options = {}) => withPage({ url: server.url + hash(rest, options.study), ...options }, run);
export const edits = async (page) => (await state(page)).subject.edits;
export const specs = async (page) => (await edits(page)).map(({ spec, on }) => (on ? "" : "!") + spec);
export const link = (page) => page.evaluate(() => location.hash);
export const items = (page) => page.locator("#edit-list li");
export const labels = (page) => page.locator("#edit-list li .label").allTextContents();
export const field = (page, label) => page.locator("#edit-fields").getByLabel(label, { exact: true });
export const problem = async (page) => (await page.locator("#edit-problem").isVisible() ? page.locator("#edit-problem").textContent() : "");
export const preview = (page) => page.locator("#edit-text").textContent();
export const view = (page, name) => page.locator("#edit-view").getByRole("radio", { name, exact: true });
export const pattern = (page, of = "attention") => page.evaluate((name) => Array.from(helixscope.result(name).arrays.pattern.data), of);
export const title = (page) => page.locator("#title").textContent();

/** Opens the form by mouse and picks a kind. */
export async function choose(page, name) {
  if (await page.locator("#add-edit").isHidden()) await page.locator("#open-edit").click();
  await page.locator("#edit-kind").selectOption({ label: name });
  await settled(page); // the figure has moved down
}

export async function add(page) {
  await page.locator("#add-edit button[type=submit]").click();
  await settled(page);
}
