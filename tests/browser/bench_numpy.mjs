// The same spectrum by numpy on one thread, for comparison with the engine's geometry.
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasNumpy, python } from "./places.mjs";

/** wpe of a model folder as float32 rows without row 0: {bytes, rows, columns}. */
function positions(folder) {
  const name = readdirSync(folder).find((f) => f.endsWith(".safetensors"));
  const file = openSync(join(folder, name), "r");
  const read = (count, at) => {
    const buffer = Buffer.alloc(count);
    readSync(file, buffer, 0, count, at);
    return buffer;
  };
  const length = Number(read(8, 0).readBigUInt64LE());
  const header = JSON.parse(read(length, 8));
  const tensor = header["wpe.weight"] ?? header["transformer.wpe.weight"];
  const [rows, columns] = tensor.shape;
  const bytes = read((rows - 1) * columns * 4, 8 + length + tensor.data_offsets[0] + columns * 4);
  closeSync(file);
  return tensor.dtype === "F32" ? { bytes, rows: rows - 1, columns } : null;
}

/** {blas, eigh, svd}, the last two in milliseconds; null where there is no numpy or no float32. */
export function numpyTimes(folder) {
  if (!hasNumpy()) return null;
  const data = positions(folder);
  if (!data) return null;
  const place = mkdtempSync(join(tmpdir(), "helixscope-bench-"));
  try {
    writeFileSync(join(place, "rows"), data.bytes);
    const script = join(dirname(fileURLToPath(import.meta.url)), "bench_reference.py");
    return JSON.parse(execFileSync(python, [script, join(place, "rows"), data.rows, data.columns]));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
