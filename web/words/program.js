// The sentences of the studies, which both modules need before anything else: one file in the page's language.
import { LoadError } from "../engine/wasm.js";
import { addressOf } from "../start/files.js";
import { chosenLanguage } from "./language.js";

/** @param {string} code */
async function fetchWords(code) {
  const failed = (/** @type {string} */ why) => new LoadError(`its texts are missing, ${why}`);
  const answer = await fetch(addressOf(`words/program.${code}.txt`), { priority: "high" }).catch(() => {
    throw failed(navigator.onLine ? "the connection broke" : "this device is offline");
  });
  if (!answer.ok) throw failed(`the server answered ${answer.status}`);
  const text = await answer.text().catch(() => "# ");
  if (!text.startsWith("# ")) throw failed("a web page came in their place, perhaps that of a sign-in");
  if (!text.endsWith("\n# end\n")) throw failed("they did not arrive whole");
  return text;
}

/** @type {Promise<string> | undefined} */
let words;

/** In English where the visitor's language does not arrive, as the rest of the page then is. What has failed is asked for again. */
export const programWords = () => (words ??= (async () => {
  const { code } = chosenLanguage();
  if (code !== "en")
    try {
      return await fetchWords(code);
    } catch (error) {
      console.warn(error);
    }
  return fetchWords("en");
})().catch((error) => {
  words = undefined;
  throw error;
}));
