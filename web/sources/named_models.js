// Models that a run names in addition to the open one: from the list, or from the hub if the visitor has typed the name.
import { hubBase, isHubId } from "./hub.js";

export class NamedModels {
  /** @type {Set<string>} */
  #typed = new Set(); // models that the visitor has named or agreed to: for these the hub may be asked
  /** @type {string[]} */
  #offered = []; // those of the run that are not

  /** @param {import("./models.js").Models} models @param {Dispatch} dispatch @param {import("../shell/hub_and_cache.js").Offer} offer */
  constructor(models, dispatch, offer) {
    this.models = models;
    this.dispatch = dispatch;
    this.offer = offer;
  }

  /** @param {string} name */
  typed(name) {
    this.#typed.add(name);
  }

  /**
   * Whether the engine asks for a model that only the hub can have.
   * @param {string} name
   */
  isOurs(name) {
    return !this.models.has(name) && Boolean(hubBase) && isHubId(name);
  }

  /**
   * Asked for at once where the visitor has typed its name; else offered, together with the others that the run lacks.
   * @param {string} name
   */
  async find(name) {
    if (this.#typed.has(name)) return this.#load(name);
    this.#refuse(name, `${name} is a model of the hub and was not loaded.`);
    this.#offered = this.offer.offers(this.#offered) ? [...new Set([...this.#offered, name])] : [name];
    this.offer.showCompared(this.#offered, async (/** @type {string[]} */ names) => {
      await Promise.all(names.map((/** @type {string} */ each) => this.#load(each)));
      this.dispatch({ do: "retry" });
    });
  }

  /** @param {string} name @param {string} sentence */
  #refuse(name, sentence) {
    this.dispatch({ do: "refuse_model", name, sentence });
  }

  /** @param {string} name */
  async #load(name) {
    this.#typed.add(name);
    try {
      await this.models.addHub(name);
      const model = this.models.list().find((m) => m.name === name);
      if (model) this.dispatch({ do: "add_model", model });
    } catch (error) {
      this.#refuse(name, error.message);
    }
  }
}
