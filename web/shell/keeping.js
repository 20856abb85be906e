// The model dialog's parts about the hub and about the cache on this device.
import { h, megabytes } from "./dom.js";
import { hubBase, hubHost, isHubId, readHubId } from "../sources/hub.js";

/** The field for the name of a hub model; null where this page has no hub. `added(name)`: the model is in the list now. */
export function hubForm(models, { added }) {
  if (!hubBase) return null;
  const field = h("input", { id: "hub-id", placeholder: "openai-community/gpt2", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 200 });
  const button = h("button", { type: "submit" }, "Load");
  const answer = h("p", { id: "hub-answer", role: "status" });
  const form = h("form", { id: "hub" }, h("label", { for: "hub-id" }, `From the hub, ${hubHost}`), h("div", { class: "row" }, field, button), answer);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const id = readHubId(field.value);
    if (!id) {
      answer.textContent = "A model of the hub is named owner/name, as in openai-community/gpt2.";
      return field.focus();
    }
    button.disabled = true;
    answer.textContent = `Asking ${hubHost} for ${id}…`;
    try {
      const name = await models.addHub(id);
      answer.textContent = "";
      if (form.isConnected) added(name);
    } catch (error) {
      answer.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  });
  return form;
}

/**
 * The cached models, as a list that is filled asynchronously. `open(name)`: opens a hub model that was loaded at an earlier
 * visit.
 */
export function keptList(models, { open }) {
  const box = h("section", { id: "kept", hidden: true, "aria-label": "Kept on this device" });
  const line = (kept) => h("div", { role: "listitem", "data-kept": kept.name },
    h("span", {}, `${kept.name}: ${megabytes(kept.bytes)} kept on this device`),
    kept.hub && !models.list().some((m) => m.name === kept.name) && hubBase ? h("button", { onclick: () => open(kept.name) }, "Open") : null,
    h("button", {
      "aria-label": `Remove what is kept of ${kept.name}`,
      async onclick() {
        await models.removeKept(kept);
        await fill();
        if (!box.contains(document.activeElement)) box.closest("dialog")?.querySelector("button")?.focus();
      },
    }, "Remove"));
  const fill = async () => {
    const all = await models.kept();
    box.hidden = !all.length;
    box.replaceChildren(h("div", { role: "list" }, ...all.map(line)));
  };
  fill();
  return box;
}

/** Offers models that a link or a study names and that are not here: the hub is asked only when the visitor agrees. */
export class Offer {
  #box;
  #asked = "";

  constructor(box, models, { accepted, pick }) {
    this.#box = box;
    this.models = models;
    this.accepted = accepted;
    this.pick = pick;
  }

  /** Offers the model that a link names ("": none), unless it is in the list. */
  forModel(name) {
    if (!name || this.models.list().some((m) => m.name === name)) this.hide();
    else if (hubBase && isHubId(name)) this.show(name);
    else this.showFile(name.slice(0, 80));
  }

  /** `name` is not a hub model, so it can only be a file of the visitor's. */
  showFile(name) {
    this.#asked = name;
    const open = (folder) => this.pick(folder);
    this.#box.replaceChildren(
      h("p", {}, `This link names the model ${name}, which this page does not have. Open its file or folder to restore the linked view.`),
      h("div", { class: "row" }, h("button", { class: "primary", onclick: () => open(false) }, "Open a file…"),
        h("button", { onclick: () => open(true) }, "Open a folder…"), h("button", { onclick: () => this.hide() }, "No")));
    this.#box.hidden = false;
  }

  /** `id`: the model that a link names, which is not in the list. */
  show(id) {
    this.#ask(id, `This link names ${id} from the hub; load it? Only what the open study needs is read from ${hubHost}, which then sees your address.`, "Load it", async () => {
      const name = await this.models.addHub(id);
      if (this.#asked !== id) return;
      this.hide();
      this.accepted(name);
    });
  }

  /** `ids`: models that a study compares and that are not in the list. `load(ids)` is called when the visitor agrees. */
  showCompared(ids, load) {
    const one = ids.length === 1;
    const what = one ? `the model ${ids[0]} of the hub; load it` : `${ids.length} models of the hub: ${ids.join(", ")}. Load them`;
    this.#ask(ids.join(" "), `This view compares ${what}? Only what the open study needs is read from ${hubHost}, which then sees your address.`, one ? "Load it" : "Load them", async () => {
      this.hide();
      await load(ids);
    });
  }

  /** Whether these are the models that are offered just now. */
  offers(ids) {
    return ids.length > 0 && this.#asked === ids.join(" ");
  }

  #ask(asked, question, button, load) {
    this.#asked = asked;
    const answer = h("p", { role: "status" });
    const agreed = async () => {
      answer.textContent = `Asking ${hubHost}…`;
      try {
        await load();
      } catch (error) {
        answer.textContent = error.message;
      }
    };
    this.#box.replaceChildren(h("p", {}, question),
      h("div", { class: "row" }, h("button", { class: "primary", onclick: agreed }, button), h("button", { onclick: () => this.hide() }, "No")), answer);
    this.#box.hidden = false;
  }

  hide() {
    this.#asked = "";
    this.#box.hidden = true;
    this.#box.replaceChildren();
  }
}
