// WebAssembly modules from a host, compiled as they arrive. Each kind of failure has a message that ends a sentence.

/** A failure of the connection or the server. */
export class LoadError extends Error {
  get name() { return "LoadError"; } // explicit, because the build shortens the names of classes
}

/** The compiled module, even if the host sends a wrong media type. Errors read "…: the server answered 404". */
export async function fetchModule(address) {
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
