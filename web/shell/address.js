// The view as a link in the address bar, and its steps as entries of the browser's history: Back undoes a step, Forward makes
// it again, and the page's own undo and redo travel along the same entries. A link that the visitor has just entered is read,
// never overwritten.
import { $, throttled } from "./dom.js";
import { closeOverlays } from "./overlays.js";
import { say } from "../words/words.js";

const betweenWrites = 400; // milliseconds: a browser takes about a hundred changes of the address in half a minute
const afterRefusal = 10_000; // milliseconds until the address is written again where the browser refused
const arrival = 3000; // milliseconds after which a journey through the history counts as one that led nowhere
const answerShown = 1600; // milliseconds

/** The model that a link names, or "". */
export const modelOf = (/** @type {string} */ link) => new URLSearchParams(link.replace(/^#/, "").replaceAll("+", "%2B")).get("model") ?? "";

/** Whether an address is no view but the teacher's page. */
export const isOther = (/** @type {string} */ hash) => hash === "#teach" || hash.startsWith("#answers=");

/** The address of the view that the page is asked for. */
export const viewAsked = () => (isOther(location.hash) ? "" : location.hash);

/**
 * The place of the present entry among this page's entries, from 0; null: the page has not made it.
 * @returns {number | null}
 */
const placeHere = () => history.state?.place ?? null;

/**
 * `open(link)` shows the view of a link that the visitor has entered.
 * @typedef {{snapshot: () => Snapshot, dispatch: Dispatch, open: (link: string) => void}} ViewedPage
 */

export class Address {
  page = /** @type {ViewedPage} */ (/** @type {unknown} */ (null)); // given by follow()
  /** @type {string | null} */
  #written = isOther(location.hash) ? null : location.hash; // what the address bar holds, as far as we know
  #link = location.hash; // the link that was written there
  #newest = location.hash; // what the address bar should hold
  #keepSoon = throttled(() => this.keep(), betweenWrites);
  #at = 0; // the present entry's place
  #goal = 0; // the place of the entry that the page is going to
  #last = 0; // the last place that can be gone to, as far as we know
  /** @type {Map<number, number>} */
  #steps = new Map(); // place -> the program's step, where the program can go to it
  /** @type {number | null} */
  #step = null;
  #stepLink = "";
  #arrivalTimer = 0;

  /** `entries`: whether steps are entries. Within another page they are not: the history there is that page's. */
  constructor(/** @type {{entries: boolean}} */ { entries }) {
    this.entries = entries;
    if (!entries) return;
    this.#at = this.#goal = this.#last = placeHere() ?? 0;
    this.#label();
  }

  /** Whether the page is on its way to another entry. */
  get travelling() {
    return this.#goal !== this.#at;
  }

  /** Whether the entry so many steps away is the page's. After a reload nobody knows what comes after the present one. */
  can(/** @type {number} */ by) {
    return this.#goal + by >= 0 && this.#goal + by <= this.#last;
  }

  /** Goes so many entries forward, or back if it is negative. */
  go(/** @type {number} */ by) {
    if (!this.page) return; // still starting
    this.show(this.page.snapshot());
    if (!this.can(by)) return;
    if (!this.travelling) this.#put(this.#stepLink);
    this.#goal += by;
    history.go(by);
    clearTimeout(this.#arrivalTimer);
    this.#arrivalTimer = setTimeout(() => this.#endJourney(this.#at), arrival);
  }

  #endJourney(/** @type {number} */ place) {
    clearTimeout(this.#arrivalTimer);
    this.#arrivalTimer = 0;
    this.#goal = place;
  }

  /** Shows the view's current link; a new step becomes an entry. */
  show(/** @type {Snapshot} */ snapshot) {
    this.#newest = snapshot.link;
    if (this.#isOurs()) this.#record(snapshot);
    this.#keepSoon();
  }

  /** What has happened up to this snapshot is no step of the visitor's. */
  adopt(/** @type {Pick<Snapshot, "step" | "step_link">} */ { step, step_link }) {
    this.#step = step;
    this.#stepLink = step_link;
    this.#steps.set(this.#at, step);
  }

  /** Writes the newest link at once. */
  keep() {
    if (this.#isOurs() && this.#newest !== this.#link) this.#put(this.#newest);
  }

  /** False while the visitor has entered another link, or gone to another entry, that is about to be read. */
  #isOurs() {
    return !this.travelling && location.hash === this.#written && (!this.entries || placeHere() === this.#at);
  }

  #label() {
    try {
      history.replaceState({ place: this.#at }, "");
    } catch {
      setTimeout(() => { if (placeHere() === null) this.#label(); }, afterRefusal); // too often for this browser
    }
  }

  #put(/** @type {string} */ link, place = this.#at) {
    try {
      if (place === this.#at) history.replaceState(this.entries ? { place } : history.state, "", link);
      else history.pushState({ place }, "", link);
    } catch {
      setTimeout(() => this.keep(), afterRefusal); // too often for this browser
      return;
    }
    this.#at = this.#goal = place;
    this.#link = link;
    this.#written = location.hash;
  }

  #record(/** @type {Snapshot} */ snapshot) {
    const made = this.entries && this.#step !== null ? snapshot.step - this.#step : 0;
    if (made > 0) {
      if (this.#link !== this.#stepLink) this.#put(this.#stepLink); // it may hold a moment of the drag that made the new step
      for (let step = Number(this.#step) + 1; step <= snapshot.step; ++step) {
        this.#forget(this.#at);
        this.#put(snapshot.step_link, this.#at + 1);
        this.#steps.set(this.#at, step);
      }
      this.#last = this.#at;
    }
    this.adopt(snapshot);
  }

  /** Entries after this place are gone. */
  #forget(/** @type {number} */ place) {
    for (const other of [...this.#steps.keys()]) if (other > place) this.#steps.delete(other);
  }

  /**
   * Follows the browser's history from now on.
   * @param {ViewedPage} page
   */
  follow(page) {
    this.page = page;
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.keep(); }); // so that a reload restores the newest view
    for (const event of ["popstate", "hashchange"]) addEventListener(event, () => this.#arrived());
    // A step back shows another view at the same place of the page; a reload shows the page where it was.
    const scrolling = (/** @type {ScrollRestoration} */ how) => { if (this.entries) history.scrollRestoration = how; };
    scrolling("manual");
    addEventListener("pagehide", () => scrolling("auto"));
    addEventListener("pageshow", () => scrolling("manual"));
    $("copy").onclick = () => this.#copy($("copy"), page.snapshot().link);
  }

  /** Another entry is the present one, or another link. */
  #arrived() {
    if (isOther(location.hash)) return closeOverlays(); // the view stays as it is below
    const place = placeHere(), same = location.hash === this.#written;
    if (same && (!this.entries || place === this.#at)) return;
    if (same && place === null) return this.#label(); // the same link once more
    this.#written = this.#link = location.hash;
    closeOverlays();
    if (this.entries && place !== null) {
      this.#at = place;
      if (!this.#arrivalTimer || place === this.#goal) this.#endJourney(place); // else it is on its way through this entry
      this.#last = Math.max(this.#last, place);
      this.#restore();
    } else {
      this.#enter();
    }
    this.#newest = this.page.snapshot().link; // a pending write of the previous view must not replace this link
    this.#keepSoon();
  }

  /** A link was entered: the browser has made an entry of its own. */
  #enter() {
    if (this.entries) {
      this.#forget(this.#at);
      this.#last = this.#goal = ++this.#at;
      this.#label();
    }
    this.#open();
  }

  #open() {
    if (location.hash !== this.page.snapshot().link) this.page.open(location.hash);
    this.adopt(this.page.snapshot());
  }

  /** Shows the view of the present entry: a step of the program's, or, from before a reload, a link. */
  #restore() {
    const { step } = this.page.snapshot(), wanted = this.#steps.get(this.#at);
    if (wanted !== undefined) {
      for (let left = Math.abs(wanted - step); left > 0; --left) this.page.dispatch({ do: wanted < step ? "undo" : "redo" });
      const there = this.page.snapshot();
      if (there.step === wanted) return this.adopt(there);
    }
    this.#steps.clear(); // the program's steps are in another order than the entries from now on
    this.#open();
  }

  async #copy(/** @type {HTMLElement} */ button, /** @type {string} */ link) {
    this.#put(link);
    try {
      await navigator.clipboard.writeText(new URL(link, location.href).href);
      button.textContent = say("Copied");
    } catch {
      button.textContent = say("In the address bar");
    }
    $("copied").textContent = button.textContent; // a button that changes its name is not announced
    setTimeout(() => {
      button.textContent = say("Copy link");
      $("copied").textContent = "";
    }, answerShown);
  }
}
