// Trusted Types: where a browser has them, markup and addresses of scripts take effect only if the page's policy has passed them. boot.js
// makes the policy, before every other script; a browser without them takes the text itself.

const policy = globalThis.window?.helixscopeTrusted;

/** A figure as SVG markup, for innerHTML. */
export const trustedDrawing = (/** @type {string} */ markup) => (policy ? policy.createHTML(markup) : markup);

/** The address of a script of the page, for workers. */
export const trustedScript = (/** @type {URL} */ address) => (policy ? policy.createScriptURL(address.href) : address);
