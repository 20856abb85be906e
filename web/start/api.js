// window.helixscope: the interface for tests, scripts and embedding pages, as types/helixscope.d.ts describes it.

/**
 * An array's numbers. They start at a multiple of 8 bytes in `data`; two float32 numbers take the place of one float64.
 * @param {Float64Array} data
 * @param {ResultArray} array
 * @param {number} size
 */
export function numbersOf(data, { dtype, offset = 0 }, size) {
  if (dtype !== "f32") return data.slice(offset, offset + size);
  return new Float32Array(data.buffer, data.byteOffset + offset * 8, size).slice();
}

/**
 * The header and the numbers of a result as one object with typed arrays: the document of `run --json`.
 * @param {Result} result
 */
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

/**
 * @param {{ui: Ui, lessons: () => import("../lessons/lessons.js").Lessons | null, dispatch: Dispatch, address: import("../shell/address.js").Address, results: Map<string, Result>, canvas: HTMLCanvasElement,
 *   engine: import("../engine/engine.js").Engine, stage: import("../shell/stage.js").Stage,
 *   measure: (params: Record<string, string>, precision: Precision) => Promise<Result>}} page
 */
export function publish({ ui, lessons, dispatch, address, results, canvas, engine, stage, measure }) {
  const busy = () => ui.busy() || address.travelling;
  const settled = async () => {
    while (busy() || stage.stale || ui.onTheWay()) await new Promise((next) => setTimeout(next, 10));
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  };
  window.helixscope = {
    ready: settled(),
    settled,
    state: () => ui.snapshot().state,
    open: (link) => dispatch({ do: "open", link }),
    result(study, options) {
      const newest = results.get(study);
      return newest ? resultObject(newest, options) : null;
    },
    engine: () => ({ flavour: engine.flavour, threads: engine.threads, restarts: engine.restarts, memory: engine.memory }),
    bench: async (params = {}, precision = "f32") => resultObject(await measure(params, precision)),
    rect(id) {
      const [x, y, width, height] = ui.rect(id).map((pixels) => pixels * stage.scale);
      const box = canvas.getBoundingClientRect();
      return width > 0 ? new DOMRect(box.x + x, box.y + y, width, height) : null;
    },
    get lesson() {
      const opened = lessons();
      return opened ? (/** @type {string} */ expression) => opened.evaluate(expression) : undefined;
    },
    busy,
    frameTimes: () => [...stage.frameTimes],
  };
}
