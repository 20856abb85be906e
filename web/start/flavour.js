// Chooses this browser's engine: the fastest it can run, on all cores if the visitor chose that and the page is cross-origin
// isolated, without which workers cannot share memory.

// A function that returns an i8x16.relaxed_swizzle of two splats; only engines with relaxed SIMD accept it.
const relaxedProbe = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, // magic, version
  1, 5, 1, 0x60, 0, 1, 0x7b, // a type: () -> v128
  3, 2, 1, 0, // one function of it
  10, 15, 1, 13, 0, 0x41, 1, 0xfd, 15, 0x41, 2, 0xfd, 15, 0xfd, 0x80, 2, 11, // splat 1, splat 2, swizzle, end
]);

const mostThreads = 8; // more would only wait for memory and for each other

/** The number of threads for "all cores" on this device. */
export const coresHere = () => Math.min(navigator.hardwareConcurrency || 1, mostThreads);
export const hasRelaxed = () => WebAssembly.validate(relaxedProbe);

/** iPads identify as Macs, but Macs have no touch screens. */
export const isIos = () => /iPhone|iPad|iPod/.test(navigator.userAgent) || (navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1);

export function sharesMemory() {
  if (!globalThis.crossOriginIsolated) return false;
  try {
    return new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer instanceof SharedArrayBuffer;
  } catch {
    return false;
  }
}

/** Whether the engine could use all cores of this device now. */
export const canThread = () => coresHere() > 1 && hasRelaxed() && !isIos() && sharesMemory();

/** {flavour, threads}. `asked`: a flavour named in the address, or nothing; `allCores`: whether the visitor chose all cores. */
export function chooseFlavour(/** @type {string | null} */ asked, /** @type {boolean} */ allCores) {
  if (asked === "simd" || asked === "relaxed") return { flavour: asked, threads: 1 };
  if ((allCores || asked === "relaxed-mt") && canThread()) return { flavour: "relaxed-mt", threads: coresHere() };
  return { flavour: hasRelaxed() ? "relaxed" : "simd", threads: 1 };
}
