// Dark or light, as the visitor or the system says; the canvas gets the same tokens the page has.

const systemLight = matchMedia("(prefers-color-scheme: light)");

const channel = (value) => parseInt(value.trim().slice(1), 16);

export function applyTheme(choice) {
  const light = choice === "light" || (choice !== "dark" && systemLight.matches);
  document.documentElement.dataset.theme = light ? "light" : "dark";
}

/** The tokens as ui.wasm wants them: colours as 0xRRGGBB. */
export function tokens() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => channel(style.getPropertyValue(`--${name}`));
  return {
    dark: document.documentElement.dataset.theme !== "light",
    bg: get("bg"), panel: get("panel"), line: get("line"), text: get("text"), mute: get("mute"), accent: get("accent"), warm: get("warm"),
    font: parseFloat(style.getPropertyValue("--canvas-font")),
  };
}

export function onSystemTheme(changed) {
  systemLight.addEventListener("change", changed);
}
