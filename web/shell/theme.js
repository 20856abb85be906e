// Dark, light or the visitor's own colours, as chosen by the visitor or the system; the canvas gets the page's design tokens.
import { h } from "./dom.js";
import { enlarged } from "./surroundings.js";

const systemLight = matchMedia("(prefers-color-scheme: light)");
const systemColours = [systemLight, matchMedia("(forced-colors: active)"), matchMedia("(prefers-contrast: more)")];
const usualRem = 14; // the root's font size in pixels at the browser's default size
const usualFont = 12; // the canvas' text size in pixels where the root's is usual
/** Colours for the canvas where the page's tokens have not arrived: the browser's own. */
/** @type {Record<string, string>} */
const bare = { bg: "Canvas", panel: "Canvas", line: "GrayText", text: "CanvasText", mute: "GrayText", accent: "LinkText", warm: "CanvasText" };

const probe = document.body.appendChild(h("i", { class: "probe", "aria-hidden": "true" }));

/** A token as [red, green, blue, opacity]. The browser resolves it: it may be #hex, rgb() or a system colour. */
function channels(/** @type {string} */ token) {
  probe.style.color = `var(--${token}, ${bare[token]})`;
  const text = getComputedStyle(probe).color; // rgb(13, 17, 23), rgba(0, 230, 255, 0.8) or color(srgb 0.05 0.07 0.09)
  const [red, green, blue, opacity = 1] = /** @type {string[]} */ (text.match(/[\d.]+/g)).map(Number);
  const scale = text.startsWith("color(") ? 255 : 1;
  return [red * scale, green * scale, blue * scale, opacity];
}

/** A token as 0xRRGGBB, blended with the page's background: the system's highlight may be translucent. */
function colour(/** @type {string} */ token) {
  const ground = channels("bg");
  const [red, green, blue, opacity] = channels(token);
  const mixed = [red, green, blue].map((x, i) => Math.round(x * opacity + ground[i] * (1 - opacity)));
  return (mixed[0] << 16) | (mixed[1] << 8) | mixed[2];
}

const isDark = (/** @type {number[]} */ [red, green, blue]) => 0.299 * red + 0.587 * green + 0.114 * blue < 128;

export function applyTheme(/** @type {string} */ choice) {
  const light = choice === "light" || (choice !== "dark" && systemLight.matches);
  document.documentElement.dataset.theme = light ? "light" : "dark";
}

/** "dark" or "light", chosen by the visitor or the system. */
export const themeInUse = () => /** @type {string} */ (document.documentElement.dataset.theme);

/** The tokens in the form that ui.wasm takes. The canvas' text grows with the page's. */
export function tokens() {
  const style = getComputedStyle(document.documentElement);
  return {
    dark: isDark(channels("bg")), // measured, so that it is right for forced colours too
    bg: colour("bg"), panel: colour("panel"), line: colour("line"), text: colour("text"), mute: colour("mute"), accent: colour("accent"), warm: colour("warm"),
    font: ((parseFloat(style.getPropertyValue("--canvas-font")) || usualFont) * parseFloat(style.fontSize)) / usualRem / enlarged(), // the stage enlarges
  };
}

/** Calls back when a setting that the tokens depend on has changed outside the page: colours, contrast, font size. */
export function onSystemTheme(/** @type {() => void} */ changed) {
  for (const query of systemColours) query.addEventListener("change", changed);
  let width = probe.offsetWidth;
  new ResizeObserver(() => {
    if (probe.offsetWidth === width) return;
    width = probe.offsetWidth;
    changed();
  }).observe(probe);
}
