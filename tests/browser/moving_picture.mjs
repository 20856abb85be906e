// The documents' moving picture: a sentence that is dragged along the helix, frame by frame from the page.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { middle, settled } from "./support.mjs";

const from = 10, to = 480; // positions of the sentence's first token
const frames = 46, pause = 12; // one way, and how many frames it rests at the end
const frameTime = 80; // milliseconds
export const most = 1_000_000; // bytes of the file

export const movingView = `study=position_helix&prompt=In%20the%20morning%20they%20went%20to%20the%20old%20house&edit=shift_positions%3A${from}`;

/** The sentence's shift at a moment from 0 to 1: slow, fast, slow. */
const shiftAt = (moment) => Math.round(from + (to - from) * (0.5 - Math.cos(Math.PI * moment) / 2));

/** Drags the text on an opened page and writes the pictures as an animated WebP; needs img2webp. */
export async function writeMovingPicture(page, file) {
  const folder = mkdtempSync(join(tmpdir(), "helixscope-frames-"));
  try {
    const shots = [];
    const shoot = async () => {
      await settled(page);
      shots.push(join(folder, `${String(shots.length).padStart(3, "0")}.png`));
      writeFileSync(shots.at(-1), await page.screenshot());
    };
    const start = await middle(page, `row.${from}`);
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    for (let i = 0; i <= frames; ++i) {
      const { x, y } = await middle(page, `row.${shiftAt(i / frames)}`);
      await page.mouse.move(x, y);
      await shoot();
    }
    await page.mouse.up();
    await settled(page);
    for (let i = 0; i < pause; ++i) shots.push(shots.at(-1));
    for (let i = frames - 1; i > 0; --i) shots.push(shots[i]); // and back
    execFileSync("img2webp", ["-loop", "0", "-lossy", "-q", "62", "-m", "4", "-d", String(frameTime), ...shots, "-o", file], { stdio: "ignore" });
  } finally {
    rmSync(folder, { recursive: true });
  }
  const { size } = statSync(file);
  if (size > most) throw new Error(`${file} has ${size} bytes, more than ${most}`);
}
