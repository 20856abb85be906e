// The end of a lesson: the visitor's answers as a link to send or a file to hand in. They leave the device by the visitor's hand alone.
import { copyButton } from "../shell/copy_button.js";
import { h } from "../shell/dom.js";
import { packed } from "./answers.js";
import { say } from "../words/words.js";

/**
 * A dialog that hands in the answers to this lesson. `link`: of what is on the screen.
 * @param {Lesson} lesson
 * @param {GivenAnswer[]} answers
 * @param {string} link
 */
export function handIn(lesson, answers, link) {
  const who = h("input", { type: "text", id: "hand-in-name", maxlength: "40", autocomplete: "off", oninput: () => write() });
  const field = h("textarea", { id: "hand-in-link", readonly: true, rows: "4", spellcheck: "false", "aria-label": say("Your answers as a link"), onfocus: () => field.select() });
  const write = () => {
    field.value = new URL(`#${packed({ lesson: lesson.name, who: who.value.trim(), answers, link })}`, location.href).href;
  };
  const copy = copyButton(field, say("Copy the link"), { class: "primary" });
  const save = () => {
    const address = URL.createObjectURL(new Blob([`${field.value}\n`], { type: "text/plain" }));
    h("a", { href: address, download: `answers-${lesson.name}.txt` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  /** @type {HTMLDialogElement} */
  const dialog = h("dialog", { id: "hand-in", "aria-labelledby": "hand-in-title", onclose: () => dialog.remove() },
    h("h2", { id: "hand-in-title" }, say("Hand in your answers")),
    h("p", {}, say("{answered} of {all} questions answered. Nothing is sent: give the link or the file to your teacher.", { answered: answers.length, all: lesson.steps.filter((step) => step.question).length })),
    h("p", {}, h("label", { for: "hand-in-name" }, say("Name or number, if your teacher asks for one ")), who), field,
    h("div", { class: "row" }, copy, h("button", { type: "button", onclick: save }, say("Save a file")), h("button", { type: "button", onclick: () => dialog.close() }, say("Close"))));
  document.body.append(dialog);
  write();
  dialog.showModal();
}
