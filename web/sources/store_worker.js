// Reads and writes files of the origin's private file system with synchronous handles: a page has none, and reads large files
// several times slower. What was read comes back with its SHA-256. A write that is cut short is found by that hash when it is
// read.

/** @param {FilePlace} place @param {boolean} create */
async function fileOf({ folder, key, name }, create) {
  let at = await navigator.storage.getDirectory();
  for (const part of [folder, key]) at = await at.getDirectoryHandle(part, { create });
  return at.getFileHandle(name, { create });
}

/**
 * @param {FilePlace} place
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
async function write(place, bytes) {
  const handle = await (await fileOf(place, true)).createSyncAccessHandle();
  try {
    handle.truncate(0);
    handle.write(bytes, { at: 0 });
    handle.flush();
  } finally {
    handle.close();
  }
  return { answer: {}, transfer: [] };
}

/**
 * Throws where somebody else has the file open, or the browser has no handles that only read.
 * @param {FileSystemFileHandle} file
 */
async function readAtOnce(file) {
  const handle = await file.createSyncAccessHandle({ mode: "read-only" });
  try {
    const bytes = new Uint8Array(handle.getSize());
    return bytes.subarray(0, handle.read(bytes, { at: 0 }));
  } finally {
    handle.close();
  }
}

/** @param {FilePlace} place */
async function read(place) {
  const file = await fileOf(place, false);
  const bytes = await readAtOnce(file).catch(async () => new Uint8Array(await (await file.getFile()).arrayBuffer()));
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return { answer: { bytes, hash }, transfer: [bytes.buffer] };
}

const page = /** @type {WorkerScope<CallAnswer<FileAnswer>>} */ (/** @type {unknown} */ (self));
self.onmessage = async (/** @type {MessageEvent<Numbered<FileQuestion>>} */ { data: { id, bytes, ...place } }) => {
  try {
    const { answer, transfer } = bytes ? await write(place, bytes) : await read(place);
    page.postMessage({ id, ...answer }, transfer);
  } catch (error) {
    page.postMessage({ id, error: { name: error.name, message: error.message } });
  }
};
