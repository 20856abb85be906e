// The order of things: modules, fonts and the list of models start together; the first figure waits for nothing else.
import { $, throttled } from "./dom.js";
import { Cores, wantsAllCores } from "./cores.js";
import { Engine } from "./engine.js";
import { bindExport } from "./exporting.js";
import { chooseFlavour } from "./flavour.js";
import { isHubId, hubBase } from "./hub.js";
import { bindInput } from "./input.js";
import { Offer } from "./keeping.js";
import { Ours } from "./ours.js";
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
const patience = 400; // milliseconds the canvas waits until the engine has what it computes from
const listPatience = 1500; // and the page for the list of models
let shown = location.hash; // what the address bar holds, as far as we know
let newest = shown; // what it ought to hold
let engineHasAll;
const engineAtWork = new Promise((done) => { engineHasAll = done; });
let ui, shell, engine, cores, ours, chooser, canvasOpen = false, drawing = false, framesDue = 0, dirty = true, updateTables;
let svgText = "";
let measured = ""; // the study whose height the stage has
let asSvg = false; // the canvas cannot draw: the figure is an SVG below it, the input still the canvas'

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
  if (asSvg) showSvg();
  if (dirty) renderShell();
  frameTimes.push(performance.now() - start);
  if (results.size) markOnce("first-figure");
  if (frameTimes.length > 600) frameTimes.shift();
  if (moving || framesDue > 0 || dirty) schedule();
}

function renderShell() {
  dirty = false;
  const snapshot = ui.snapshot();
  Object.assign(snapshot.status, models.progress(snapshot.state.model)); // where more travels than the engine asked for
  if (canvasOpen && measured !== snapshot.state.study) resize(); // another figure asks for another height
  measured = snapshot.state.study;
  shell.render(snapshot);
  ours.render(snapshot);
  updateTables(snapshot.result.subject + snapshot.result.complete);
  newest = snapshot.link;
  showAddress();
}

function keepAddress() {
  if (location.hash !== shown) return; // somebody has just put another link there: it is about to be read
  if (newest !== shown) writeAddress(newest);
}

const showAddress = throttled(keepAddress, 250); // browsers refuse to rewrite the address too often

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

/** Gives the stage the height that the figure wants, where the page's style asks for that; [width, height] in CSS pixels. */
function fitStage() {
  const width = stage.clientWidth;
  stage.style.setProperty("--figure-height", `${Math.round(ui.preferredHeight(width))}px`);
  return [width, stage.clientHeight];
}

function resize() {
  const [width, height] = fitStage(), density = devicePixelRatio || 1;
  const pixels = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels; // else what is drawn would be lost
  ui.resize(width, height, density);
  dirty = true; // what the page lays over the canvas moves with it
  schedule(2);
}

function showSvg() {
  const text = ui.svg(stage.clientWidth, stage.clientHeight, false);
  if (text === svgText) return; // reading it anew costs more than a comparison
  svgText = text;
  $("svg-figure").innerHTML = text;
}

function drawAsSvg(yes) {
  asSvg = yes;
  $("svg-figure").hidden = !yes;
  stage.classList.toggle("as-svg", yes);
  svgText = "";
  if (!yes) $("svg-figure").replaceChildren();
  schedule(2);
}

function giveTheme() {
  ui.theme(tokens());
  if (canvasOpen) resize(); // another font size asks for another height
  schedule(2);
}

// ---- the engine's side

const emitToEngine = (message, bytes) => engine.send(JSON.stringify(message), bytes);
const models = new Models(emitToEngine, { tell: (sentence) => notice(sentence), moved: () => { dirty = true; schedule(); } });
const modelOf = (link) => new URLSearchParams(link.replace(/^#/, "").replaceAll("+", "%2B")).get("model") ?? "";
const offer = new Offer($("offer"), models, {
  accepted(name) {
    dispatch({ do: "dismiss" }); // "is not here"
    dispatch({ do: "models", models: models.list(), choose: name });
  },
  pick: (folder) => chooser.pick(folder),
});

/** A link that names a model which is not here: how to get it. */
function offerMissing(link) {
  const name = modelOf(link);
  if (!name || models.list().some((m) => m.name === name)) offer.hide();
  else if (hubBase && isHubId(name)) offer.show(name);
  else offer.showFile(name.slice(0, 80));
}

/** Milestones of the start, for the bench. */
function markOnce(name) {
  if (!performance.getEntriesByName(name).length) performance.mark(name);
}

const measures = new Map(); // job -> {done, failed}: what is no view's
let lastMeasure = 3_000_000_000; // far from the numbers of the views' jobs

function measure(params, precision) {
  return new Promise((done, failed) => {
    measures.set(++lastMeasure, { done, failed });
    emitToEngine({ type: "run", job: lastMeasure, panel: "bench", study: "bench", model: ui.snapshot().state.model, params, precision });
  });
}

/** True when the message was the answer to a measure. */
function answersMeasure(message, data) {
  const waiting = message.job && measures.get(message.job);
  if (!waiting) return false;
  if (message.type === "result" || message.type === "failure") measures.delete(message.job);
  if (message.type === "result") waiting.done({ header: JSON.parse(message.result), data });
  if (message.type === "failure") waiting.failed(new Error(message.sentence));
  return true;
}

function onEngineMessage(text, data) {
  const message = JSON.parse(text);
  if (answersMeasure(message, data)) return;
  if (message.type === "hello") markOnce("engine-ready");
  if (message.type === "need") models.need(message);
  if (isAtWork(message)) engineHasAll();
  if (message.type === "need_files") models.needFiles(message);
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

/** Whether the engine has all it asked for, or needs nothing: what it does next takes it a while. */
const isAtWork = ({ type, ranges, have, want }) =>
  type === "need" ? !ranges.length && want > 0 && have >= want : ["result", "progress", "failure"].includes(type);

const fontFiles = ["fonts/IBMPlexSans-Regular.ttf", "fonts/IBMPlexSans-SemiBold.ttf"];
const readFonts = () => Promise.all(fontFiles.map(async (file) => (await fetch(new URL(file, import.meta.url), { priority: "low" })).arrayBuffer()));

async function useFonts(reading) {
  const [regular, strong] = await reading;
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
    button.textContent = "In the address bar";
  }
  setTimeout(() => { button.textContent = "Copy link"; }, 1600);
}

const sleep = (milliseconds) => new Promise((next) => setTimeout(next, milliseconds));

/** What happens to a page that was loaded long ago: other links, other tabs in front, no network for a while. */
function bindLife() {
  canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault(); // else it never comes back
    ui.contextLost();
    drawAsSvg(true);
  });
  canvas.addEventListener("webglcontextrestored", () => drawAsSvg(!ui.contextRestored()));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) keepAddress(); // whatever comes next, a reload finds the newest view
    schedule(2);
  });
  addEventListener("pageshow", () => schedule(2));
  addEventListener("online", () => { if (ui.snapshot().status.failure?.retry) dispatch({ do: "retry" }); });
  addEventListener("hashchange", () => {
    shown = location.hash;
    if (shown !== ui.snapshot().link) {
      offerMissing(shown);
      dispatch({ do: "open", link: shown });
    }
    newest = ui.snapshot().link; // the view before must not be written over this one
  });
}

const runsModel = () => ui.schemas().find((s) => s.id === ui.snapshot().state.study)?.runs_model;

/** The list of models, without waiting for ever: what comes late is still taken. What runs also waits for configurations. */
async function bringModels(listed, link) {
  const give = (problem) => {
    markOnce("models-listed");
    dispatch({ do: "models", models: models.list() });
    if (problem) notice(problem);
    offerMissing(link);
  };
  const late = Symbol("late");
  const all = listed.then(async (problem) => {
    if (runsModel()) await models.loadConfigs();
    return problem;
  });
  const problem = await Promise.race([all, sleep(listPatience).then(() => late)]);
  give(problem === late ? null : problem);
  if (problem === late) all.then(give);
}

// ---- start

async function start() {
  const listed = models.load();
  listed.then(() => models.readAhead(modelOf(location.hash) || models.list()[0]?.name));
  const handlers = {
    onMessage: onEngineMessage,
    onRestart(sentence) {
      models.forget(); // what was on its way was for the old one
      dispatch({ do: "restarted" });
      if (sentence) notice(sentence);
      cores.render();
    },
    onKind: () => cores.render(),
    onFailure(sentence) {
      models.forget();
      dispatch({ do: "engine_failed", sentence });
    },
  };
  // The engine says hello as soon as it is there; its words wait until the page's own module can hear them.
  let uiReady;
  const uiLoaded = new Promise((done) => { uiReady = done; });
  const asked = new URLSearchParams(location.search).get("flavour");
  engine = new Engine(chooseFlavour(asked, wantsAllCores()),
    Object.fromEntries(Object.entries(handlers).map(([name, act]) => [name, (...words) => uiLoaded.then(() => act(...words))])));
  ui = await loadUi(canvas, { onSend: (text) => engine.send(text), onChanged: () => { dirty = true; if (shell) schedule(); } });

  markOnce("ui-ready");
  ui.reducedMotion(still.matches);
  still.addEventListener("change", () => ui.reducedMotion(still.matches));
  shell = new Shell(ui.schemas(), dispatch, { themeChanged: giveTheme, chooseModel: () => chooser.choose(), openModel: (name) => dispatch({ do: "model", name }), cancelLoading: () => models.cancel(ui.snapshot().state.model), tokens: () => ui.tokens() });
  updateTables = bindTables(() => ui.tables());
  const chosen = (name) => dispatch({ do: "model", name });
  const added = (name) => {
    offer.hide();
    emitToEngine({ type: "close", model: name }); // another file of that name may be open
    dispatch({ do: "models", models: models.list(), choose: name });
  };
  chooser = bindModels(models, { current: () => ui.snapshot().state.model, chosen, notice, added });
  ours = new Ours($("ours"), models, { open: chosen, added, pick: (folder) => chooser.pick(folder) });
  bindExport(ui, { state: () => ui.snapshot().state, resultJson: () => window.helixscope.result(ui.snapshot().state.study), notice });
  cores = new Cores(engine, {
    use: (all) => engine.change(chooseFlavour(null, all)),
    reload: () => { keepAddress(); location.reload(); },
  });
  publish({ ui, dispatch, results, canvas, engine, frameTimes, measure });

  // The engine first: opening the canvas may hold this thread for long, and only here are bytes fetched. So it is done
  // while the engine computes.
  const link = location.hash;
  dispatch({ do: "open", link });
  uiReady();
  await bringModels(listed, link);
  renderShell(); // so that the canvas opens at the size that it keeps
  const fonts = readFonts();
  fonts.catch(() => {}); // said below
  if (ui.snapshot().state.model) await Promise.race([engineAtWork, sleep(patience)]);

  ui.theme(tokens()); // its font has a part in the figure's height
  const drawn = ui.openCanvas(...fitStage());
  markOnce("canvas-open");
  await sleep(0); // what came meanwhile is in the first frame
  canvasOpen = true;
  drawAsSvg(!drawn);
  giveTheme();
  resize();
  new ResizeObserver(resize).observe(stage);
  bindInput(canvas, ui, schedule);
  bindLife();
  onSystemTheme(() => { applyTheme(ui.snapshot().state.theme); giveTheme(); });
  $("copy").onclick = copyLink;
  helixscopeBoot.started();
  models.loadConfigs((model, config) => dispatch({ do: "config", model, config }));
  useFonts(fonts).catch(() => notice("The page's fonts could not be loaded; the figure is drawn with a plain one."));
}

if (!helixscopeBoot.unfit)
  start().catch((error) => {
    console.warn(error);
    helixscopeBoot.failed(`helixscope could not start: ${error.message}. Check the connection and try again.`);
  });
