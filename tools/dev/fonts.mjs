// Cuts the page's fonts down to the characters it can show: node fonts.mjs OUT. TrueType, because ImGui reads no WOFF.
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
  ['@expo-google-fonts/ibm-plex-sans/400Regular/IBMPlexSans_400Regular.ttf', 'IBMPlexSans-Regular.ttf'],
  ['@expo-google-fonts/ibm-plex-sans/600SemiBold/IBMPlexSans_600SemiBold.ttf', 'IBMPlexSans-SemiBold.ttf'],
  ['@expo-google-fonts/ibm-plex-mono/400Regular/IBMPlexMono_400Regular.ttf', 'IBMPlexMono-Regular.ttf'],
];

const out = process.argv[2];
mkdirSync(out, { recursive: true });
const text = RANGES.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i))).join('');

for (const [source, name] of FONTS) {
  const subset = await subsetFont(readFileSync(require.resolve(source)), text, { targetFormat: 'sfnt' });
  writeFileSync(join(out, name), subset);
}
const licence = join(dirname(require.resolve('@expo-google-fonts/ibm-plex-sans/package.json')), 'LICENSE_FONT');
copyFileSync(licence, join(out, 'OFL.txt'));
