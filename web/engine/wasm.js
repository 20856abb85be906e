// WebAssembly modules from a host: compiled as they arrive, with a sentence's end for each way that can fail.

/** What is wrong with the connection or its other end. */
export class LoadError extends Error {
  get name() { return "LoadError"; } // that of the class is shortened with the script
}

/** The compiled module; also from a host that does not know its media type. Errors read "…: the server answered 404". */
export async function fetchModule(address) {
  const answer = await fetch(address).catch(() => {
    throw new LoadError(navigator.onLine ? "the connection broke" : "this device is offline");
  });
  if (!answer.ok) throw new LoadError(`the server answered ${answer.status}`);
  const type = answer.headers.get("content-type") ?? "";
  if (type.includes("text/html")) throw new LoadError("a web page came in its place, perhaps that of a sign-in");
  try {
    return type.startsWith("application/wasm") ? await WebAssembly.compileStreaming(answer) : await WebAssembly.compile(await answer.arrayBuffer());
  } catch (error) {
    console.warn(error);
    throw new LoadError("it did not arrive whole");
  }
}
