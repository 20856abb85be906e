// Which language the page speaks: that of the link, else the visitor's choice on this device, else the first of the browser's that
// the page has, else English. A language that the link names or the visitor has chosen stays in the links of the page.
import { addressOf } from "../start/files.js";
import { language, say, useWords } from "./words.js";

const noteName = "helixscope.language"; // in localStorage, once the visitor has chosen
const pair = /&?\blang=[^&]*/g;

/** The other languages, by their codes: {it: "Italiano", …}. */
function readNames() {
  try {
    return JSON.parse(/** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=helixscope-languages]"))?.content || "{}");
  } catch {
    return {};
  }
}

/** @type {Record<string, string>} */
export const names = { en: "English", ...readNames() };
const isKnown = (/** @type {string} */ code) => Object.hasOwn(names, code);

/** The language that a link names, or "". */
export const languageIn = (/** @type {string} */ link) => (/^[A-Za-z-]{2,35}$/.exec(new URLSearchParams(link.replace(/^#/, "")).get("lang") ?? "")?.[0] ?? "").toLowerCase();

function remembered() {
  try {
    const kept = localStorage.getItem(noteName) ?? "";
    return isKnown(kept) ? kept : "";
  } catch {
    return ""; // this browser stores nothing
  }
}

const ofBrowser = () => navigator.languages.map((tag) => tag.toLowerCase().split("-")[0]).find(isKnown) ?? "en";

let inLinks = ""; // the language that links name

/** The link as the program reads it, without the page's own part: #lang=it alone is a link, too. */
export const withoutLanguage = (/** @type {string} */ link) => link.replace(pair, "").replace(/^#&/, "#");

/** A link of the program's with the language, where links name one. */
export const withLanguage = (/** @type {string} */ link) => (inLinks && link ? `${link}&lang=${inLinks}` : link);

/** Texts and attributes of index.html, which stands in English; what has translate="no" stays. */
function translatePage() {
  const own = (/** @type {Element} */ element) => !element.closest("[translate=no]");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode), text = node.data.trim().replace(/\s+/g, " ");
    if (!/\p{L}{2}/u.test(text) || !own(/** @type {Element} */ (node.parentElement))) continue;
    const [before, after] = [/^\s*/, /\s*$/].map((space) => space.exec(node.data)?.[0] ?? "");
    node.data = before + say(text) + after;
  }
  for (const name of ["title", "aria-label", "aria-roledescription", "placeholder"])
    for (const element of document.body.querySelectorAll(`[${name}]`))
      if (own(element)) element.setAttribute(name, say(String(element.getAttribute(name))));
  document.title = say("helixscope: how a transformer knows where its words are");
}

/** Places whose texts are in English in every language: tables, and how numbers were computed. */
const programs = ["tables", "figure-tables", "provenance"];

/** The page's language when it opens, and the one that its link names, which may be unknown. */
export function chosenLanguage() {
  const wanted = languageIn(location.hash), named = wanted || remembered();
  return { wanted, named, code: isKnown(named) ? named : ofBrowser() };
}

/** Brings the words of the visitor's language. A promise of "" or of one sentence that says why the page speaks English. */
export async function learnLanguage() {
  const { wanted, named, code } = chosenLanguage();
  inLinks = named;
  const why = wanted && !isKnown(wanted) ? say("This page does not speak the language “{language}” of the link.", { language: wanted }) : "";
  if (code === "en") return why;
  try {
    const answer = await fetch(addressOf(`words/${code}.json`), { priority: "high" });
    if (!answer.ok) throw new Error(String(answer.status));
    useWords({ language: code, ...await answer.json() });
  } catch {
    return `The page’s words in ${names[code]} could not be loaded, so it is in English. Check the connection and reload the page.`;
  }
  document.documentElement.lang = code;
  for (const id of programs) document.getElementById(id)?.setAttribute("lang", "en");
  translatePage();
  return why;
}

/** Whether a link that the visitor has entered asks for another language: the page then loads again. */
export const asksAnother = (/** @type {string} */ link) => {
  const wanted = languageIn(link);
  return isKnown(wanted) && wanted !== language();
};

/** The menu of languages in its place. `reload()` loads the page again with the same view. */
export function bindLanguages(/** @type {HTMLSelectElement} */ menu, /** @type {() => void} */ reload) {
  const [own, ...others] = Object.entries(names).map(([code, name]) => Object.assign(document.createElement("option"), { value: code, textContent: name, lang: code }));
  const group = Object.assign(document.createElement("optgroup"), { label: say("Tables and conventions are in English") });
  group.append(...others);
  menu.replaceChildren(own, group);
  menu.hidden = !others.length;
  menu.value = language();
  menu.addEventListener("change", () => {
    inLinks = menu.value;
    try {
      localStorage.setItem(noteName, inLinks);
    } catch {
      // Nothing can be stored: the link holds the choice.
    }
    reload();
  });
}
