// What a study or a step of a lesson needs, from the studies' schemas, and whether the models that come with the page have it.
import { marked, say } from "../words/words.js";

/** @type {Record<string, string>} */
const words = {
  positions: marked("the table of positions"), words: marked("weights, no text"), weights: marked("weights, no text"), tokens: marked("a tokenizer and a text"), layers: marked("a whole model and a text"),
  forward: marked("a whole model and a text"), model: marked("a whole model"), training: marked("a training record"),
};

/** {needs, offline}: `own`: the models that come with the page, as in a snapshot. A study that reads nothing needs none. */
export function needsOf(/** @type {Schema} */ schema, /** @type {Snapshot["models"]} */ own) {
  const there = schema.reads === "positions" ? own.length > 0 : own.some((model) => model.whole);
  return { needs: say(words[schema.reads] ?? marked("nothing")), offline: there || !words[schema.reads] };
}

export const studyOf = (/** @type {string} */ fragment) => new URLSearchParams(fragment).get("study");
