// Moments of the start that the bench reads from the browser's timeline.

export function markOnce(/** @type {string} */ name) {
  if (!performance.getEntriesByName(name).length) performance.mark(name);
}
