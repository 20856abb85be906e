// The tokenizer against tiktoken's: Rust compiled to WebAssembly, which shares only the definition with ours.
// Its white space is Unicode's, with U+0085 and without U+FEFF; a tokenizer that used JavaScript's own \s would differ.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { Tiktoken } from "tiktoken";
import { cli, realModel } from "../browser/places.mjs";
import { filesOf, ranksOf, tokensOf } from "./tokenizer_files.mjs";
import { longRuns, texts } from "./tokenizer_texts.mjs";

const call = promisify(execFile);
const gpt2 = createRequire(import.meta.url)("tiktoken/encoders/gpt2.json");
const folder = mkdtempSync(join(tmpdir(), "helixscope_tokenizer_"));
after(() => rmSync(folder, { recursive: true, force: true }));

const bytes = Array.from({ length: 256 }, (_, byte) => Buffer.from([byte]));
// tiktoken's regular expressions have an older Unicode version than ours; this finds the characters that it does not know yet.
const unassigned = new Tiktoken(ranksOf(bytes), {}, "\\p{Cn}");
const isAssigned = (character) => unassigned.encode_ordinary(character).length === 0;

function write(vocab, merges) {
  writeFileSync(join(folder, "vocab.json"), JSON.stringify(vocab));
  writeFileSync(join(folder, "merges.txt"), ["#version: 0.2", ...merges, ""].join("\n"));
}

/** What the program makes of a text: its tokens as --json lists them. */
async function tokenize(text) {
  const file = join(folder, "text");
  writeFileSync(file, text);
  const { stdout } = await call(cli, ["tokenize", "--model", folder, "--text-file", file, "--json"], { maxBuffer: 1 << 29 });
  return JSON.parse(stdout).tokens;
}

async function compare(text, reference) {
  const ours = await tokenize(text);
  const theirs = reference.encode_ordinary(text);
  const at = theirs.findIndex((id, i) => ours[i]?.id !== id);
  if (at >= 0 || ours.length !== theirs.length) {
    const around = ours.slice(Math.max(0, at - 5), at + 5);
    assert.fail(`token ${at} should be ${theirs[at]}: ${JSON.stringify(around)}, from the text ` +
      JSON.stringify(Buffer.from(around.map((token) => token.bytes).join(""), "hex").toString()));
  }
  assert.equal(ours.map((token) => token.bytes).join(""), Buffer.from(text).toString("hex"));
}

const tokens = tokensOf(gpt2.bpe_ranks);
const { vocab, merges } = filesOf(tokens, gpt2.special_tokens);

test("the files made from the ranks are GPT-2's own", (t) => {
  assert.equal(Object.keys(vocab).length, 50257);
  assert.equal(merges.length, 50000);
  if (!realModel || !existsSync(join(realModel, "vocab.json"))) return t.skip("no vocab.json of GPT-2 on this machine");
  assert.deepEqual(vocab, JSON.parse(readFileSync(join(realModel, "vocab.json"), "utf8")));
  const lines = readFileSync(join(realModel, "merges.txt"), "utf8").split("\n").filter((line) => line && !line.startsWith("#version"));
  assert.deepEqual(merges, lines);
});

test("a million characters of every kind, encoded alike", async (t) => {
  write(vocab, merges);
  const reference = new Tiktoken(gpt2.bpe_ranks, gpt2.special_tokens, gpt2.pat_str);
  let characters = 0;
  for (const text of [...texts(52, 25000, isAssigned), ...longRuns(10000)]) {
    await compare(text, reference);
    characters += [...text].length;
  }
  t.diagnostic(`${characters} characters`);
  assert.ok(characters >= 1e6);
});

test("every character of Unicode is a letter, a number, white space or none of them, alike", async (t) => {
  // Any two bytes merge, so that each cut of the text shows in its tokens.
  const pairs = bytes.flatMap((left) => bytes.map((right) => Buffer.concat([left, right])));
  const all = filesOf([...bytes, ...pairs], {});
  write(all.vocab, all.merges);
  const reference = new Tiktoken(ranksOf([...bytes, ...pairs]), {}, gpt2.pat_str);
  const isText = (code) => (code < 0xd800 || code > 0xdfff) && (code < 0xe000 || code > 0xf8ff) && code < 0xf0000;
  const codes = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => isText(code) && isAssigned(String.fromCodePoint(code)));
  t.diagnostic(`${codes.length} characters`);
  assert.ok(codes.length > 149000);  // Unicode 15
  for (let i = 0; i < codes.length; i += 20000) {
    const probes = codes.slice(i, i + 20000).map((code) => String.fromCodePoint(code)).map((c) => `a${c}1${c}!${c}a`);
    await compare(probes.join("\n"), reference);
  }
});
