// Computes SHA-256 for the page: {bytes} comes back as it came, with its hash, or without one where there was no room.
self.onmessage = async ({ data: { id, bytes } }) => {
  const hash = bytes ? await crypto.subtle.digest("SHA-256", bytes).catch(() => null) : null;
  self.postMessage({ id, bytes, hash }, bytes ? [bytes.buffer] : []);
};
