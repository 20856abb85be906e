// The model dialog's parts about the hub and about the cache on this device.
import { h, megabytes } from "./dom.js";
import { hubBase, hubHost, isHubId, readHubId } from "../sources/hub.js";
import { say } from "../words/words.js";

/** @typedef {import("../sources/models.js").Models} Models */

/**
 * The field for the name of a hub model; null where this page has no hub. `added(name)`: the model is in the list now.
 * @param {Models} models
 * @param {{added: (name: string) => void}} calls
 */
export function hubForm(models, { added }) {
  if (!hubBase) return null;
  const field = h("input", { id: "hub-id", placeholder: "openai-community/gpt2", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 200 });
  const button = h("button", { type: "submit" }, say("Load"));
  const answer = h("p", { id: "hub-answer", role: "status" });
  const form = h("form", { id: "hub" }, h("label", { for: "hub-id" }, say("From the hub, {host}", { host: hubHost })), h("div", { class: "row" }, field, button), answer);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const id = readHubId(field.value);
    if (!id) {
      answer.textContent = say("A model of the hub is named owner/name, as in openai-community/gpt2.");
      return field.focus();
    }
    button.disabled = true;
    answer.textContent = say("Asking {host} for {model}…", { host: hubHost, model: id });
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
 * @param {Models} models
 * @param {{open: (name: string) => void}} calls
 */
export function keptList(models, { open }) {
  const box = h("section", { id: "kept", hidden: true, "aria-label": say("Kept on this device") });
  const titleOf = (/** @type {KeptModel} */ kept) => models.describe(kept.name).title;
  const line = (/** @type {KeptModel} */ kept) => h("div", { role: "listitem", "data-kept": kept.name },
    h("span", {}, say("{model}: {size} kept on this device", { model: titleOf(kept), size: megabytes(kept.bytes) })),
    kept.hub && !models.list().some((m) => m.name === kept.name) && hubBase ? h("button", { onclick: () => open(kept.name) }, say("Open")) : null,
    h("button", {
      "aria-label": say("Remove what is kept of {model}", { model: titleOf(kept) }),
      async onclick() {
        await models.removeKept(kept);
        await fill();
        if (!box.contains(document.activeElement)) box.closest("dialog")?.querySelector("button")?.focus();
      },
    }, say("Remove")));
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
  /** @type {HTMLElement} */
  #box;
  #asked = "";

  /** @param {HTMLElement} box @param {Models} models @param {{accepted: (name: string) => void, pick: (folder: boolean) => void}} calls */
  constructor(box, models, { accepted, pick }) {
    this.#box = box;
    this.models = models;
    this.accepted = accepted;
    this.pick = pick;
  }

  /** Offers the model that a link names ("": none), unless it is in the list. */
  forModel(/** @type {string} */ name) {
    if (!name || this.models.list().some((m) => m.name === name)) this.hide();
    else if (hubBase && isHubId(name)) this.show(name);
    else this.showFile(name.slice(0, 80));
  }

  /** `name` is not a hub model, so it can only be a file of the visitor's. */
  showFile(/** @type {string} */ name) {
    this.#asked = name;
    const open = (/** @type {boolean} */ folder) => this.pick(folder);
    this.#box.replaceChildren(
      h("p", {}, say("This link names the model {model}, which this page does not have. Open its file or folder to restore the linked view.", { model: name })),
      h("div", { class: "row" }, h("button", { class: "primary", onclick: () => open(false) }, say("Open a file…")),
        h("button", { onclick: () => open(true) }, say("Open a folder…")), h("button", { onclick: () => this.hide() }, say("No"))));
    this.#box.hidden = false;
  }

  /** `id`: the model that a link names, which is not in the list. */
  show(/** @type {string} */ id) {
    this.#ask(id, say("This link names {model} from the hub; load it? Only what the open study needs is read from {host}, which then sees your address.", { model: id, host: hubHost }), say("Load it"), async () => {
      const name = await this.models.addHub(id);
      if (this.#asked !== id) return;
      this.hide();
      this.accepted(name);
    });
  }

  /**
   * `ids`: models that a study compares and that are not in the list. `load(ids)` is called when the visitor agrees.
   * @param {string[]} ids
   * @param {(ids: string[]) => Promise<void>} load
   */
  showCompared(ids, load) {
    const one = ids.length === 1;
    const values = { model: ids[0], count: ids.length, models: ids.join(", "), host: hubHost };
    const question = one ? say("This view compares the model {model} of the hub; load it? Only what the open study needs is read from {host}, which then sees your address.", values)
      : say("This view compares {count} models of the hub: {models}. Load them? Only what the open study needs is read from {host}, which then sees your address.", values);
    this.#ask(ids.join(" "), question, one ? say("Load it") : say("Load them"), async () => {
      this.hide();
      await load(ids);
    });
  }

  /** Whether these are the models that are offered just now. */
  offers(/** @type {string[]} */ ids) {
    return ids.length > 0 && this.#asked === ids.join(" ");
  }

  /** @param {string} asked @param {string} question @param {string} button @param {() => Promise<void>} load */
  #ask(asked, question, button, load) {
    this.#asked = asked;
    const answer = h("p", { role: "status" });
    const agreed = async () => {
      answer.textContent = say("Asking {host}…", { host: hubHost });
      try {
        await load();
      } catch (error) {
        answer.textContent = error.message;
      }
    };
    this.#box.replaceChildren(h("p", {}, question),
      h("div", { class: "row" }, h("button", { class: "primary", onclick: agreed }, button), h("button", { onclick: () => this.hide() }, say("No"))), answer);
    this.#box.hidden = false;
  }

  hide() {
    this.#asked = "";
    this.#box.hidden = true;
    this.#box.replaceChildren();
  }
}
