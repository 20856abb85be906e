// Makes the source for an entry of the list.
import { hubRefusal, hubRequest } from "./hub.js";
import { PackSource } from "./pack_source.js";
import { FileSource } from "./source.js";
import { UrlSource } from "./url_source.js";

export const isPack = (/** @type {ModelEntry} */ { url }) => Boolean(url?.pathname.endsWith("/manifest.json"));

/**
 * `emit(message, bytes)` sends to the engine; `moved()`: the progress has changed.
 * @param {ModelEntry} entry
 * @param {Emit} emit
 * @param {{cache: import("./cache.js").Cache, moved: () => void}} page
 */
export function makeSource(entry, emit, { cache, moved }) {
  const { name, file, sha256, hub } = entry, url = /** @type {URL} */ (entry.url);
  if (file) return new FileSource(name, file, emit);
  if (isPack(entry)) return new PackSource(name, url, emit, { cache, moved });
  if (hub) return new UrlSource(name, url, emit, { cache, pinned: true, request: hubRequest, refusal: hubRefusal(name), about: { hub: true } });
  return new UrlSource(name, url, emit, { cache: url.protocol === "blob:" ? null : cache, sha256 }); // a blob is on this device already
}
