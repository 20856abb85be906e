// The open figure as a file: SVG as it is, PNG drawn from that SVG, tables as CSV and Markdown, numbers as NPZ and JSON, and a
// script that recomputes them.
import { silence, timeLimit } from "../sources/limits.js";
import { addressOf } from "../start/files.js";
import { $, h } from "./dom.js";
import { closesWithView } from "./overlays.js";
import { plainJson } from "./plain_json.js";
import { PythonScripts } from "./python_script.js";
import { say } from "../words/words.js";

const width = 960, pngScale = 2; // the height is the figure’s own
const fontFiles = { 400: "fonts/HelixscopeSans-Regular.ttf", 600: "fonts/HelixscopeSans-SemiBold.ttf" };

function save(/** @type {Blob} */ blob, /** @type {string} */ name) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @returns {Promise<string>} */
const asDataUrl = (/** @type {Blob} */ blob) => new Promise((done, failed) => {
  const reader = new FileReader();
  reader.onload = () => done(/** @type {string} */ (reader.result));
  reader.onerror = () => failed(reader.error);
  reader.readAsDataURL(blob);
});

const slug = (/** @type {string} */ title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** An SVG that is drawn as an image cannot load other files, so the fonts are embedded in it. */
async function withFonts(/** @type {string} */ svg) {
  const faces = await Promise.all(Object.entries(fontFiles).map(async ([weight, file]) => {
    const answer = await fetch(addressOf(file), { signal: timeLimit(silence) });
    if (!answer.ok) throw new Error(say("the page’s fonts could not be read (the server answered {status})", { status: answer.status }));
    const url = await asDataUrl(await answer.blob());
    return `@font-face{font-family:"Helixscope Sans";font-weight:${weight};src:url(${url})}`;
  }));
  return svg.replace("<title>", `<style>${faces.join("")}</style><title>`);
}

/** @returns {Promise<Blob>} */
async function toPng(/** @type {string} */ svg) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([await withFonts(svg)], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = h("canvas", { width: width * pngScale, height: Math.round(width * pngScale * image.naturalHeight / image.naturalWidth) });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no image"))), "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** @typedef {[label: string, act: () => Promise<unknown>]} MenuItem */

/**
 * `ui` provides the figure and its numbers; `notice(sentence)` reports a failure; `more`: other entries, which come first.
 * @param {Ui} ui
 * @param {{state: () => PageState, resultJson: () => ResultHeader | null, citation: () => string, notice: (sentence: string) => void}} page
 * @param {MenuItem[]} more
 */
export function bindExport(ui, { state, resultJson, citation, notice }, more) {
  const button = $("export"), menu = $("menu");
  const scripts = new PythonScripts();
  const name = (/** @type {string} */ ending) => `helixscope-${state().study}.${ending}`;

  async function savePython() {
    const { script, why } = await scripts.make(state().study, resultJson(), location.hash, state().compare !== "none");
    if (why) notice(why);
    else save(new Blob([/** @type {string} */ (script)], { type: "text/x-python" }), name("py"));
  }

  /** @returns {MenuItem[]} */
  const items = () => [
    [say("Picture, SVG"), async () => save(new Blob([ui.svg(width, 0, true)], { type: "image/svg+xml" }), name("svg"))],
    [say("Picture, PNG"), async () => save(await toPng(ui.svg(width, 0, true)), name("png"))],
    ...ui.tables().map((table, i) => /** @type {MenuItem} */ ([say("{table}, CSV", { table: table.title }), async () => save(new Blob([ui.csv(i)], { type: "text/csv" }), name(`${slug(table.title)}.csv`))])),
    ...ui.tables().map((table, i) => ({ table, i })).filter(({ table }) => table.open)
      .map(({ table, i }) => /** @type {MenuItem} */ ([say("{table}, Markdown", { table: table.title }), async () => save(new Blob([ui.markdown(i)], { type: "text/markdown" }), name(`${slug(table.title)}.md`))])),
    [say("All numbers, NPZ (numpy)"), async () => save(new Blob([ui.npz()], { type: "application/zip" }), name("npz"))],
    [say("Everything, JSON"), async () => save(new Blob([plainJson(resultJson())], { type: "application/json" }), name("json"))],
    ...(scripts.has(state().study) ? [/** @type {MenuItem} */ ([say("Reproduce in Python"), savePython])] : []),
    [say("Citation, BibTeX"), async () => save(new Blob([citation()], { type: "application/x-bibtex" }), name("bib"))],
  ];

  const close = () => {
    menu.hidden = true;
    button.setAttribute("aria-expanded", "false");
  };
  /** Places the menu below the button, or above a button at the lower edge; always inside the viewport. */
  const place = () => {
    const box = button.getBoundingClientRect(), gap = 6, edge = 8;
    const below = innerHeight - box.bottom - gap - edge, above = box.top - gap - edge;
    const room = Math.max(below, above);
    const tall = Math.min(menu.scrollHeight + menu.offsetHeight - menu.clientHeight, room);
    menu.style.maxHeight = `${room}px`;
    menu.style.top = `${tall <= below ? box.bottom + gap : box.top - gap - tall}px`;
    menu.style.left = `${Math.max(edge, Math.min(box.left, innerWidth - menu.offsetWidth - edge))}px`;
  };
  const buttons = () => /** @type {HTMLButtonElement[]} */ ([...menu.children]);
  const open = () => {
    menu.replaceChildren(.../** @type {[string, () => Promise<unknown>, string?][]} */ ([...more.map((entry) => [...entry, "opens"]), ...items()]).map(([label, run, kind]) => h("button", { role: "menuitem", tabindex: "-1", class: kind, onclick: () => {
      close();
      button.focus();
      run().catch((error) => notice(say("The export failed: {why}.", { why: error.message })));
    } }, label)));
    menu.hidden = false;
    place();
    button.setAttribute("aria-expanded", "true");
    buttons()[0].focus();
  };
  button.onclick = () => (menu.hidden ? open() : close());
  document.addEventListener("pointerdown", (event) => {
    const at = /** @type {Node} */ (event.target);
    if (!menu.hidden && !menu.contains(at) && !button.contains(at)) close();
  });
  addEventListener("resize", () => { if (!menu.hidden) close(); });
  closesWithView(() => {
    if (menu.contains(document.activeElement)) button.focus({ preventScroll: true });
    close();
  });
  menu.addEventListener("keydown", (event) => {
    const all = buttons(), at = all.findIndex((each) => each === document.activeElement);
    if (event.key === "Escape") {
      close();
      button.focus();
    } else if (event.key === "ArrowDown") all[(at + 1) % all.length].focus();
    else if (event.key === "ArrowUp") all[(at + all.length - 1) % all.length].focus();
    else if (event.key === "Home") all[0].focus();
    else if (event.key === "End") all.at(-1)?.focus();
    else if (event.key === "Tab") {
      button.focus(); // Tab then moves on from the button
      return close();
    } else return;
    event.preventDefault();
  });
}
