// A small model for machines without GPT-2: 256 positions in 64 dimensions on a planted helix of three turns, with a
// little noise. The same bytes every time.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const planted = { name: "planted-helix", positions: 256, dimensions: 64, turns: 3 };

/** mulberry32: numbers in [0, 1) from a seed. */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function bell(uniform) {
  return Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Three random directions of unit length, at right angles. */
function directions(uniform, size) {
  const made = [];
  while (made.length < 3) {
    const v = Array.from({ length: size }, () => bell(uniform));
    for (const u of made) {
      const along = u.reduce((sum, x, i) => sum + x * v[i], 0);
      u.forEach((x, i) => { v[i] -= along * x; });
    }
    const length = Math.hypot(...v);
    made.push(v.map((x) => x / length));
  }
  return made;
}

/** [position, dimension], row after row: wide circle, line along positions, noise. */
export function plantedRows({ positions, dimensions, turns } = planted, seed = 7, noise = 0.02) {
  const uniform = random(seed);
  const [across, up, along] = directions(uniform, dimensions);
  const rows = new Float32Array(positions * dimensions);
  for (let p = 0; p < positions; ++p) {
    const angle = (2 * Math.PI * turns * p) / positions;
    const [x, y, z] = [1.3 * Math.cos(angle), 1.1 * Math.sin(angle), 1.4 * (p / positions - 0.5)];
    for (let j = 0; j < dimensions; ++j)
      rows[p * dimensions + j] = x * across[j] + y * up[j] + z * along[j] + 0.05 + noise * bell(uniform);
  }
  return rows;
}

/** A safetensors file of these tensors: {name: {shape, data}}, data Float32Array. */
export function safetensorsOf(tensors) {
  let end = 0;
  const header = {};
  for (const [name, { shape, data }] of Object.entries(tensors))
    header[name] = { dtype: "F32", shape, data_offsets: [end, (end += data.byteLength)] };
  const text = JSON.stringify(header);
  const head = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(head.length));
  return Buffer.concat([length, head, ...Object.values(tensors).map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength))]);
}

/** A safetensors file with these rows as wpe. */
export const safetensors = (rows, shape, tensor = "wpe.weight") => safetensorsOf({ [tensor]: { shape, data: rows } });

export const plantedFile = () => safetensors(plantedRows(), [planted.positions, planted.dimensions]);

/** Writes the planted model into a folder of its own; remove() takes it away again. */
export function plantedFolder() {
  const folder = mkdtempSync(join(tmpdir(), "helixscope-planted-"));
  writeFileSync(join(folder, `${planted.name}.safetensors`), plantedFile());
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A complete GPT-2, small enough to make in a test: its vocabulary is the bytes, a few merges and <|endoftext|>. */
export const tiny = { name: "tiny-gpt2", layers: 2, heads: 4, dimensions: 64, context: 128, merges: ["t h", "th e", "Ġ the", "a t", "c at", "Ġ cat", "o n", "Ġ on"] };

/** The characters that stand for bytes in vocab.json and merges.txt. */
function byteCharacters() {
  const plain = (b) => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255);
  let more = 0;
  return Array.from({ length: 256 }, (_, b) => String.fromCodePoint(plain(b) ? b : 256 + more++));
}

/** vocab.json and merges.txt as texts. */
export function tinyVocabulary({ merges } = tiny) {
  const words = [...byteCharacters(), ...new Set(merges.map((pair) => pair.replace(" ", ""))), "<|endoftext|>"];
  return {
    size: words.length,
    "vocab.json": JSON.stringify(Object.fromEntries(words.map((word, id) => [word, id]))),
    "merges.txt": `#version: 0.2\n${merges.join("\n")}\n`,
  };
}

/** Random weights of the usual sizes, the same every time. */
export function tinyFile({ layers, dimensions: d, context } = tiny, seed = 11) {
  const uniform = random(seed);
  const noise = (scale, ...shape) => ({ shape, data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => scale * bell(uniform)) });
  const same = (value, n) => ({ shape: [n], data: new Float32Array(n).fill(value) });
  const tensors = { "wte.weight": noise(0.3, tinyVocabulary().size, d), "wpe.weight": { shape: [context, d], data: plantedRows({ positions: context, dimensions: d, turns: 3 }) } };
  for (let l = 0; l < layers; ++l)
    Object.assign(tensors, Object.fromEntries(Object.entries({
      "ln_1.weight": same(1, d), "ln_1.bias": same(0, d), "ln_2.weight": same(1, d), "ln_2.bias": same(0, d),
      "attn.c_attn.weight": noise(0.2, d, 3 * d), "attn.c_attn.bias": same(0, 3 * d), "attn.c_proj.weight": noise(0.1, d, d), "attn.c_proj.bias": same(0, d),
      "mlp.c_fc.weight": noise(0.1, d, 4 * d), "mlp.c_fc.bias": same(0, 4 * d), "mlp.c_proj.weight": noise(0.1, 4 * d, d), "mlp.c_proj.bias": same(0, d),
    }).map(([name, tensor]) => [`h.${l}.${name}`, tensor])));
  return safetensorsOf({ ...tensors, "ln_f.weight": same(1, d), "ln_f.bias": same(0, d) });
}

export const tinyConfig = () => JSON.stringify({ model_type: "gpt2", n_layer: tiny.layers, n_head: tiny.heads, n_embd: tiny.dimensions, n_ctx: tiny.context, n_positions: tiny.context, vocab_size: tinyVocabulary().size, layer_norm_epsilon: 1e-5 });

/** Its files as {name: content}, without those left out. */
export function tinyFiles(without = []) {
  const vocabulary = tinyVocabulary();
  const all = { "model.safetensors": tinyFile(), "config.json": tinyConfig(), "vocab.json": vocabulary["vocab.json"], "merges.txt": vocabulary["merges.txt"] };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)));
}

/** Writes it into a folder of that name; remove() takes it away again. */
export function tinyFolder(without = []) {
  const parent = mkdtempSync(join(tmpdir(), "helixscope-tiny-")), folder = join(parent, tiny.name);
  mkdirSync(folder);
  for (const [name, content] of Object.entries(tinyFiles(without))) writeFileSync(join(folder, name), content);
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true }) };
}
