// Formats C++ by .clang-format with the pinned clang-format, the same on every machine: node clang_format.mjs --check|--write
// File names come on standard input, one a line. Prints those that were not in the format; --check then exits 1.
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from '@wasm-fmt/clang-format';

const [mode] = process.argv.slice(2);
const style = readFileSync(new URL('../../.clang-format', import.meta.url), 'utf8');
const names = readFileSync(0, 'utf8').split('\n').filter(Boolean);
let unformatted = 0;
for (const name of names) {
  const before = readFileSync(name, 'utf8');
  const after = format(before, name, style);
  if (after === before) continue;
  ++unformatted;
  console.log(name);
  if (mode === '--write') writeFileSync(name, after);
}
process.exitCode = mode === '--check' && unformatted > 0 ? 1 : 0;
