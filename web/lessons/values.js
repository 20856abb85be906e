// What the numbers of a lesson are read from: the result on screen, and runs of the lesson's own that are not shown.
import { numbersOf } from "../start/api.js";
import { Grid, evaluate } from "./expression.js";
import { asked, runOf } from "./fragments.js";

const listOf = (/** @type {string[]} */ texts, first = 0) => new Grid(texts, [texts.length], first);

/**
 * The outputs of a result by name, as an expression reads them.
 * @param {Result} result
 * @returns {(name: string) => LessonValue}
 */
function outputsOf({ header, data }) {
  return (name) => {
    const scalar = header.scalars[name], array = header.arrays[name];
    if (scalar) return typeof scalar.value === "number" ? scalar.value : undefined; // "nan" is a text
    if (array) return new Grid(numbersOf(data, array, array.shape.reduce((a, b) => a * b, 1)), array.shape, array.first ?? 0);
    if (name === "tokens") return listOf(header.tokens.map((token) => token.text));
    const words = header.words?.[name]; // counted like the arrays along the same axis
    return words && listOf(words.data, Object.values(header.arrays).find((a) => a.axes[0] === words.axis)?.first);
  };
}

const numberOr = (/** @type {string} */ text) => (text !== "" && Number.isFinite(Number(text)) ? Number(text) : text);

/** What decides whether a run that failed may succeed. */
const placeOf = (/** @type {Snapshot} */ { state, result, models }) => JSON.stringify([state.model, result.fingerprint, result.complete, models.length]);

/** @typedef {{promise: Promise<void>, found: Result | null, problem: string}} Run */

export class Values {
  /** @type {Map<string, Run>} */
  #runs = new Map(); // by what was asked, of which model
  /** @type {Record<string, Run>} */
  #named = {}; // the step's runs
  /** @type {[Record<string, string>, Snapshot, string] | null} */
  #asked = null; // what they were made of
  #place = ""; // where the page was when they were asked for

  /**
   * `changed()`: a run has ended.
   * @param {Schema[]} schemas
   * @param {Engine} engine
   * @param {() => void} changed
   */
  constructor(schemas, engine, changed) {
    this.schemas = schemas;
    this.engine = engine;
    this.changed = changed;
  }

  /**
   * Starts the runs of a step, unless they are there already. `fragments`: by name.
   * @param {Record<string, string>} fragments
   * @param {Snapshot} snapshot
   * @param {string} study
   */
  use(fragments, snapshot, study) {
    this.#asked = [fragments, snapshot, study];
    this.#place = placeOf(snapshot);
    this.#named = Object.fromEntries(Object.entries(fragments).map(([name, fragment]) => [name, this.#run(fragment, snapshot, study)]));
  }

  /**
   * Asks again for what failed, once the page has got further: a link's step begins before its model is open.
   * @param {Snapshot} snapshot
   */
  follow(snapshot) {
    if (this.problem && this.#asked && placeOf(snapshot) !== this.#place) this.use(this.#asked[0], snapshot, this.#asked[2]);
  }

  /** @param {string} fragment @param {Snapshot} snapshot @param {string} study @returns {Run} */
  #run(fragment, snapshot, study) {
    const question = asked(fragment, this.schemas, study), model = this.#modelFor(question.study, snapshot);
    const run = runOf(question, model, snapshot.state.subject.precision), key = JSON.stringify(run);
    if (!this.#runs.has(key)) {
      const entry = /** @type {Run} */ ({ found: null, problem: "" });
      entry.promise = this.engine.compute(run).then((result) => { entry.found = result; }, (error) => {
        entry.problem = error.message;
        this.#runs.delete(key); // the next step that needs it tries again
      }).then(() => this.changed());
      this.#runs.set(key, entry);
    }
    return /** @type {Run} */ (this.#runs.get(key));
  }

  /** The open model; for a study that it does not suit, one that has every part. */
  #modelFor(/** @type {string} */ study, /** @type {Snapshot} */ { state, models }) {
    const reads = this.schemas.find((schema) => schema.id === study)?.reads;
    const open = models.find((m) => m.name === state.model);
    return open?.whole || reads === "nothing" || reads === "positions" || study === state.study ? state.model : (models.find((m) => m.whole) ?? open)?.name ?? state.model;
  }

  /** Resolves when the step's runs have ended. Those that failed are tried again. */
  async settled() {
    if (this.problem && this.#asked) this.use(...this.#asked);
    await Promise.all(Object.values(this.#named).map((entry) => entry.promise));
  }

  get problem() {
    return Object.values(this.#named).map((entry) => entry.problem).find(Boolean) ?? "";
  }

  /** Whether everything is there that could be read. */
  complete(/** @type {Snapshot} */ { state, result }) {
    return result.complete && result.study === state.study && Object.values(this.#named).every((entry) => entry.found);
  }

  /**
   * A function that gives the value of a name: an output on screen, a run of the step, the focus, the parameters.
   * @param {Snapshot} snapshot
   * @param {Record<string, LessonValue>} [more]
   * @returns {(name: string) => LessonValue}
   */
  lookUp({ state, result }, more = {}) {
    const shown = result.study === state.study && result.complete ? this.engine.results.get(state.study) : null;
    const outputs = shown ? outputsOf(shown) : () => undefined;
    return (name) => {
      if (Object.hasOwn(more, name)) return more[name];
      if (Object.hasOwn(this.#named, name)) return this.#named[name].found ? outputsOf(this.#named[name].found) : undefined;
      if (name === "focus") return (/** @type {string} */ axis) => (state.focus.locked && state.focus[axis] >= 0 ? state.focus[axis] : undefined);
      if (name === "params") return (/** @type {string} */ key) => (Object.hasOwn(state.params, key) ? numberOr(state.params[key]) : undefined);
      if (name === "study") return state.study;
      if (name === "edits") return state.subject.edits.filter((edit) => edit.on).length;
      return outputs(name);
    };
  }

  /** @param {string} expression @param {Snapshot} snapshot @param {Record<string, LessonValue>} [more] */
  evaluate(expression, snapshot, more) {
    return evaluate(expression, this.lookUp(snapshot, more));
  }
}
