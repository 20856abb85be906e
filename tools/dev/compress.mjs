// Compresses the site's files for hosts that send them as they lie: node compress.mjs SITE KEPT [FILE…] writes FILE.br and FILE.gz beside each
// FILE, where that makes it smaller. What was compressed once is kept in KEPT under its hash.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const [site, kept, ...files] = process.argv.slice(2);
const ways = {
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  gz: (bytes) => gzipSync(bytes, { level: 9 }),
};

mkdirSync(kept, { recursive: true });
for (const file of files) {
  const bytes = readFileSync(join(site, file));
  const hash = createHash('sha256').update(bytes).digest('hex');
  for (const [ending, compressed] of Object.entries(ways)) {
    const there = join(kept, `${hash}.${ending}`);
    if (!existsSync(there)) writeFileSync(there, compressed(bytes));
    const small = readFileSync(there);
    if (small.length < bytes.length * 0.95) writeFileSync(join(site, `${file}.${ending}`), small);
  }
}
