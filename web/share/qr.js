// QR codes, as SVG; loaded with the link builder and the teacher's page alone. The licence of uqr is in NOTICE.txt.
import { encode } from "uqr";

const ns = "http://www.w3.org/2000/svg";
const quiet = 4; // modules around the code, as its standard asks

/** The text as a QR code, black on white whatever the theme; null where it is too long for one. */
export function qrCode(/** @type {string} */ text, /** @type {string} */ label) {
  let code;
  try {
    code = encode(text, { ecc: "M", border: 0 });
  } catch {
    return null;
  }
  const make = (/** @type {string} */ name, /** @type {Record<string, string | number>} */ attributes) => {
    const made = document.createElementNS(ns, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
  };
  const size = code.size + 2 * quiet, svg = make("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" });
  const dots = code.data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + quiet} ${y + quiet}h1v1h-1z`] : [])));
  svg.append(make("rect", { width: size, height: size, fill: "#fff" }), make("path", { d: dots.join(""), fill: "#000" }));
  return svg;
}
