// Messages between the page and the engine. The engine's messages about bytes and files go to the models, the answers to
// measurements to their callers, and all others to ui.wasm.
import { markOnce } from "../start/milestones.js";
import { Engine } from "./engine.js";

/** Whether the engine has all it asked for, or needs nothing: it is computing now. */
const isAtWork = ({ type, ranges, have, want }) =>
  type === "need" ? !ranges.length && want > 0 && have >= want : ["result", "progress", "failure"].includes(type);

export class Connection {
  results = new Map(); // study, or "against" -> {header, data} of the newest result
  /** @type {any} */
  #ui = null;
  #begin;
  #begun = new Promise((done) => { this.#begin = done; });
  #reached;
  /** Resolves when the engine has its input data. */
  atWork = new Promise((done) => { this.#reached = done; });
  #own = new Map(); // job -> {done, failed}: runs that belong to no view
  #lastRun = 3_000_000_000; // far from the job numbers of the views

  /**
   * Starts the engine; what it says waits until begin(). `page`: dispatch(action), notice(sentence), named: models that a run
   * names, kindChanged(): the engine's flavour or threads are others now.
   */
  constructor(kind, models, page) {
    this.models = models;
    this.page = page;
    const later = (act) => (...words) => this.#begun.then(() => act(...words));
    this.engine = new Engine(kind, {
      onMessage: later((text, data) => this.#receive(text, data)),
      onRestart: later((sentence) => this.#restarted(sentence)),
      onKind: later(() => page.kindChanged()),
      onFailure: later((sentence) => {
        models.forget();
        this.#endOwn(sentence);
        page.dispatch({ do: "engine_failed", sentence });
      }),
    });
  }

  /** From now on `ui` receives the engine's messages, including those that came before. */
  begin(ui) {
    this.#ui = ui;
    this.#begin();
  }

  send(message, bytes) {
    this.engine.send(JSON.stringify(message), bytes);
  }

  /** A run that belongs to no view, {study, model, params, …}: a promise of {header, data}. A newer run of its slot cancels it. */
  compute(run, slot = "") {
    const job = ++this.#lastRun;
    return new Promise((done, failed) => {
      this.#own.set(job, { done, failed });
      this.send({ type: "run", job, slot: slot || `own-${job}`, ...run });
    });
  }

  /** A run of the bench study on the open model: a promise of {header, data}. */
  measure(params, precision) {
    return this.compute({ study: "bench", model: this.#ui.snapshot().state.model, params, subject: { precision } }, "bench");
  }

  /** True when the message was about a run that belongs to no view. */
  #answersOwn(message, data) {
    const waiting = message.job && this.#own.get(message.job);
    if (!waiting) return false;
    if (message.type === "result" && JSON.parse(message.result).complete === false) return true; // a first picture
    if (message.type === "result" || message.type === "failure") this.#own.delete(message.job);
    if (message.type === "result") waiting.done({ header: JSON.parse(message.result), data });
    if (message.type === "failure") waiting.failed(new Error(message.sentence));
    return true;
  }

  #receive(text, data) {
    const message = JSON.parse(text);
    if (this.#answersOwn(message, data)) return;
    if (message.type === "hello") markOnce("engine-ready");
    if (message.type === "need") this.models.need(message);
    if (isAtWork(message)) this.#reached();
    if (message.type === "need_files") this.models.needFiles(message);
    if (message.type === "need_model" && this.page.named.isOurs(message.model)) return this.page.named.find(message.model);
    if (message.type === "hello" && message.schema !== this.#ui.schemaHash())
      return this.page.notice("This page was updated while it was open: reload it to get both halves of the new version.");
    if (message.type === "result") {
      const header = JSON.parse(message.result);
      // The result of a comparison's other side is stored under the name of its slot.
      this.results.set(message.slot === "main" ? header.study : message.slot, { header, data });
      markOnce("first-result");
    }
    const problem = this.#ui.receive(text, data);
    if (problem) this.page.notice(problem);
  }

  /** Runs that belong to no view are not asked again: whoever waits for them is told. */
  #endOwn(sentence) {
    for (const { failed } of this.#own.values()) failed(new Error(sentence));
    this.#own.clear();
  }

  #restarted(sentence) {
    this.models.forget(); // pending requests were made by the previous engine
    this.#endOwn(sentence || "The engine was replaced.");
    this.page.dispatch({ do: "restarted" });
    if (sentence) this.page.notice(sentence);
    this.page.kindChanged();
  }
}
