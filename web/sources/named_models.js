// Models that a run names besides the open one: from the list, or from the hub where the visitor has typed the name.
import { hubBase, isHubId } from "./hub.js";

export class NamedModels {
  #typed = new Set(); // models that the visitor has named: for these the hub may be asked

  constructor(models, dispatch, offer) {
    Object.assign(this, { models, dispatch, offer });
  }

  typed(name) {
    this.#typed.add(name);
  }

  /** Whether the engine asks for something that only the hub can have. */
  isOurs(name) {
    return !this.models.has(name) && Boolean(hubBase) && isHubId(name);
  }

  #add(name) {
    this.dispatch({ do: "add_model", model: this.models.list().find((m) => m.name === name) });
  }

  /** Asked for at once where the visitor has typed its name, else only offered. */
  async find(name) {
    const refuse = (sentence) => this.dispatch({ do: "refuse_model", name, sentence });
    if (!this.#typed.has(name)) {
      refuse(`${name} is a model of the hub and was not loaded.`);
      return this.offer.show(name, () => { this.#add(name); this.dispatch({ do: "retry" }); });
    }
    try {
      await this.models.addHub(name);
      this.#add(name);
    } catch (error) {
      refuse(error.message);
    }
  }
}
