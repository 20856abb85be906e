// Choosing a model: those this page offers, or a weights file of the visitor's own, picked or dropped.
import { $, h, megabytes } from "./dom.js";
import { hubForm, keptList } from "./keeping.js";

export function bindModels(models, { chosen, added, current }) {
  const dialog = $("models");
  const file = h("input", { type: "file", accept: ".safetensors", hidden: true });
  const take = (picked) => {
    if (!picked) return;
    dialog.close();
    added(models.addFile(picked));
  };
  const opened = (name) => { dialog.close(); added(name); };
  const openHub = (name) => models.addHub(name).then(opened, (error) => { $("hub-answer").textContent = error.message; });
  file.addEventListener("change", () => { take(file.files[0]); file.value = ""; });

  addEventListener("dragover", (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  });

  return () => {
    const list = models.list().map((m) => h("li", {}, h("button", {
      "aria-pressed": String(m.name === current()), autofocus: m.name === current(), onclick: () => { dialog.close(); chosen(m.name); },
    }, `${m.name} · ${megabytes(m.bytes)}`)));
    dialog.replaceChildren(
      h("h2", { id: "models-title" }, "Which model?"),
      h("p", {}, list.length ? "Only what the open study needs is read: 3 MB for the helix of GPT-2 small." : "This page has none of its own. Any GPT-2 in safetensors form will do; it stays on this machine."),
      h("ul", {}, ...list),
      ...[hubForm(models, { added: opened }), keptList(models, { open: openHub })].filter(Boolean),
      file,
      h("div", { class: "row" }, h("button", { onclick: () => dialog.close() }, "Close"),
        h("button", { class: "primary", autofocus: !list.length, onclick: () => file.click() }, "Open a .safetensors file")));
    dialog.showModal(); // Esc closes it, and the focus goes back to where it came from: the browser does both
  };
}
