// Whole files that lie beside a model's weights: vocab.json, merges.txt, config.json.
import { canHash, sha256 } from "./hashing.js";
import { hubRequest } from "./hub.js";
import { timeLimit } from "./limits.js";

const silence = 60_000; // milliseconds after which the request for such a file is given up

/** Its message is a sentence. */
export class FileError extends Error {}

const reason = (/** @type {string} */ model, /** @type {string} */ file, /** @type {string} */ why) => new FileError(`${file} of ${model} could not be read: ${why}.`);

/** @param {string} model @param {string} file @param {string | URL} address */
export async function fetchBeside(model, file, address, request = /** @type {RequestInit} */ ({ credentials: "same-origin" })) {
  const why = (/** @type {string} */ text) => reason(model, file, text);
  let answer;
  try {
    answer = await fetch(address, { ...request, signal: timeLimit(silence) });
  } catch (error) {
    if (!navigator.onLine) throw why("this device is offline");
    throw why(error.name === "TimeoutError" ? `the server has sent nothing for ${silence / 1000} seconds` : `the connection broke (${error.message})`);
  }
  if (!answer.ok) throw why(`the server answered ${answer.status}`);
  try {
    return await answer.arrayBuffer();
  } catch (error) {
    throw why(`the connection broke (${error.message})`);
  }
}

/**
 * The bytes of an entry's file. Files of a pack are checked and cached by their hash, files of the hub cached by their address;
 * files beside a listed model are left to the browser's own cache.
 * @param {ModelEntry} entry
 * @param {string} file
 * @param {{cache: import("./cache.js").Cache, source?: import("./source.js").Source}} page
 */
export async function readBeside(entry, file, { cache, source }) {
  const place = /** @type {URL | File} */ (entry.beside.get(file));
  if (place instanceof File) return place.arrayBuffer();
  const hash = await source?.hashOf(file) ?? "";
  const id = hash ? `sha256 ${hash}` : entry.hub ? `address ${place}` : "";
  const shelf = id ? await cache.shelf(id, { name: entry.name, ...(entry.hub ? { hub: true } : {}) }) : null;
  const whole = shelf?.overlapping(0, shelf.about.size ?? 0).find((/** @type {Extent} */ e) => e.begin === 0 && e.end === shelf.about.size);
  const kept = whole && await shelf?.read(whole);
  if (kept) return kept.buffer;
  const bytes = new Uint8Array(await fetchBeside(entry.name, file, place, entry.hub ? hubRequest : { credentials: "same-origin", ...(hash ? { cache: "no-store" } : {}) }));
  if (hash && canHash && await sha256(bytes) !== hash) throw reason(entry.name, file, "its bytes are not those that the manifest names (SHA-256)");
  if (shelf && bytes.byteLength) {
    await shelf.describe({ size: bytes.byteLength });
    await shelf.keep(0, bytes, hash || null);
  }
  return bytes.buffer;
}
