// Messages between the page and the engine. The engine's messages about bytes and files go to the models, the answers to
// measurements to their callers, and all others to ui.wasm.
import { markOnce } from "../start/milestones.js";
import { Engine } from "./engine.js";

/**
 * Whether the engine has all it asked for, or needs nothing: it is computing now.
 * @param {EngineMessage} message
 */
const isAtWork = (message) => (message.type === "need" ? !message.ranges.length && message.want > 0 && message.have >= message.want
  : ["result", "progress", "failure"].includes(message.type));

export class Connection {
  /** @type {Map<string, Result>} */
  results = new Map(); // study, or "against" -> {header, data} of the newest result
  #ui = /** @type {Ui} */ (/** @type {unknown} */ (null)); // given by begin()
  #begin = () => {};
  #begun = new Promise((/** @type {(value: void) => void} */ done) => { this.#begin = done; });
  #reached = () => {};
  /** Resolves when the engine has its input data. */
  atWork = new Promise((/** @type {(value: void) => void} */ done) => { this.#reached = done; });
  /** @type {Map<number, {done: (result: Result) => void, failed: (why: Error) => void}>} */
  #own = new Map(); // job -> {done, failed}: runs that belong to no view
  #lastRun = 3_000_000_000; // far from the job numbers of the views

  /**
   * Starts the engine; what it says waits until begin(). `page`: dispatch(action), notice(sentence), named: models that a run
   * names, kindChanged(): the engine's flavour or threads are others now.
   * @param {EngineKind} kind
   * @param {import("../sources/models.js").Models} models
   * @param {{dispatch: Dispatch, notice: (sentence: string) => void, named: import("../sources/named_models.js").NamedModels, kindChanged: () => void}} page
   */
  constructor(kind, models, page) {
    this.models = models;
    this.page = page;
    /** @template {unknown[]} Words @param {(...words: Words) => void} act */
    const later = (act) => (/** @type {Words} */ ...words) => this.#begun.then(() => act(...words));
    this.engine = new Engine(kind, {
      onMessage: later((/** @type {string} */ text, /** @type {Float64Array | null} */ data) => this.#receive(text, data)),
      onRestart: later((/** @type {string} */ sentence) => this.#restarted(sentence)),
      onKind: later(() => page.kindChanged()),
      onFailure: later((/** @type {string} */ sentence) => {
        models.forget();
        this.#endOwn(sentence);
        page.dispatch({ do: "engine_failed", sentence });
      }),
    });
  }

  /** From now on `ui` receives the engine's messages, including those that came before. */
  begin(/** @type {Ui} */ ui) {
    this.#ui = ui;
    this.#begin();
  }

  /** @param {EngineRequest} message @param {ArrayBuffer} [bytes] */
  send(message, bytes) {
    this.engine.send(JSON.stringify(message), bytes);
  }

  /**
   * Starts a run that belongs to no view. A newer run of its slot cancels it.
   * @param {EngineRun} run
   * @returns {Promise<Result>}
   */
  compute(run, slot = "") {
    const job = ++this.#lastRun;
    return new Promise((done, failed) => {
      this.#own.set(job, { done, failed });
      this.send({ type: "run", job, slot: slot || `own-${job}`, ...run });
    });
  }

  /**
   * Runs the bench study on the open model.
   * @param {Record<string, string>} params
   * @param {Precision} precision
   */
  measure(params, precision) {
    return this.compute({ study: "bench", model: this.#ui.snapshot().state.model, params, subject: { precision } }, "bench");
  }

  /**
   * Whether the message was about a run that belongs to no view.
   * @param {EngineMessage} message
   * @param {Float64Array | null} data
   */
  #answersOwn(message, data) {
    const waiting = "job" in message && this.#own.get(message.job);
    if (!waiting) return false;
    if (message.type === "result" && JSON.parse(message.result).complete === false) return true; // a first picture
    if (message.type === "result" || message.type === "failure") this.#own.delete(message.job);
    if (message.type === "result") waiting.done({ header: JSON.parse(message.result), data: /** @type {Float64Array} */ (data) });
    if (message.type === "failure") waiting.failed(new Error(message.sentence));
    return true;
  }

  /** @param {string} text @param {Float64Array | null} data */
  #receive(text, data) {
    const message = /** @type {EngineMessage} */ (JSON.parse(text));
    if (this.#answersOwn(message, data)) return;
    if (message.type === "hello") markOnce("engine-ready");
    if (message.type === "need") this.models.need(message);
    if (isAtWork(message)) this.#reached();
    if (message.type === "need_files") this.models.needFiles(message);
    if (message.type === "need_model" && this.page.named.isOurs(message.model)) return this.page.named.find(message.model);
    if (message.type === "hello" && message.schema !== this.#ui.schemaHash())
      return this.page.notice("This page was updated while it was open: reload it to get both halves of the new version.");
    // The page's own module may still lack what shows other runs than that of the first view.
    if (message.type === "result" && message.slot !== "main" && !this.#ui.isWhole)
      return void this.#ui.whole().then(() => this.#receive(text, data), () => {});
    if (message.type === "result") {
      const header = /** @type {ResultHeader} */ (JSON.parse(message.result));
      // The result of a comparison's other side is stored under the name of its slot.
      this.results.set(message.slot === "main" ? header.study : message.slot, { header, data: /** @type {Float64Array} */ (data) });
      markOnce("first-result");
    }
    const problem = this.#ui.receive(text, data);
    if (problem) this.page.notice(problem);
  }

  /** Runs that belong to no view are not asked again: whoever waits for them is told. */
  #endOwn(/** @type {string} */ sentence) {
    for (const { failed } of this.#own.values()) failed(new Error(sentence));
    this.#own.clear();
  }

  #restarted(/** @type {string} */ sentence) {
    this.models.forget(); // pending requests were made by the previous engine
    this.#endOwn(sentence || "The engine was replaced.");
    this.page.dispatch({ do: "restarted" });
    if (sentence) this.page.notice(sentence);
    this.page.kindChanged();
  }
}
