// GPT-2's vocab.json and merges.txt, made from the ranks that tiktoken ships, so that the files need not be downloaded or be part
// of the repository.

/** The tokens' bytes by rank, from tiktoken's text: a line is "!", the first rank and the tokens from there on in base64. */
export function tokensOf(bpeRanks) {
  const tokens = [];
  for (const line of bpeRanks.split("\n").filter(Boolean)) {
    const [, first, ...words] = line.split(" ");
    words.forEach((word, i) => { tokens[Number(first) + i] = Buffer.from(word, "base64"); });
  }
  return tokens;
}

/** tiktoken's text of these tokens. */
export const ranksOf = (tokens) => `! 0 ${tokens.map((bytes) => bytes.toString("base64")).join(" ")}`;

/** GPT-2's character for each byte: those visible in Latin-1 themselves, the others from U+0100 on. */
const alphabet = (() => {
  const visible = (byte) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(visible(byte) ? byte : next++));
})();
const spelled = (bytes) => Array.from(bytes, (byte) => alphabet[byte]).join("");

/** The two tokens that `key` was merged from: what is left of it by the merges before its own. */
function partsOf(key, rank, ranks) {
  const parts = [...key];
  while (parts.length > 2) {
    let best = rank, at = -1;
    for (let i = 0; i + 1 < parts.length; ++i) {
      const found = ranks.get(parts[i] + parts[i + 1]);
      if (found < best) [best, at] = [found, i];
    }
    if (at < 0) throw new Error(`no merge makes the token ${rank}`);
    parts.splice(at, 2, parts[at] + parts[at + 1]);
  }
  return parts;
}

/** { vocab, merges }: the object of vocab.json and the lines of merges.txt. `special`: ids by name. */
export function filesOf(tokens, special) {
  const keys = tokens.map(spelled);
  const ranks = new Map(keys.map((key, rank) => [key, rank]));
  const merges = keys.flatMap((key, rank) => key.length > 1 ? [partsOf(key, rank, ranks).join(" ")] : []);
  return { vocab: { ...Object.fromEntries(ranks), ...special }, merges };
}
