// WebAssembly modules from a host, compiled as they arrive. Each kind of failure has a message that ends a sentence.

/** A failure of the connection or the server. */
export class LoadError extends Error {
  get name() { return "LoadError"; } // explicit, because the build shortens the names of classes
}

/** The compiled module, even if the host sends a wrong media type. Errors read "…: the server answered 404". */
export async function fetchModule(/** @type {URL} */ address) {
  const answer = await fetch(address).catch(() => {
    throw new LoadError(navigator.onLine ? "the connection broke" : "this device is offline");
  });
  if (!answer.ok) throw new LoadError(`the server answered ${answer.status}`);
  const type = answer.headers.get("content-type") ?? "";
  if (type.includes("text/html")) throw new LoadError("a web page came in its place, perhaps that of a sign-in");
  try {
    return type.startsWith("application/wasm") && WebAssembly.compileStreaming ? await WebAssembly.compileStreaming(answer) : await WebAssembly.compile(await answer.arrayBuffer());
  } catch (error) {
    console.warn(error);
    throw new LoadError("it did not arrive whole");
  }
}

/**
 * What a module's script exports.
 * @param {URL} address
 * @returns {Promise<WasmScript>}
 */
export async function fetchScript(address) {
  try {
    return await import(address.href);
  } catch (error) {
    console.warn(error);
    throw new LoadError(navigator.onLine ? "a part of it could not be loaded" : "this device is offline");
  }
}

export const twoVersions = "its parts are of two versions, as after an update of this page";

/** Whether a script and a module were built together: both have the name that the build gave the two. */
export function isPair(/** @type {WasmScript} */ script, /** @type {WebAssembly.Module} */ module) {
  const [name] = WebAssembly.Module.customSections(module, "pair");
  return name !== undefined && new TextDecoder().decode(name) === script.pair;
}
