// Unpacks the files that lie in this page and starts it: the build puts this script into helixscope.html (one_file.py).
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

async function addressOf(element) {
  const packed = new Blob([bytesOf(element.textContent)]);
  const whole = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
  element.replaceChildren();
  return URL.createObjectURL(new Blob([whole], { type: element.dataset.type }));
}

const meta = (name) => document.querySelector(`meta[name=helixscope-${name}]`);
const change = (name, act) => { meta(name).content = JSON.stringify(act(JSON.parse(meta(name).content))); };

async function start() {
  const elements = [...document.querySelectorAll("script[data-name]")];
  const places = Object.fromEntries(await Promise.all(elements.map(async (element) => [element.dataset.name, await addressOf(element)])));
  change("files", () => places);
  change("pictures", (studies) => Object.fromEntries(Object.entries(studies).map(([study, themes]) =>
    [study, Object.fromEntries(Object.entries(themes).map(([theme, path]) => [theme, places[path] ?? path]))])));
  change("bundled", (models) => models.map((model) => ({ ...model, places: Object.fromEntries([...model.files, "README.md"].map((file) => [file, places[model.path + file]])) })));
  for (const link of document.querySelectorAll("a[href]")) if (places[link.getAttribute("href")]) link.href = places[link.getAttribute("href")];
  await import(places["start/main.js"]);
}

if (window.helixscopeBoot && !window.helixscopeBoot.unfit) {
  const why = typeof DecompressionStream === "function" ? "its parts cannot be unpacked" : "this browser cannot unpack its parts; recent ones can";
  start().catch((error) => {
    console.warn(error);
    window.helixscopeBoot.failed(`helixscope could not start: ${why}.`);
  });
}
