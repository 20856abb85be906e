// Parts of links in lessons: what they ask for, as a run of the engine and as a state that can be compared with the present one.

/** @typedef {[key: string, value: string][]} Pairs */

const decoded = (/** @type {string} */ text) => decodeURIComponent(text.replaceAll("+", "%2B"));

/**
 * Of a part of a link.
 * @param {string} fragment
 * @returns {Pairs}
 */
export const pairsOf = (fragment) => fragment.replace(/^#/, "").split("&").filter(Boolean).map((pair) => {
  const at = pair.indexOf("=");
  return at < 0 ? [pair, ""] : [pair.slice(0, at), decoded(pair.slice(at + 1))];
});

const written = (/** @type {Pairs} */ pairs) => pairs.map(([key, value]) => `${key}=${value.replace(/[%&#+]/g, encodeURIComponent)}`).join("&");

const schemaOf = (/** @type {Schema[]} */ schemas, /** @type {string | undefined} */ id) => schemas.find((schema) => schema.id === id);

/**
 * The fragment without "preset=…", which stands for what a preset of its study is made of.
 * @param {string} fragment
 * @param {Schema[]} schemas
 */
export function expanded(fragment, schemas) {
  const pairs = pairsOf(fragment), study = pairs.find(([key]) => key === "study")?.[1];
  const preset = pairs.find(([key]) => key === "preset")?.[1];
  if (preset === undefined) return fragment;
  const found = schemaOf(schemas, study)?.presets.find((p) => p.id === preset);
  if (!found) throw new Error(`There is no preset ${preset} of ${study}.`);
  const own = pairs.filter(([key]) => key !== "preset" && key !== "study");
  const named = new Set(own.map(([key]) => key));
  return written([["study", String(study)], ...pairsOf(found.fragment).filter(([key]) => !named.has(key)), ...own]);
}

const isPage = new Set(["v", "model", "theme", "study", "lesson", "seed", "focus", "precision", "from", "embed", "present", "hide"]);

/**
 * What a fragment asks; the prompt is null where it is not named.
 * @typedef {{study: string, params: Record<string, string>, prompt: string | null, tokens: string, bos: boolean, edits: string[], compare: string,
 *   against: string}} Asked
 */

/** @param {string} fragment @param {Schema[]} schemas */
export function asked(fragment, schemas, study = "") {
  const pairs = pairsOf(expanded(fragment, schemas));
  const id = pairs.find(([key]) => key === "study")?.[1] ?? study;
  const schema = schemaOf(schemas, id);
  /** @type {Asked} */
  const found = { study: id, params: {}, prompt: null, tokens: "", bos: false, edits: [], compare: "", against: "" };
  for (const [key, value] of pairs) {
    const name = key.startsWith(`${id}.`) ? key.slice(id.length + 1) : key;
    if (key === "prompt" || key === "tokens" || key === "compare" || key === "against") found[key] = value;
    else if (key === "bos") found.bos = value === "1" || value === "true";
    else if (key === "edit") { if (value) found.edits.push(value); }
    else if (!isPage.has(key) && !key.startsWith("view.") && schema?.params.some((p) => p.key === name)) found.params[name] = value;
  }
  return found;
}

/** @type {Record<string, string>} */
const truths = { true: "1", false: "0" };
/** The same text for the same value of a parameter. */
const plain = (/** @type {string} */ text) => truths[text] ?? (text !== "" && Number.isFinite(Number(text)) ? String(Number(text)) : String(text));

/**
 * Whether the present state shows what a fragment asks, whatever the view and the model.
 * @param {Pick<Snapshot, "state" | "link">} snapshot
 * @param {string} fragment
 * @param {Schema[]} schemas
 */
export function shows(snapshot, fragment, schemas) {
  const { state, link } = snapshot, wanted = asked(fragment, schemas), schema = schemaOf(schemas, state.study);
  if (wanted.study !== state.study || !schema) return false;
  const here = asked(link, schemas); // a link leaves out what is at its default, the prompt too
  const defaultOf = (/** @type {Parameter} */ spec) => String(spec.default ?? "");
  const same = schema.params.every((spec) => plain(here.params[spec.key] ?? defaultOf(spec)) === plain(wanted.params[spec.key] ?? defaultOf(spec)));
  const edits = (/** @type {string[]} */ list) => list.filter((spec) => !spec.startsWith("!")).join(" ");
  const subject = !schema.reads_prompt || (wanted.prompt === here.prompt && wanted.tokens === here.tokens && wanted.bos === here.bos
    && edits(wanted.edits) === edits(here.edits));
  const compared = (/** @type {{compare: string}} */ c) => (c.compare === "none" ? "" : c.compare);
  return same && subject && compared(wanted) === compared(here);
}

const hex = (/** @type {string} */ text) => [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * What is asked, as a run of the engine on a model.
 * @param {Asked} asked
 * @param {string} model
 * @param {Precision} precision
 * @returns {EngineRun}
 */
export const runOf = ({ study, params, prompt, tokens, bos, edits }, model, precision) => ({
  study, model, params,
  subject: {
    precision, bos, prompt: hex(prompt ?? ""),
    ...(tokens ? { tokens: tokens.split(",").map(Number) } : {}),
    edits: edits.map((spec) => ({ spec: spec.replace(/^!/, ""), on: !spec.startsWith("!") })),
  },
});
