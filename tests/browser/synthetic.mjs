// A small model for machines without GPT-2: 256 positions in 64 dimensions on a planted helix of three turns, with a
// little noise. The same bytes every time.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

/** A safetensors file with these rows as wpe. */
export function safetensors(rows, shape, tensor = "wpe.weight") {
  const text = JSON.stringify({ [tensor]: { dtype: "F32", shape, data_offsets: [0, rows.byteLength] } });
  const header = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)]);
}

export const plantedFile = () => safetensors(plantedRows(), [planted.positions, planted.dimensions]);

/** Writes the planted model into a folder of its own; remove() takes it away again. */
export function plantedFolder() {
  const folder = mkdtempSync(join(tmpdir(), "helixscope-planted-"));
  writeFileSync(join(folder, `${planted.name}.safetensors`), plantedFile());
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
