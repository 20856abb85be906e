// Packs for tests: any safetensors file, split into shards of a few kB, with its manifest.
import { createHash } from "node:crypto";
import { sendJson, sendWhole } from "./servers.mjs";

export const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** {manifest, shards: Map(name -> bytes)} of a file; `beside`: {name: content} of what lies with it. */
export function packOf(bytes, name, shardBytes, beside = {}) {
  const shards = new Map(), list = [];
  for (let offset = 0; offset < bytes.length; offset += shardBytes) {
    const part = bytes.subarray(offset, offset + shardBytes), file = `shard-${String(list.length).padStart(3, "0")}.bin`;
    shards.set(file, part);
    list.push({ file, offset, bytes: part.length, sha256: sha256(part) });
  }
  const files = Object.entries(beside).map(([file, content]) => [file, Buffer.from(content)]);
  for (const [file, content] of files) shards.set(file, content);
  return {
    shards,
    manifest: {
      format: "helixscope-pack", version: 1, name, precision: "f32", bytes: bytes.length, sha256: sha256(bytes), shards: list,
      files: files.map(([file, content]) => ({ file, bytes: content.length, sha256: sha256(content) })), config: JSON.parse(beside["config.json"] ?? "{}"),
    },
  };
}

/** The list's entry for a pack below models/NAME/. */
export const packEntry = ({ manifest }, name) =>
  ({ name, path: `models/${name}/`, files: ["manifest.json", ...[...manifest.shards, ...manifest.files].map((f) => f.file)], bytes: manifest.bytes, sha256: manifest.sha256 });

/** Serves a pack as a correct host does; `asked` collects the names of the shards that were sent. */
export function sendPack(response, file, { manifest, shards }, asked = []) {
  if (file === "manifest.json") return sendJson(response, manifest);
  const bytes = shards.get(file);
  if (!bytes) return false;
  asked.push(file);
  return sendWhole(response, bytes);
}
