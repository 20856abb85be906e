// Texts that a tokenizer might split in the wrong place: seeded, so the same on every machine.

function dice(seed) {  // mulberry32
  return (n) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

const WORDS = `the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which
one you were all her she there would their we him been has when who will no more if out so up said what its about than into them
can only other time new some could these two may first then do any like my now over such our man me even most made after also did
many off before must well back through years where much your way down should because long each just state those people too Mr
good being world transformer attention position helix embedding sinusoid Washington antidisestablishmentarianism`.split(/\s+/);
const CONTRACTIONS = ["don't", "I'm", "we're", "they've", "he'll", "she'd", "it's", "IT'S", "rock'n'roll", "'tis", "o''clock", "’s", "'S", "'lll"];
const CODE = ["int main() {", "}", "  return 0;", "\tif (x == nullptr)", "for i in range(10):", "    pass", "// ----", "#include <vector>",
  "a->b[i++] += 0x1F;", "std::cout << \"hi\\n\";", "==>", "!==", "/* */", "snake_case_name", "camelCaseName", "<|endoftext|>", "https://example.org/a?b=c&d=%20", "\r\n", "$x^{2}_{i}$"];
const EMOJI = ["😀", "👩‍🔬", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫🇷", "👍🏽", "1️⃣", "#️⃣", "❤️", "☃", "🧑🏿‍🚀", "🫠"];
// All 25 of Unicode's White_Space, and five that are white space elsewhere: U+FEFF in JavaScript, U+001C in Python.
const SPACES = [9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
  0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff, 0x200b, 0x180e, 0x1c, 0].map((code) => String.fromCodePoint(code));
const PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~…—–“”‘’«»¡¿§¶†‡•°±×÷€£¥©®™←→∀∃∈≤≥、。「」";
// [first, last] of scripts, with their marks, digits and punctuation.
const SCRIPTS = [[0x20, 0x7e], [0xa0, 0x24f], [0x250, 0x2ff], [0x300, 0x36f], [0x370, 0x3ff], [0x400, 0x52f], [0x531, 0x58f], [0x590, 0x5ff],
  [0x600, 0x6ff], [0x700, 0x74f], [0x900, 0x97f], [0x980, 0x9ff], [0xa00, 0xa7f], [0xb80, 0xbff], [0xc00, 0xc7f], [0xd80, 0xdff],
  [0xe00, 0xe7f], [0xf00, 0xfff], [0x1000, 0x109f], [0x10a0, 0x10ff], [0x1100, 0x11ff], [0x1200, 0x137f], [0x13a0, 0x13ff], [0x1780, 0x17ff],
  [0x1800, 0x18af], [0x1e00, 0x1fff], [0x2000, 0x206f], [0x2070, 0x209f], [0x2100, 0x218f], [0x2190, 0x22ff], [0x2460, 0x24ff], [0x2c00, 0x2c5f],
  [0x3000, 0x30ff], [0x3130, 0x318f], [0x3200, 0x33ff], [0x4e00, 0x9fff], [0xa000, 0xa4cf], [0xa640, 0xa69f], [0xabc0, 0xabff], [0xac00, 0xd7a3],
  [0xf900, 0xfaff], [0xfb00, 0xfdff], [0xfe00, 0xfe6f], [0xff00, 0xffef], [0x10000, 0x100ff], [0x10330, 0x1034f], [0x10400, 0x104af],
  [0x11000, 0x1107f], [0x12000, 0x123ff], [0x13000, 0x1342f], [0x1d100, 0x1d1ff], [0x1d400, 0x1d7ff], [0x1e900, 0x1e95f], [0x1f300, 0x1faff],
  [0x20000, 0x2a6df], [0xe0000, 0xe01ef]];

/** `count` texts of `length` UTF-16 units or a few more. `isAssigned` leaves out characters that one of the two does not know. */
export function texts(count, length, isAssigned, seed = 1) {
  const below = dice(seed);
  const oneOf = (list) => list[below(list.length)];
  const many = (most, make) => Array.from({ length: 1 + below(most) }, make).join("");
  const scripts = SCRIPTS.map(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)).filter(isAssigned));
  const digits = scripts.flat().filter((c) => /\p{N}/u.test(c));
  const space = () => below(4) ? " " : oneOf(["", "", "  ", "\n", "\n\n", "\t", "   ", oneOf(SPACES)]);
  const word = () => { const w = oneOf(WORDS); return [w, w, w, w[0].toUpperCase() + w.slice(1), w.toUpperCase()][below(5)]; };
  const kinds = [
    () => many(30, () => word() + oneOf(["", "", "", ",", "."]) + space()),
    () => many(4, () => oneOf(CONTRACTIONS) + space()),
    () => many(6, () => oneOf(CODE) + oneOf(["\n", " ", "\n\n", "\r\n", ""])),
    () => many(5, () => oneOf(EMOJI) + oneOf(["", "", " "])),
    () => many(12, () => oneOf(SPACES)),
    () => many(12, () => oneOf(PUNCTUATION)) + space(),
    () => many(10, () => below(1000)) + space(),
    () => many(8, () => oneOf(digits)) + space(),
    () => { const script = oneOf(scripts); return many(10, () => many(8, () => oneOf(script)) + space()); },
    () => many(12, () => oneOf(oneOf(scripts))) + space(),
  ];
  const one = () => { let text = ""; while (text.length < length) text += oneOf(kinds)(); return text; };
  return Array.from({ length: count }, one);
}

/** Pieces as long as a text: one character, few letters, marks, white space. */
export function longRuns(length, seed = 2) {
  const below = dice(seed);
  const run = (alphabet) => Array.from({ length }, () => alphabet[below(alphabet.length)]).join("");
  return [run("a"), run("etaoinshrdlu"), run("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), run(" "), run(" \n\t") + "x", run("="), run("=-_*#."),
    run("0123456789"), run("日本語中文字漢")];
}
