// Writes a file of the origin's private file system with a synchronous handle, for browsers whose pages cannot. A write
// that is cut short is found by the file's hash when it is read.
self.onmessage = async ({ data: { id, folder, key, name, bytes } }) => {
  try {
    let at = await navigator.storage.getDirectory();
    for (const part of [folder, key]) at = await at.getDirectoryHandle(part, { create: true });
    const handle = await (await at.getFileHandle(name, { create: true })).createSyncAccessHandle();
    try {
      handle.truncate(0);
      handle.write(bytes, { at: 0 });
      handle.flush();
    } finally {
      handle.close();
    }
    self.postMessage({ id });
  } catch (error) {
    self.postMessage({ id, error: { name: error.name, message: error.message } });
  }
};
