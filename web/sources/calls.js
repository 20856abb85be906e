// Questions to a worker, each with its answer. The worker gets {id, ...question} and sends {id, ...answer}, or {id, error}.
export class Calls {
  #worker;
  #waiting = new Map(); // id -> {done, failed}
  #last = 0;

  /** @param {URL} url */
  constructor(url) {
    this.#worker = new Worker(url);
    this.#worker.onmessage = ({ data: { id, error, ...answer } }) => {
      const { done, failed } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) failed(Object.assign(new Error(error.message), { name: error.name }));
      else done(answer);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      for (const { failed } of this.#waiting.values()) failed(new Error("the worker did not start"));
      this.#waiting.clear();
    };
  }

  /**
   * `transfer`: buffers that are transferred to the worker, and are empty here from then on.
   * @param {Record<string, any>} question
   * @param {Transferable[]} transfer
   */
  ask(question, transfer = []) {
    return new Promise((done, failed) => {
      const id = ++this.#last;
      this.#waiting.set(id, { done, failed });
      this.#worker.postMessage({ id, ...question }, transfer);
    });
  }
}
