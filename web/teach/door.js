// The way to the teacher's page, which has an address of its own, "#teach", and no place in the history of views. Its script loads
// when it opens.
import { isOther } from "../shell/address.js";
import { $ } from "../shell/dom.js";
import { addressOf } from "../start/files.js";
import { say } from "../words/words.js";

export class TeachDoor {
  /** @type {Promise<import("./teach.js").Teacher | null> | null} */
  #teacher = null; // a promise of the module's object
  #came = false; // from the view that is below
  #seen = ""; // the address that was looked at last

  /** @param {TeachersPage} page */
  constructor(page) {
    this.page = page;
  }

  open() {
    this.#came = true;
    location.hash = "#teach";
  }

  #leave = () => {
    if (this.#came) history.back();
    else location.hash = this.page.snapshot().link;
    this.#came = false;
  };

  follow() {
    for (const event of ["hashchange", "popstate"]) addEventListener(event, () => this.#look());
    this.#look();
  }

  #load() {
    this.#teacher ??= import(addressOf("teach/teach.js").href).then(({ Teacher }) => new Teacher(this.page, { leave: this.#leave })).catch(() => {
      this.#teacher = null;
      this.page.dispatch({ do: "notice", sentence: say("The teacher’s page could not be loaded. Check the connection and try again.") });
      this.#leave();
      return null;
    });
    return this.#teacher;
  }

  async #look() {
    if (this.#seen === location.hash) return; // two events tell of one change
    this.#seen = location.hash;
    const open = isOther(location.hash);
    if (!open && !this.#teacher) return;
    const teacher = await this.#load();
    if (!teacher || open !== isOther(location.hash)) return;
    if (open) teacher.show(location.hash);
    else if (teacher.open) {
      this.#came = false;
      await teacher.hide();
      this.page.left();
      $("canvas").focus({ preventScroll: true });
    }
  }
}
