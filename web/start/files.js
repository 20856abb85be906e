// Where the page's own files are. Each has a hash of its contents in its name, and index.html a table of these names, so that a page
// has the files of its own version or none.

/** @returns {Record<string, string>} */
function readTable() {
  try {
    return JSON.parse(/** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=helixscope-files]"))?.content || "{}");
  } catch {
    return {};
  }
}

const inPage = typeof document === "object" && Boolean(document.baseURI);
const table = inPage ? readTable() : {};

/** The page's folder. */
export const folder = new URL(inPage ? "./" : "../", inPage ? document.baseURI : import.meta.url);

/**
 * The address of a file of the page, such as "engine/worker.js".
 * @param {string} name
 */
export const addressOf = (name) => new URL(table[name] ?? name, folder);
