// Dark or light, or the visitor's own colours, as the visitor or the system says; the canvas gets the tokens the page has.
import { h } from "./dom.js";

const systemLight = matchMedia("(prefers-color-scheme: light)");
const systemColours = [systemLight, matchMedia("(forced-colors: active)"), matchMedia("(prefers-contrast: more)")];
const usualRem = 14; // pixels of the root's text where the browser's own size is the usual one

const probe = document.body.appendChild(h("i", { class: "probe", "aria-hidden": "true" }));

/** A token as [red, green, blue, opacity]. The browser resolves it: it may be #hex, rgb() or one of the system's colours. */
function channels(token) {
  probe.style.color = `var(--${token})`;
  const text = getComputedStyle(probe).color; // rgb(13, 17, 23), rgba(0, 230, 255, 0.8) or color(srgb 0.05 0.07 0.09)
  const [red, green, blue, opacity = 1] = text.match(/[\d.]+/g).map(Number);
  const scale = text.startsWith("color(") ? 255 : 1;
  return [red * scale, green * scale, blue * scale, opacity];
}

/** A token as 0xRRGGBB, as it looks on the page's ground: the system's highlight may let it through. */
function colour(token) {
  const ground = channels("bg");
  const [red, green, blue, opacity] = channels(token);
  const mixed = [red, green, blue].map((x, i) => Math.round(x * opacity + ground[i] * (1 - opacity)));
  return (mixed[0] << 16) | (mixed[1] << 8) | mixed[2];
}

const isDark = ([red, green, blue]) => 0.299 * red + 0.587 * green + 0.114 * blue < 128;

export function applyTheme(choice) {
  const light = choice === "light" || (choice !== "dark" && systemLight.matches);
  document.documentElement.dataset.theme = light ? "light" : "dark";
}

/** "dark" or "light", whoever has chosen it. */
export const themeInUse = () => document.documentElement.dataset.theme;

/** The tokens as ui.wasm wants them. The canvas' letters grow with the page's. */
export function tokens() {
  const style = getComputedStyle(document.documentElement);
  return {
    dark: isDark(channels("bg")), // of forced colours too
    bg: colour("bg"), panel: colour("panel"), line: colour("line"), text: colour("text"), mute: colour("mute"), accent: colour("accent"), warm: colour("warm"),
    font: (parseFloat(style.getPropertyValue("--canvas-font")) * parseFloat(style.fontSize)) / usualRem,
  };
}

/** Calls back when anything the tokens depend on has changed outside the page: colours, contrast, the size of letters. */
export function onSystemTheme(changed) {
  for (const query of systemColours) query.addEventListener("change", changed);
  let width = probe.offsetWidth;
  new ResizeObserver(() => {
    if (probe.offsetWidth === width) return;
    width = probe.offsetWidth;
    changed();
  }).observe(probe);
}
