// What a visitor's own files are, before one of them takes the place of the open model.

const headerLimit = 100_000_000; // bytes; a header is some thousands

/** Names of tensors that only a GPT-2 has, with or without a prefix. */
const isOurs = (/** @type {string} */ name) => /(^|\.)(wpe|wte|ln_f|h\.\d+)\./.test(name);

/** @param {File} file @returns {Promise<unknown>} */
async function headerOf(file) {
  const start = new DataView(await file.slice(0, 8).arrayBuffer());
  const length = start.byteLength === 8 ? Number(start.getBigUint64(0, true)) : 0;
  if (length < 2 || length > Math.min(file.size - 8, headerLimit)) return null;
  try {
    return JSON.parse(await file.slice(8, 8 + length).text());
  } catch {
    return null;
  }
}

/**
 * Why these can be no weights of a GPT-2, as a sentence; "" where they may be.
 * @param {File} file
 */
export async function whyNoWeights(file) {
  if (!file.size) return `${file.name} is empty, so it is no model.`;
  const header = await headerOf(file);
  if (!header || typeof header !== "object" || Array.isArray(header)) return `${file.name} is no safetensors file: it has no list of tensors.`;
  return Object.keys(header).some(isOurs) ? "" : `${file.name} holds none of GPT-2's tensors, such as “wpe.weight”.`;
}

/**
 * Why files that only lie beside weights cannot be opened alone, as a sentence.
 * @param {string[]} names
 */
export function whyNotAlone(names) {
  const one = names.length === 1;
  return `${names.join(" and ")} ${one ? "is no model, but belongs" : "are no model, but belong"} to one: open ${one ? "it" : "them"} together with the .safetensors file.`;
}
