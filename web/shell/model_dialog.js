// The dialog that chooses a model: one that this page offers, or a weights file of the visitor's own, picked or dropped.
import { $, h, megabytes } from "./dom.js";
import { baseOf, controlKinds, controlName, readControl } from "../sources/control_models.js";
import { hubForm, keptList } from "./hub_and_cache.js";
import { say } from "../words/words.js";

/** All files of a drop, those inside of dropped folders too. */
async function droppedFiles(/** @type {DataTransfer} */ transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry !== null && entry !== undefined);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  /**
   * @template T
   * @param {(done: (value: T) => void, failed: (why: Error) => void) => void} act
   * @returns {Promise<T>}
   */
  const read = (act) => new Promise((done, failed) => act(done, failed));
  const fileOf = async (/** @type {FileSystemFileEntry} */ entry) => Object.assign(/** @type {File} */ (await read((done, failed) => entry.file(done, failed))), { helixscopePath: entry.fullPath });
  /** @type {File[]} */
  const files = [];
  for (const entry of entries) {
    if (entry.isFile) files.push(await fileOf(/** @type {FileSystemFileEntry} */ (entry)));
    if (!entry.isDirectory) continue;
    const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
    for (;;) { // a reader returns a hundred entries at a time
      /** @type {FileSystemEntry[]} */
      const some = await read((done, failed) => reader.readEntries(done, failed));
      if (!some.length) break;
      for (const inner of some) if (inner.isFile) files.push(await fileOf(/** @type {FileSystemFileEntry} */ (inner)));
    }
  }
  return files;
}

/**
 * The controls that can be made from the open model: the same study on something that has learned nothing.
 * @param {string} open
 * @param {string} title
 * @param {(name: string) => void} choose
 */
function controlsOf(open, title, choose) {
  const now = readControl(open);
  const seed = h("input", { type: "number", min: 0, max: 4294967295, step: 1, value: now?.seed ?? 1, "aria-label": say("seed of the controls") });
  const buttons = controlKinds.map(([kind, words]) => h("li", {}, h("button", {
    "aria-pressed": String(now?.kind === kind), onclick: () => { if (seed.checkValidity() && seed.value !== "") choose(controlName(kind, Number(seed.value), baseOf(open))); },
  }, say(words))));
  return [h("h3", {}, say("Controls")),
    h("p", {}, say("Random numbers in the place of what {model} learned: what a study shows of them, it would show of anything.", { model: title })),
    h("ul", { class: "control-models" }, ...buttons), h("label", {}, say("seed "), seed)];
}

/**
 * @param {import("../sources/models.js").Models} models
 * @param {{chosen: (name: string) => void, added: (name: string) => void, current: () => string}} page
 */
export function bindModels(models, { chosen, added, current }) {
  const dialog = $("models");
  const file = h("input", { type: "file", accept: ".safetensors,.json,.txt", multiple: true, hidden: true });
  const take = async (/** @type {File[]} */ files) => {
    if (!files.length) return;
    const { name, sentence } = await models.addFiles(files, current());
    if (name === undefined) return refuse(sentence);
    dialog.close();
    added(name);
  };
  const refused = h("p", { id: "models-refused", role: "alert" });
  /** Says in the dialog why a file was not opened: beside the buttons that offer another. */
  const refuse = (/** @type {string} */ sentence) => {
    if (!dialog.open) choose();
    refused.textContent = sentence;
    refused.scrollIntoView({ block: "nearest" });
  };
  const unreadable = (/** @type {Error} */ error) => refuse(say("The files could not be read: {why}. Choose them again.", { why: error.message }));
  const opened = (/** @type {string} */ name) => { dialog.close(); added(name); };
  const openHub = (/** @type {string} */ name) => models.addHub(name).then(opened, (error) => { $("hub-answer").textContent = error.message; });
  const folder = h("input", { type: "file", webkitdirectory: true, hidden: true });
  for (const field of [file, folder])
    field.addEventListener("change", () => {
      const files = [.../** @type {FileList} */ (field.files)]; // emptying the field empties its list as well
      field.value = "";
      take(files).catch(unreadable);
    });

  addEventListener("dragover", (event) => {
    if (![...event.dataTransfer?.types ?? []].includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    droppedFiles(event.dataTransfer).then(take).catch(unreadable);
  });

  const choose = () => {
    refused.textContent = "";
    const named = (/** @type {{name: string}} */ m) => { const { title, alone } = models.describe(m.name); return [title, alone && say("positions only")]; };
    const about = (/** @type {ReturnType<typeof models.list>[number]} */ m) => [...named(m), models.isBundled(m.name) && say("comes with the page"), m.precision, m.bytes && megabytes(m.bytes)];
    const list = models.list().map((m) => h("li", {}, h("button", {
      "aria-pressed": String(m.name === current()), autofocus: m.name === baseOf(current()), onclick: () => { dialog.close(); chosen(m.name); },
    }, about(m).filter(Boolean).join(" · "))));
    dialog.replaceChildren(
      h("h2", { id: "models-title" }, say("Which model?")),
      h("p", {}, list.length ? say("Only what the open study needs is read: 3 MB for the helix of GPT-2 small.") : say("This page has no models of its own. Any GPT-2 in safetensors form will do; it stays on this machine.")),
      h("ul", {}, ...list),
      ...(list.length && current() ? controlsOf(current(), models.describe(baseOf(current())).title, (name) => { dialog.close(); chosen(name); }) : []),
      ...[hubForm(models, { added: opened }), keptList(models, { open: openHub })].filter((part) => part !== null),
      file,
      h("p", {}, say("Prompts also need its vocab.json and merges.txt: pick or drop them together, or the whole folder.")),
      refused,
      h("div", { class: "row" }, h("button", { onclick: () => dialog.close() }, say("Close")),
        h("button", { onclick: () => folder.click() }, say("Open a folder…")),
        h("button", { class: "primary", autofocus: !list.length, onclick: () => file.click() }, say("Open .safetensors…"))));
    dialog.showModal(); // the browser closes it on Esc and restores the focus
  };
  dialog.append(file);
  $("pickers").replaceChildren(folder);
  return { choose, pick: (/** @type {boolean} */ whole) => (whole ? folder : file).click() };
}
