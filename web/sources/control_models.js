// Control models: random numbers in the place of what a model learned, made by the engine from the model's own bytes.
// Their names are "control:KIND:SEED@MODEL"; without "@MODEL" the page chooses the model.
import { marked, say } from "../words/words.js";

const form = /^control:(walk|rows|noise|weights):(\d{1,10})(?:@(.*))?$/s;

/** The kinds, with the words of a menu. */
export const controlKinds = [["walk", marked("a random walk")], ["rows", marked("positions in random order")], ["noise", marked("random positions")], ["weights", marked("random weights")]];

/**
 * {kind, seed, base} of a control's name; null for other names.
 * @param {string} name
 */
export function readControl(name) {
  const found = form.exec(name);
  return found ? { kind: found[1], seed: Number(found[2]), base: found[3] ?? "" } : null;
}

/** The name of what a control is made from; other names unchanged. */
export const baseOf = (/** @type {string} */ name) => readControl(name)?.base ?? name;

export const controlName = (/** @type {string} */ kind, /** @type {number} */ seed, /** @type {string} */ base) => `control:${kind}:${seed}${base ? `@${base}` : ""}`;

/**
 * "A random walk, seed 3, made from minihelix"
 * @param {{kind: string, seed: number}} control
 * @param {string} base
 */
export function controlTitle({ kind, seed }, base) {
  const words = say(/** @type {string[]} */ (controlKinds.find(([id]) => id === kind))[1]), control = `${words[0].toUpperCase()}${words.slice(1)}`;
  return base ? say("{control}, seed {seed}, made from {base}", { control, seed, base }) : say("{control}, seed {seed}", { control, seed });
}
