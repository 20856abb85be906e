// Cuts the page's fonts down to the characters it can show: node fonts.mjs OUT. TrueType, because ImGui reads no WOFF. A subset is a
// modified version, which IBM Plex' licence does not allow to be called Plex: the fonts carry names of their own.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import subsetFont from 'subset-font';

const require = createRequire(import.meta.url);

const RANGES = [
  [0x20, 0x7e], [0xa0, 0xff], // Basic Latin, Latin-1
  [0x100, 0x17f], // Latin Extended-A
  [0x2b0, 0x2ff], [0x300, 0x36f], // modifier letters, combining accents
  [0x370, 0x3ff], // Greek
  [0x2000, 0x206f], [0x2070, 0x209f], // general punctuation, super- and subscripts
  [0x20a0, 0x20bf], [0x2100, 0x214f], [0x2150, 0x218f], // currency, letterlike symbols, number forms
  [0x2190, 0x21ff], // arrows
  [0x2200, 0x22ff], // mathematical operators
  [0x2300, 0x23ff], [0x2500, 0x25ff], // technical signs, box drawing and geometric shapes
  [0x2610, 0x2612], [0x2713, 0x2718], // check marks
  [0xfffd, 0xfffd],
];
const FONTS = [
  ['@expo-google-fonts/ibm-plex-sans/400Regular/IBMPlexSans_400Regular.ttf', 'Helixscope Sans', 'Regular'],
  ['@expo-google-fonts/ibm-plex-sans/600SemiBold/IBMPlexSans_600SemiBold.ttf', 'Helixscope Sans', 'SemiBold'],
  ['@expo-google-fonts/ibm-plex-mono/400Regular/IBMPlexMono_400Regular.ttf', 'Helixscope Mono', 'Regular'],
];
// Records of the table `name`: which texts it keeps, by their numbers in the OpenType specification.
const KEPT = new Set([0, 5, 8, 9, 11, 13, 14]); // copyright, version, manufacturer, designer, vendor's address, licence and its address
const DROPPED = ['STAT']; // the axes of a family: it refers to names that are not kept, of which Firefox complains
const WINDOWS = { platform: 3, encoding: 1, language: 0x409 };
const WHOLE_FONT = 0xb1b0afba; // what the sum of all of a font's numbers is to be

/** The tables of a font by name. */
function tablesOf(font) {
  return new Map(Array.from({ length: font.readUInt16BE(4) }, (_, i) => {
    const at = 12 + 16 * i, begin = font.readUInt32BE(at + 8);
    return [font.toString('latin1', at, at + 4), font.subarray(begin, begin + font.readUInt32BE(at + 12))];
  }));
}

/** The texts of a table `name` that Windows and browsers read, by number. */
function namesOf(table) {
  const texts = new Map(), begin = table.readUInt16BE(4);
  for (let i = 0; i < table.readUInt16BE(2); ++i) {
    const [platform, encoding, language, number, length, offset] = Array.from({ length: 6 }, (_, k) => table.readUInt16BE(6 + 12 * i + 2 * k));
    if (platform === WINDOWS.platform && encoding === WINDOWS.encoding && language === WINDOWS.language)
      texts.set(number, Buffer.from(table.subarray(begin + offset, begin + offset + length)).swap16().toString('utf16le'));
  }
  return texts;
}

function nameTable(texts) {
  const sorted = [...texts].sort(([a], [b]) => a - b).map(([number, text]) => [number, Buffer.from(text, 'utf16le').swap16()]);
  const head = Buffer.alloc(6 + 12 * sorted.length);
  head.writeUInt16BE(sorted.length, 2);
  head.writeUInt16BE(head.length, 4);
  let offset = 0;
  for (const [i, [number, data]] of sorted.entries()) {
    [WINDOWS.platform, WINDOWS.encoding, WINDOWS.language, number, data.length, offset].forEach((value, k) => head.writeUInt16BE(value, 6 + 12 * i + 2 * k));
    offset += data.length;
  }
  return Buffer.concat([head, ...sorted.map(([, data]) => data)]);
}

const padded = (data) => Buffer.concat([data, Buffer.alloc(-data.length & 3)]);

function sum(data) {
  let total = 0;
  for (let at = 0; at < data.length; at += 4) total = (total + data.readUInt32BE(at)) >>> 0;
  return total;
}

/** A font file of these tables, with the checksums that they need. */
function fontOf(tables, flavour) {
  const sorted = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  const power = Math.floor(Math.log2(sorted.length));
  const head = Buffer.alloc(12 + 16 * sorted.length);
  head.writeUInt32BE(flavour, 0);
  [sorted.length, 16 << power, power, 16 * (sorted.length - (1 << power))].forEach((value, i) => head.writeUInt16BE(value, 4 + 2 * i));
  let offset = head.length, adjustment = 0;
  const parts = [head];
  for (const [i, [tag, table]] of sorted.entries()) {
    const data = padded(Buffer.from(table)), at = 12 + 16 * i;
    if (tag === 'head') {
      adjustment = offset + 8;
      data.writeUInt32BE(0, 8);
    }
    head.write(tag, at, 'latin1');
    [sum(data), offset, table.length].forEach((value, k) => head.writeUInt32BE(value, at + 4 + 4 * k));
    parts.push(data);
    offset += data.length;
  }
  const font = Buffer.concat(parts);
  font.writeUInt32BE((WHOLE_FONT - sum(font)) >>> 0, adjustment);
  return font;
}

/** The same font under another name. */
function renamed(font, family, style) {
  const tables = tablesOf(font), texts = namesOf(tables.get('name'));
  for (const number of [...texts.keys()]) if (!KEPT.has(number)) texts.delete(number);
  const compact = family.replaceAll(' ', '');
  texts.set(1, style === 'Regular' ? family : `${family} ${style}`);
  texts.set(2, 'Regular');
  texts.set(3, `helixscope:${compact}-${style}`);
  texts.set(4, `${family} ${style}`);
  texts.set(6, `${compact}-${style}`);
  if (style !== 'Regular') texts.set(16, family).set(17, style);
  tables.set('name', nameTable(texts));
  return fontOf(tables, font.readUInt32BE(0));
}

const out = process.argv[2];
mkdirSync(out, { recursive: true });
const text = RANGES.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i))).join('');

for (const [source, family, style] of FONTS) {
  const subset = await subsetFont(readFileSync(require.resolve(source)), text, { targetFormat: 'sfnt', preserveNameIds: [...KEPT], dropTables: DROPPED });
  writeFileSync(join(out, `${family.replaceAll(' ', '')}-${style}.ttf`), renamed(subset, family, style));
}
const licence = join(dirname(require.resolve('@expo-google-fonts/ibm-plex-sans/package.json')), 'LICENSE_FONT');
copyFileSync(licence, join(out, 'OFL.txt'));
