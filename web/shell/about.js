// The About sheet: version, authors, licences, sources, and the open view as a citation.
import { citedTexts } from "./cited_texts.js";
import { bibtex } from "./citation.js";
import { $ } from "./dom.js";
import { say } from "../words/words.js";

const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
const today = () => {
  const now = new Date();
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
};

export class About {
  /**
   * `page.provenance(study)`: that of its newest result.
   * @param {{schemas: Schema[], snapshot: () => Snapshot, provenance: (study: string) => Provenance | undefined}} page
   */
  constructor(page) {
    this.page = page;
    const { version = "", commit = "" } = $("about-version").dataset;
    this.version = version;
    this.commit = commit;
    this.address = $("about-address").getAttribute("href") ?? "";
    $("about-version").textContent = commit ? say("{version}, commit {commit}", { version, commit }) : version;
    $("about-sources").replaceChildren(...citedTexts());
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".about-address"))) part.hidden = !this.address;
    $("about-address").textContent = this.address;
    $("open-about").onclick = () => this.open();
    $("close-about").onclick = () => $("about-sheet").close();
    $("copy-citation").onclick = () => this.#copy();
    $("about-sheet").addEventListener("click", (event) => { if (event.target === $("about-sheet")) $("about-sheet").close(); });
  }

  /** The open view as a BibTeX entry. */
  citation() {
    const { state, link, result } = this.page.snapshot();
    const { title } = /** @type {Schema} */ (this.page.schemas.find((s) => s.id === state.study));
    const { model, sha256 } = /** @type {Partial<Provenance>} */ ((result.study && this.page.provenance(result.study)) || {});
    const where = this.address || location.href;
    return bibtex({
      study: state.study, title, link: new URL(link, where).href, version: this.version, commit: this.commit, provenance: result.provenance, model, sha256, day: today(),
    });
  }

  /** Opens the sheet. `cite`: with the citation selected. */
  open({ cite = false } = {}) {
    $("citation").value = this.citation();
    $("cite-said").textContent = "";
    $("about-sheet").showModal(); // the browser closes it on Escape and gives the focus back
    if (cite) $("citation").select();
    $(cite ? "citation" : "close-about").focus();
  }

  /** What the palette finds. */
  entries() {
    return [
      { kind: say("Page"), label: say("About helixscope"), note: say("version, authors, licence, sources"), act: () => this.open() },
      { kind: say("Page"), label: say("Cite this view"), note: say("BibTeX with the link, the version and the model's hash"), act: () => this.open({ cite: true }) },
    ];
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText($("citation").value);
      $("cite-said").textContent = say("Copied.");
    } catch {
      $("citation").select(); // the browser does not let the page write to the clipboard
      $("cite-said").textContent = say("Selected: copy it with Ctrl+C.");
    }
  }
}
