// What a study or a step of a lesson needs, from the studies' schemas, and whether the models that come with the page have it.

const words = {
  positions: "the table of positions", weights: "weights, no text", tokens: "a tokenizer and a text", layers: "a whole model and a text",
  forward: "a whole model and a text", model: "a whole model", training: "a training record",
};

/** {needs, offline}: `own`: the models that come with the page, as in a snapshot. A study that reads nothing needs none. */
export function needsOf(schema, own) {
  const there = schema.reads === "positions" ? own.length > 0 : own.some((model) => model.whole);
  return { needs: words[schema.reads] ?? "nothing", offline: there || !words[schema.reads] };
}

export const studyOf = (fragment) => new URLSearchParams(fragment).get("study");
