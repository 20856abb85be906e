// window.helixscope: what tests, scripts and embedding pages may rely on.

/** An array's numbers. They start at a whole float64 of `data`; float32 numbers lie two in the place of one. */
function numbersOf(data, { dtype, offset }, size) {
  if (dtype !== "f32") return data.slice(offset, offset + size);
  return new Float32Array(data.buffer, data.byteOffset + offset * 8, size).slice();
}

/** The header and the numbers of a result as one object, arrays typed: the document of `run --json`. */
function resultObject({ header, data }, { arrays = true } = {}) {
  const out = structuredClone(header);
  for (const array of Object.values(out.arrays)) {
    const size = array.shape.reduce((a, b) => a * b, 1);
    if (arrays) array.data = numbersOf(data, array, size);
    delete array.offset;
    delete array.dtype;
  }
  return out;
}

export function publish({ ui, dispatch, results, canvas, engine, stage, measure }) {
  const settled = async () => {
    while (ui.busy() || stage.stale) await new Promise((next) => setTimeout(next, 10));
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  };
  window.helixscope = {
    /** Resolves when the first result is there and drawn. */
    ready: settled(),
    settled,
    state: () => ui.snapshot().state,
    open: (hash) => dispatch({ do: "open", link: hash }),
    /** The newest result of a study's; "against": of the state it is compared with. */
    result: (study, options) => (results.has(study) ? resultObject(results.get(study), options) : null),
    engine: () => ({ flavour: engine.flavour, threads: engine.threads, restarts: engine.restarts, memory: engine.memory }),
    /**
     * The engine measured here, on the open model: {prefill: "16,64", decode: "32", repeats: "3"} as for `helixscope bench`,
     * precision "f32" or "q8". A promise of the result, as `result` gives it.
     */
    bench: async (params = {}, precision = "f32") => resultObject(await measure(params, precision)),
    /** CSS pixels in the viewport: "figure", "figure.<panel>", "row.<position>"; null when there is no such thing now. */
    rect(id) {
      const [x, y, width, height] = ui.rect(id);
      const box = canvas.getBoundingClientRect();
      return width > 0 ? new DOMRect(box.x + x, box.y + y, width, height) : null;
    },
    /** Until the last requested result is drawn. */
    busy: () => ui.busy(),
    /** Milliseconds of page CPU of the last frames. */
    frameTimes: () => [...stage.frameTimes],
  };
}
