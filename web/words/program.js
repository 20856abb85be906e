// The sentences of the studies, which both modules need before anything else: one file in the page's language.
import { LoadError } from "../engine/wasm.js";
import { addressOf } from "../start/files.js";
import { chosenLanguage } from "./language.js";

/** @param {string} code */
async function fetchWords(code) {
  const answer = await fetch(addressOf(`words/program.${code}.txt`), { priority: "high" }).catch(() => {
    throw new LoadError(navigator.onLine ? "the connection broke" : "this device is offline");
  });
  if (!answer.ok) throw new LoadError(`the server answered ${answer.status}`);
  const text = await answer.text();
  if (!text.startsWith("# ")) throw new LoadError("a web page came in its place, perhaps that of a sign-in");
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
