// PNG files as pixels: enough of the format to compare what Chromium writes (8 bits, RGB or RGBA, not interlaced).
import { inflateSync } from "node:zlib";

/** {width, height, channels, data} of a PNG, or an error that says what is wrong with it. */
export function decodePng(file) {
  if (file.subarray(1, 4).toString() !== "PNG") throw new Error("not a PNG");
  const width = file.readUInt32BE(16), height = file.readUInt32BE(20);
  const [depth, colour, , , interlaced] = file.subarray(24, 29);
  const channels = { 2: 3, 6: 4 }[colour];
  if (depth !== 8 || !channels || interlaced) throw new Error("a kind of PNG that is not read here");
  const parts = [];
  for (let at = 8; at < file.length; ) {
    const size = file.readUInt32BE(at);
    if (file.subarray(at + 4, at + 8).toString() === "IDAT") parts.push(file.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const line = width * channels;
  if (raw.length !== height * (line + 1)) throw new Error("the PNG ends early");
  const data = Buffer.alloc(height * line);
  for (let y = 0; y < height; ++y) unfilter(raw, data, y, line, channels);
  return { width, height, channels, data };
}

function unfilter(raw, data, y, line, channels) {
  const filter = raw[y * (line + 1)];
  for (let x = 0; x < line; ++x) {
    const at = y * line + x;
    const left = x >= channels ? data[at - channels] : 0;
    const up = y ? data[at - line] : 0;
    const corner = x >= channels && y ? data[at - line - channels] : 0;
    const guess = [0, left, up, (left + up) >> 1, 0][filter] || (filter === 4 ? paeth(left, up, corner) : 0);
    data[at] = raw[y * (line + 1) + 1 + x] + guess;
  }
}

function paeth(left, up, corner) {
  const p = left + up - corner;
  const [a, b, c] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** The share of pixels that differ by more than `slack` in any channel; 1 when the sizes differ. */
export function difference(a, b, slack = 8) {
  if (a.width !== b.width || a.height !== b.height || a.channels !== b.channels) return 1;
  let differing = 0;
  for (let at = 0; at < a.data.length; at += a.channels) {
    let most = 0;
    for (let c = 0; c < a.channels; ++c) most = Math.max(most, Math.abs(a.data[at + c] - b.data[at + c]));
    if (most > slack) ++differing;
  }
  return differing / (a.width * a.height);
}

/** How many different colours there are, up to `most`: a blank picture has one. */
export function colours({ data, channels }, most = 1000) {
  const found = new Set();
  for (let at = 0; at < data.length && found.size < most; at += channels) found.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
  return found.size;
}
