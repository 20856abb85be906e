// Computes SHA-256 for the page: returns {bytes} unchanged with their hash, or without a hash where memory ran out.
self.onmessage = async (/** @type {MessageEvent<Numbered<HashQuestion>>} */ { data: { id, bytes } }) => {
  const hash = bytes ? await crypto.subtle.digest("SHA-256", bytes).catch(() => null) : null;
  /** @type {WorkerScope<CallAnswer<HashAnswer>>} */ (/** @type {unknown} */ (self)).postMessage({ id, bytes, hash }, bytes ? [bytes.buffer] : []);
};
