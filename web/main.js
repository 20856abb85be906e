// The order of things: modules, fonts and the list of models start together; the first figure waits for nothing else.
import { $, throttled } from "./dom.js";
import { Engine, chooseFlavour } from "./engine.js";
import { bindExport } from "./exporting.js";
import { bindInput } from "./input.js";
import { bindModels } from "./model_dialog.js";
import { Models } from "./models.js";
import { publish } from "./api.js";
import { Shell } from "./shell.js";
import { bindTables } from "./tables.js";
import { applyTheme, onSystemTheme, tokens } from "./theme.js";
import { loadUi } from "./ui.js";

const canvas = $("canvas");
const stage = $("stage");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const frameTimes = []; // milliseconds of the last frames, for the bench
const results = new Map(); // study -> {header, data} of the newest result
const patience = 250; // milliseconds the canvas waits for the engine to start
let shown = location.hash; // what the address bar holds, as far as we know
let heardEngine;
const engineHeard = new Promise((done) => { heardEngine = done; });
let ui, shell, engine, canvasOpen = false, drawing = false, framesDue = 0, dirty = true, updateTables;

applyTheme("system");

// ---- frames: one when something changed, a few after input, none on an idle page

function schedule(frames = 1) {
  framesDue = Math.max(framesDue, frames);
  if (drawing || !canvasOpen || document.hidden) return;
  drawing = true;
  requestAnimationFrame(frame);
}

function frame(now) {
  drawing = false;
  --framesDue;
  const start = performance.now();
  const moving = ui.frame(now);
  if (dirty) renderShell();
  frameTimes.push(performance.now() - start);
  if (results.size) markOnce("first-figure");
  if (frameTimes.length > 600) frameTimes.shift();
  if (moving || framesDue > 0 || dirty) schedule();
}

function renderShell() {
  dirty = false;
  const snapshot = ui.snapshot();
  shell.render(snapshot);
  updateTables(snapshot.result.subject + snapshot.result.complete);
  showAddress(snapshot.link);
}

// Browsers refuse to rewrite the address too often.
const showAddress = throttled((link) => {
  if (location.hash !== shown) return; // somebody has just put another link there: it is about to be read
  if (link !== shown) writeAddress(link);
}, 250);

function writeAddress(link) {
  history.replaceState(null, "", link);
  shown = location.hash;
}

// ---- actions

function dispatch(action) {
  const problem = ui.dispatch(action);
  if (problem) console.error(problem);
  schedule(2);
}

const notice = (sentence) => dispatch({ do: "notice", sentence });

function resize() {
  const width = stage.clientWidth, height = stage.clientHeight, density = devicePixelRatio || 1;
  stage.style.setProperty("--figure-height", `${Math.round(ui.preferredHeight(width))}px`);
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  ui.resize(width, height, density);
  dirty = true; // what the page lays over the canvas moves with it
  schedule(2);
}

function giveTheme() {
  ui.theme(tokens());
  schedule(2);
}

// ---- the engine's side

const emitToEngine = (message, bytes) => engine.send(JSON.stringify(message), bytes);
const models = new Models(emitToEngine);

/** Milestones of the start, for the bench. */
function markOnce(name) {
  if (!performance.getEntriesByName(name).length) performance.mark(name);
}

function onEngineMessage(text, data) {
  const message = JSON.parse(text);
  if (message.type === "hello") {
    markOnce("engine-ready");
    heardEngine();
  }
  if (message.type === "need") models.need(message);
  if (message.type === "hello" && message.schema !== ui.schemaHash())
    return notice("This page was updated while it was open: reload it to get both halves of the new version.");
  if (message.type === "result") {
    const header = JSON.parse(message.result);
    results.set(header.study, { header, data });
    markOnce("first-result");
  }
  const problem = ui.receive(text, data);
  if (problem) notice(problem);
  schedule();
}

async function loadFonts() {
  const get = async (file) => (await fetch(new URL(file, import.meta.url))).arrayBuffer();
  const [regular, strong] = await Promise.all(["fonts/IBMPlexSans-Regular.ttf", "fonts/IBMPlexSans-SemiBold.ttf"].map(get));
  ui.addFont(regular, false);
  ui.addFont(strong, true);
  await document.fonts.ready;
  dirty = true; // texts have other widths now
  schedule(2);
}

async function copyLink() {
  const button = $("copy");
  writeAddress(ui.snapshot().link);
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "It is in the address bar";
  }
  setTimeout(() => { button.textContent = "Copy link"; }, 1600);
}

// ---- start

async function start() {
  const listed = models.load();
  const handlers = {
    onMessage: onEngineMessage,
    onRestart: () => { dispatch({ do: "restarted" }); notice("The engine had to be restarted; everything is as it was."); },
    onFailure: notice,
  };
  // The engine says hello as soon as it is there; its words wait until the page's own module can hear them.
  let uiReady;
  const uiLoaded = new Promise((done) => { uiReady = done; });
  engine = new Engine(chooseFlavour(new URLSearchParams(location.search).get("flavour")),
    { ...handlers, onMessage: (text, data) => uiLoaded.then(() => onEngineMessage(text, data)) });
  ui = await loadUi(canvas, { onSend: (text) => engine.send(text), onChanged: () => { dirty = true; if (shell) schedule(); } });

  markOnce("ui-ready");
  ui.reducedMotion(still.matches);
  still.addEventListener("change", () => ui.reducedMotion(still.matches));
  shell = new Shell(ui.schemas(), dispatch, { themeChanged: giveTheme, chooseModel: () => chooseModel() });
  updateTables = bindTables(() => ui.tables());
  const chooseModel = bindModels(models, {
    current: () => ui.snapshot().state.model,
    chosen: (name) => dispatch({ do: "model", name }),
    added(name) {
      emitToEngine({ type: "close", model: name }); // another file of that name may be open
      dispatch({ do: "models", models: models.list(), choose: name });
    },
  });
  bindExport(ui, { state: () => ui.snapshot().state, resultJson: () => window.helixscope.result(ui.snapshot().state.study), notice });
  publish({ ui, dispatch, results, canvas, engine, frameTimes });

  // The engine first: it starts, and bytes travel, while the canvas opens, which may hold this thread for long.
  dispatch({ do: "open", link: location.hash });
  uiReady();
  const problem = await listed;
  markOnce("models-listed");
  dispatch({ do: "models", models: models.list() });
  if (problem) notice(problem);
  await Promise.race([engineHeard, new Promise((next) => setTimeout(next, patience))]);

  const drawn = ui.openCanvas(stage.clientWidth, stage.clientHeight);
  markOnce("canvas-open");
  if (!drawn) notice("This browser gives no WebGL2, so the figure cannot be turned here; its numbers are in the table.");
  canvasOpen = true;
  giveTheme();
  resize();
  new ResizeObserver(resize).observe(stage);
  bindInput(canvas, ui, schedule);
  canvas.addEventListener("webglcontextlost", (event) => { event.preventDefault(); ui.contextLost(); });
  canvas.addEventListener("webglcontextrestored", () => { ui.contextRestored(); schedule(2); });
  document.addEventListener("visibilitychange", () => schedule(2));
  onSystemTheme(() => { applyTheme(ui.snapshot().state.theme); giveTheme(); });
  addEventListener("hashchange", () => {
    shown = location.hash;
    if (shown !== ui.snapshot().link) dispatch({ do: "open", link: shown });
  });
  $("copy").onclick = copyLink;
  loadFonts().catch(() => notice("The page's fonts could not be loaded; the figure is drawn with a plain one."));
}

start().catch((error) => {
  const text = `helixscope could not start: ${error.message}. Reload the page; it needs WebAssembly with SIMD and JavaScript modules.`;
  $("notices").replaceChildren(Object.assign(document.createElement("p"), { textContent: text }));
});
