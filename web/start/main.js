// The start-up: modules, fonts and the list of models load together; the first figure waits for nothing else.
import { Connection } from "../engine/connection.js";
import { LoadError } from "../engine/wasm.js";
import { bindInput } from "../input/input.js";
import { Door } from "../lessons/door.js";
import { About } from "../shell/about.js";
import { Address, modelOf, viewAsked } from "../shell/address.js";
import { bindContextMenu } from "../shell/context_menu.js";
import { $, keepingFocus } from "../shell/dom.js";
import { bindExport } from "../shell/export_menu.js";
import { Offer } from "../shell/hub_and_cache.js";
import { bindModels } from "../shell/model_dialog.js";
import { bindPrinting } from "../shell/printing.js";
import { Shell } from "../shell/shell.js";
import { Stage } from "../shell/stage.js";
import { Surroundings } from "../shell/surroundings.js";
import { bindTables } from "../shell/tables.js";
import { applyTheme } from "../shell/theme.js";
import { loadUi } from "../shell/ui_module.js";
import { TeachDoor } from "../teach/door.js";
import { Models } from "../sources/models.js";
import { NamedModels } from "../sources/named_models.js";
import { publish } from "./api.js";
import { Cores, wantsAllCores } from "./cores.js";
import { addressOf } from "./files.js";
import { chooseFlavour } from "./flavour.js";
import { embedded, keepPage } from "./isolation.js";
import { markOnce } from "./milestones.js";
import { Newer } from "./newer.js";
import { asksAnother, bindLanguages, learnLanguage, withLanguage } from "../words/language.js";
import { say } from "../words/words.js";

const enginePatience = 400; // milliseconds for which the canvas waits until the engine has its input data
const listPatience = 1500; // milliseconds for which the page waits for the list of models
const canvas = $("canvas");
const address = new Address({ entries: !embedded });
/** @type {Ui} */
let ui;
/** @type {Stage} */
let stage;
/** @type {Connection} */
let connection;
/** @type {Shell} */
let shell;
/** @type {Door} */
let door;
/** @type {Surroundings} */
let surroundings;
/** @type {TeachDoor} */
let teach;
/** @type {About} */
let about;
/** @type {Promise<import("../share/share.js").Share | null> | null} */
let share = null; // the link builder
/** @type {Cores} */
let cores;
/** @type {ReturnType<typeof bindModels>} */
let chooser;
/** @type {ReturnType<typeof bindTables>} */
let updateTables;

applyTheme("system");

const reload = () => { address.keep(); location.reload(); };
const newer = new Newer(reload);

/** What the page itself does while it starts. Everything else may need the whole of its module (ui_module.js). */
const startsWith = new Set(["open", "models", "config", "notice", "dismiss", "engine_failed", "restarted"]);

function dispatch(/** @type {Action} */ action) {
  if (!ui.isWhole && !startsWith.has(action.do)) return void ui.whole().then(() => dispatch(action), () => {}); // start() tells of a failure
  if (action.do === "notice" || action.do === "engine_failed") newer.look();
  const problem = ui.dispatch(action);
  if (problem) console.error(problem);
  stage.schedule(2);
}

/** @type {string[]} */
const early = []; // notices from before ui.wasm can show them, because a model is read before that

function notice(/** @type {string} */ sentence) {
  if (stage) dispatch({ do: "notice", sentence });
  else early.push(sentence);
}
const sleep = (/** @type {number} */ milliseconds) => new Promise((next) => setTimeout(next, milliseconds));

const models = new Models((message, bytes) => connection.send(message, bytes), { tell: notice, moved: () => stage?.progressed() });
const offer = new Offer($("offer"), models, {
  accepted(name) {
    dispatch({ do: "dismiss" }); // "is not here"
    dispatch({ do: "models", models: models.list(), choose: name });
  },
  pick: (folder) => chooser.pick(folder),
});

const named = new NamedModels(models, dispatch, offer);

function render(/** @type {Snapshot} */ snapshot) {
  for (const [name, status] of /** @type {[string, {have: number, want: number}][]} */ ([[snapshot.state.model, snapshot.status], ...snapshot.status.others.map((m) => [m.model, m])]))
    Object.assign(status, models.progress(name)); // where more is loaded than the engine asked for
  if (snapshot.status.failure) newer.look();
  address.show(snapshot);
  if (address.entries) Object.assign(snapshot, { undo: address.can(-1), redo: address.can(1) });
  keepingFocus(() => {
    shell.render(snapshot);
    door.render(snapshot);
    surroundings.render(snapshot);
    updateTables([snapshot.result.fingerprint, snapshot.result.complete, ...snapshot.figure.tables.map(({ rows }) => rows)].join(" "), snapshot.figure.tables);
  });
}

/** One step back or forward: along the browser's history where the page's steps are its entries. */
function travel(/** @type {number} */ by) {
  if (address.entries) address.go(by);
  else dispatch({ do: by < 0 ? "undo" : "redo" });
}

/** The link builder, which loads when it opens. */
function openShare() {
  share ??= import(addressOf("share/share.js").href).then(({ Share }) => new Share({ links: ui.links, hideNames: ui.hideNames(), snapshot: () => ui.snapshot(), lessons: () => door.opened })).catch(() => {
    share = null;
    notice(say("The link builder could not be loaded. Check the connection and try again."));
    return null;
  });
  return share.then((dialog) => dialog?.show());
}

/** The view that the page opens with, as a link that was entered: the step back is there. The theme stays. */
function startAgain() {
  const { theme } = ui.snapshot().state;
  location.hash = withLanguage(theme === "system" ? "#v=1" : `#v=1&theme=${theme}`);
}

/** Makes everything around the canvas: menus, controls, dialogs. */
function makeShell() {
  const current = () => ui.snapshot().state;
  const chosen = (/** @type {string} */ name) => dispatch({ do: "model", name });
  const added = (/** @type {string} */ name) => {
    offer.hide();
    connection.send({ type: "close", model: name }); // another file of that name may be open
    dispatch({ do: "models", models: models.list(), choose: name });
  };
  const engine = { results: connection.results, compute: (/** @type {EngineRun} */ run) => connection.compute(run) };
  door = new Door({ schemas: ui.schemas(), dispatch, engine, snapshot: () => ui.snapshot(), teach: () => teach.open() }, [
    { kind: say("Page"), label: say("For teachers"), note: say("Paths with minutes, questions and answers, handouts, the answers of a class"), act: () => teach.open() },
    { kind: say("Page"), label: say("Presenter’s mode"), note: say("One figure, large, for the back row (Alt+P)"), act: () => surroundings.present(true) },
    { kind: say("Page"), label: say("Start again"), note: say("Reset everything to the view that the page opens with"), act: startAgain },
    { kind: say("Page"), label: say("Share: link, QR code, code for another page"), note: say("With parts of the page left out and the theme fixed"), act: openShare },
  ]);
  teach = new TeachDoor({
    index: door.index, schemas: ui.schemas(), models, dispatch, engine, snapshot: () => ui.snapshot(), settled: () => window.helixscope.settled(), svg: (width, height) => ui.svg(width, height, false),
    paper: (draw) => stage.onPaper(draw), share: openShare, hideNames: ui.hideNames, left: () => address.adopt(ui.snapshot()),
  });
  surroundings = new Surroundings({
    schemas: ui.schemas(), dispatch, links: ui.links, snapshot: () => ui.snapshot(), lessons: () => door.opened, changed: () => stage.giveTheme(),
  });
  about = new About({ schemas: ui.schemas(), snapshot: () => ui.snapshot(), provenance: (study) => connection.results.get(study)?.header.provenance });
  shell = new Shell(ui.schemas(), dispatch, {
    scale: () => stage.scale,
    lessons: door.ways,
    about,
    themeChanged: () => stage.giveTheme(),
    snapshot: () => ui.snapshot(),
    travel,
    chooseModel: () => chooser.choose(),
    openModel: chosen,
    cancelLoading() {
      const { state, status } = ui.snapshot();
      for (const name of [state.model, ...status.others.map((m) => m.model)]) models.cancel(name);
    },
    models,
    getLarger: (name) => models.addHub(name).then(added),
    nameModel: (name) => named.typed(name),
    tokens: () => ui.tokens(),
    editForms: ui.editForms(),
    tellEdit: (spec) => ui.tellEdit(spec),
  });
  door.bind();
  updateTables = bindTables(() => ui.tables(), (fragment) => dispatch({ do: "go", fragment }));
  chooser = bindModels(models, { current: () => current().model, chosen, added });
  bindLanguages($("language"), () => {
    address.show(ui.snapshot());
    reload();
  });
  cores = new Cores(connection.engine, {
    use: (all) => connection.engine.change(chooseFlavour(null, all)),
    reload,
  });
}

/** Reads the list of models. A list that arrives late is still used. A study that runs text also waits for configurations. */
async function bringModels(/** @type {Promise<string | null>} */ listed, /** @type {string} */ link) {
  const give = (/** @type {string | null} */ problem) => {
    markOnce("models-listed");
    dispatch({ do: "models", models: models.list() });
    address.adopt(ui.snapshot());
    if (problem) notice(problem);
    offer.forModel(modelOf(link));
  };
  const runsText = () => ui.schemas().find((s) => s.id === ui.snapshot().state.study)?.runs_model;
  const late = Symbol("late");
  const all = listed.then(async (problem) => {
    if (runsText()) await models.loadConfigs();
    return problem;
  });
  const problem = await Promise.race([all, sleep(listPatience).then(() => late)]);
  give(typeof problem === "symbol" ? null : problem);
  if (problem === late) all.then(give);
}

const fontFiles = ["fonts/HelixscopeSans-Regular.ttf", "fonts/HelixscopeSans-SemiBold.ttf"];
const readFonts = () => Promise.all(fontFiles.map(async (file) => (await fetch(addressOf(file), { priority: "low" })).arrayBuffer()));

function followMotion() {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  ui.reducedMotion(still.matches);
  still.addEventListener("change", () => ui.reducedMotion(still.matches));
}

/** Handles the events of a long-lived page: other links, other tabs in front, a lost network. */
function bindLife() {
  stage.follow();
  address.follow({
    snapshot: () => ui.snapshot(),
    dispatch,
    open(link) {
      if (asksAnother(link)) return location.reload();
      offer.forModel(modelOf(link));
      dispatch({ do: "open", link });
      door.arrived(link);
    },
  });
  bindPrinting({
    draw: (width) => stage.onPaper(() => ui.svg(width, ui.preferredHeight(width), false)),
    prompt() {
      const { study, subject } = ui.snapshot().state;
      return ui.schemas().find((s) => s.id === study)?.reads_prompt ? subject.prompt || subject.tokens.join(", ") : "";
    },
  });
  addEventListener("online", () => { if (ui.snapshot().status.failure?.retry) dispatch({ do: "retry" }); });
}

async function start() {
  const listed = models.load(), learning = learnLanguage();
  listed.then(() => models.readAhead(modelOf(viewAsked()) || models.list()[0]?.name));
  const asked = new URLSearchParams(location.search).get("flavour");
  connection = new Connection(chooseFlavour(asked, wantsAllCores()), models,
    { dispatch, notice, named, kindChanged: () => cores.render() });
  const link = viewAsked();
  ui = await loadUi(canvas, { onSend: (text) => connection.engine.send(text), onChanged: () => stage?.changed(), onProgressed: () => stage?.progressed(), onTurned: () => stage?.turned() }, link !== "");
  const inEnglish = await learning;
  if (inEnglish) notice(inEnglish);
  markOnce("ui-ready");
  stage = new Stage(ui, { render, drawn: () => { showContextMenu(); if (connection.results.size) markOnce("first-figure"); } });
  const showContextMenu = bindContextMenu(ui, (frames) => stage.schedule(frames));
  followMotion();
  makeShell();

  // The engine first: opening the canvas may block this thread for long, and only this thread fetches bytes. So the canvas is
  // opened while the engine computes.
  if (!ui.drawsAlone(link)) await ui.whole();
  dispatch({ do: "open", link });
  connection.begin(ui);
  await bringModels(listed, link);
  early.splice(0).forEach(notice);
  stage.render(); // so that the canvas opens at its final size
  const fonts = readFonts();
  fonts.catch(() => {}); // the failure is reported below
  if (ui.snapshot().state.model) await Promise.race([connection.atWork, sleep(enginePatience)]);

  const whole = ui.whole(); // after the bytes that the first picture waits for
  whole.catch(() => {}); // awaited below
  await stage.open(() => {
    markOnce("canvas-open");
    return sleep(0); // so that the first frame includes the messages that arrived meanwhile
  });
  await whole;
  const { engine, results } = connection;
  publish({ ui, lessons: () => door.opened, dispatch, address, results, canvas, engine, stage, measure: (...question) => connection.measure(...question) });
  bindExport(ui, { state: () => ui.snapshot().state, resultJson: () => window.helixscope.result(ui.snapshot().state.study), citation: () => about.citation(), notice }, [
    [say("Share: link, QR code, code for another page"), openShare],
    [say("Presenter’s mode"), async () => surroundings.present(true)],
  ]);
  bindInput(canvas, ui, (frames) => stage.schedule(frames), { scale: () => stage.scale, over: $("tooltip") });
  bindLife();
  helixscopeBoot.started();
  door.follow(link);
  teach.follow();
  models.loadConfigs((model, config) => dispatch({ do: "config", model, config }));
  (window.requestIdleCallback ?? setTimeout)(() => keepPage()); // when nothing else waits
  stage.useFonts(fonts).catch(() => notice(say("The page's fonts could not be loaded; the figure is drawn with a plain one.")));
}

// Without the boot script, index.html itself says that a part is missing.
if (window.helixscopeBoot && !helixscopeBoot.unfit)
  start().catch((error) => {
    console.warn(error);
    const advice = error instanceof LoadError ? "Check the connection and try again." : "Reload the page; the link may be what it fails at.";
    helixscopeBoot.failed(`helixscope could not start: ${error.message}. ${advice}`);
  });
