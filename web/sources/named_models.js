// Models that a run names in addition to the open one: from the list, or from the hub if the visitor has typed the name.
import { hubBase, isHubId } from "./hub.js";

export class NamedModels {
  #typed = new Set(); // models that the visitor has named or agreed to: for these the hub may be asked
  #offered = []; // those of the run that are not

  constructor(models, dispatch, offer) {
    Object.assign(this, { models, dispatch, offer });
  }

  typed(name) {
    this.#typed.add(name);
  }

  /** Whether the engine asks for a model that only the hub can have. */
  isOurs(name) {
    return !this.models.has(name) && Boolean(hubBase) && isHubId(name);
  }

  /** Asked for at once where the visitor has typed its name; else offered, together with the others that the run lacks. */
  async find(name) {
    if (this.#typed.has(name)) return this.#load(name);
    this.#refuse(name, `${name} is a model of the hub and was not loaded.`);
    this.#offered = this.offer.offers(this.#offered) ? [...new Set([...this.#offered, name])] : [name];
    this.offer.showCompared(this.#offered, async (names) => {
      await Promise.all(names.map((each) => this.#load(each)));
      this.dispatch({ do: "retry" });
    });
  }

  #refuse(name, sentence) {
    this.dispatch({ do: "refuse_model", name, sentence });
  }

  async #load(name) {
    this.#typed.add(name);
    try {
      await this.models.addHub(name);
      this.dispatch({ do: "add_model", model: this.models.list().find((m) => m.name === name) });
    } catch (error) {
      this.#refuse(name, error.message);
    }
  }
}
