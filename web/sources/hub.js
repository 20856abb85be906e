// Models of a hub. The page contacts the hub only after the visitor has named a model, as in "openai-community/gpt2". The build
// writes the hub's address into the page, together with the security policy that allows it.
import { timeLimit } from "./limits.js";
import { PlainError } from "./source.js";

const silence = 20_000; // milliseconds after which the hub counts as not answering
const idLimit = 120;
/** No cookies, no referrer: the hub learns which file is read, and of the visitor only the network address. */
export const hubRequest = /** @type {RequestInit} */ ({ mode: "cors", credentials: "omit", referrerPolicy: "no-referrer" });

/** The hub's address without a final slash; "" where this page has no hub. */
export const hubBase = (/** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=helixscope-hub]"))?.content ?? "").replace(/\/+$/, "");
export const hubHost = hubBase ? new URL(hubBase).host : "";

const part = /^[A-Za-z0-9](?:[\w-]|\.(?!\.))*$/;

/**
 * {path, revision} of a hub model's name: "owner/name", or "owner/name@revision" for a branch, a tag or a commit.
 * @param {string} id
 */
function placeOf(id) {
  const [path, revision = "main"] = id.split("@");
  return { path, revision };
}

/**
 * Whether a model's name in a link has the form of a hub model: owner/name, or owner/name@revision.
 * @param {string} text
 */
export function isHubId(text) {
  const { path, revision } = placeOf(text), parts = path.split("/");
  return text.length <= idLimit && text.split("@").length <= 2 && parts.length === 2 && [...parts, revision].every((/** @type {string} */ p) => part.test(p));
}

/**
 * The id in what the visitor typed or pasted; null if there is none.
 * @param {string} text
 */
export function readHubId(text) {
  const pasted = text.trim().replace(/^https?:\/\//, "");
  const rest = hubHost && pasted.startsWith(`${hubHost}/`) ? pasted.slice(hubHost.length + 1).split("/").slice(0, 2).join("/") : pasted;
  return isHubId(rest) ? rest : null;
}

/**
 * @param {{path: string, revision: string}} place
 * @param {string} file
 */
export const hubAddress = ({ path, revision }, file) => new URL(`${hubBase}/${path}/resolve/${revision}/${file}`);

/** The commit that the hub has answered from: the other files are read from it too, even if the branch moves on meanwhile. */
const commitOf = (/** @type {Response} */ answer) => /^[0-9a-f]{40,64}$/.exec(answer.headers.get("x-repo-commit") ?? "")?.[0];

const notThere = (/** @type {string} */ id) => `There is no model ${id} on the hub, or it is not public.`;

/**
 * A sentence for a hub's refusal.
 * @param {string} id
 * @param {Response} answer
 */
function refusal(id, answer) {
  const code = answer.headers.get("x-error-code") ?? "";
  if (code === "GatedRepo" || answer.status === 403)
    return `Access to ${id} has to be requested on the hub: download it there and open the file here.`;
  if (code === "EntryNotFound") return `${id} has no model.safetensors on the hub; helixscope reads no other format.`;
  if (answer.status === 401 || answer.status === 404) return notThere(id);
  if (answer.status === 429) return "The hub has had too many requests from this address; try again in a few minutes.";
  return `The hub answered ${answer.status} ${answer.statusText}`.trim() + ".";
}

/** For a source: the same, while weights are read. */
export const hubRefusal = (/** @type {string} */ id) => (/** @type {Response} */ answer) => new PlainError(refusal(id, answer));

/** @param {string | URL} address */
async function ask(address, headers = {}) {
  try {
    return await fetch(address, { ...hubRequest, headers, cache: "no-cache", signal: timeLimit(silence) });
  } catch (error) {
    if (!navigator.onLine) throw new Error("This device is offline.", { cause: error });
    throw new Error(error.name === "TimeoutError"
      ? `The hub (${hubHost}) has not answered for ${silence / 1000} seconds.`
      : `The hub (${hubHost}) could not be reached.`, { cause: error });
  }
}

/**
 * Looks a model up and returns its entry; throws a sentence. It reads config.json first, which is small and shows whether the
 * model exists and is of the right kind.
 * @param {string} id
 */
export async function findOnHub(id) {
  const place = placeOf(id);
  const answer = await ask(hubAddress(place, "config.json"));
  let config = "";
  if (answer.ok) {
    config = await answer.text();
    /** @type {unknown} */
    let kind;
    try {
      kind = JSON.parse(config).model_type;
    } catch {
      throw new Error(`The hub's configuration of ${id} is not valid.`);
    }
    if (typeof kind === "string" && kind !== "gpt2") throw new Error(`${id} is a model of type ${kind.slice(0, 40)}; helixscope reads GPT-2.`);
  } else {
    if (answer.status !== 404) throw new Error(refusal(id, answer));
    const weights = await ask(hubAddress(place, "model.safetensors"), { Range: "bytes=0-7" }); // not every model has this file
    weights.body?.cancel();
    if (!weights.ok) throw new Error(refusal(id, weights));
  }
  const settled = { ...place, revision: commitOf(answer) ?? place.revision };
  return {
    name: id, hub: true, bytes: 0, sha256: "", config, url: hubAddress(settled, "model.safetensors"),
    beside: new Map(["vocab.json", "merges.txt"].map((file) => [file, hubAddress(settled, file)])),
  };
}
