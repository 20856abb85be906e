// The small language in which lessons name numbers: outputs of a result, arithmetic, comparisons. The page's policy forbids
// running text as a script, and a lesson may compute nothing that its result does not hold.
//
//   previous_by_head[4][2] = max(previous_by_head)      rest.turns - turns > 0.5 and not (first = 1)

const pattern = /\s*(?:(?<number>\d+(?:\.\d+)?(?:e-?\d+)?)|(?<name>[A-Za-z_][A-Za-z_0-9]*)|"(?<text>[^"]*)"|(?<sign>!=|<=|>=|[-+*/=<>()[\],.]))/uy;
const words = new Set(["and", "or", "not"]);
const comparisons = new Set(["=", "!=", "<", "<=", ">", ">="]);

/**
 * A part of an expression: its operation, the parts it acts on, and a name or a value.
 * @typedef {{op: string, of: Node[], name?: any, value?: any}} Node
 * @typedef {(name: string) => any} LookUp the value of a name, or undefined
 */

/** @param {string} source */
function tokensOf(source) {
  const tokens = [], whole = source.trimEnd();
  pattern.lastIndex = 0;
  while (pattern.lastIndex < whole.length) {
    const at = pattern.lastIndex, found = pattern.exec(whole)?.groups;
    if (!found) throw new Error(`“${source}” has something at “${whole.slice(at).trim()}” that is not part of the language`);
    if (found.number !== undefined) tokens.push({ kind: "number", value: Number(found.number), at });
    else if (found.text !== undefined) tokens.push({ kind: "text", value: found.text, at });
    else if (found.name !== undefined && !words.has(found.name)) tokens.push({ kind: "name", value: found.name, at });
    else tokens.push({ kind: "sign", value: found.name ?? found.sign, at });
  }
  return tokens;
}

/** A recursive-descent parser: each method consumes its tokens from left to right and returns a node. */
class Reader {
  #tokens;
  #at = 0;

  /** @param {string} source */
  constructor(source) {
    this.source = source;
    this.#tokens = tokensOf(source);
  }

  get next() { return this.#tokens[this.#at]; }
  is(/** @type {string} */ sign) { return this.next?.kind === "sign" && this.next.value === sign; }
  /** @param {string} [sign] @returns {any} */
  take(sign) {
    if (sign !== undefined && !this.is(sign)) throw new Error(`“${this.source}” lacks a “${sign}”`);
    return this.#tokens[this.#at++];
  }

  /**
   * Left-associative: operands of `operand` with one of `signs` between them.
   * @param {string[]} signs
   * @param {() => Node} operand
   * @returns {Node}
   */
  chain(signs, operand) {
    let left = operand();
    while (this.next?.kind === "sign" && signs.includes(String(this.next.value))) left = { op: this.take().value, of: [left, operand()] };
    return left;
  }

  or() { return this.chain(["or"], () => this.and()); }
  and() { return this.chain(["and"], () => this.not()); }

  /** @returns {Node} */
  not() {
    if (!this.is("not")) return this.comparison();
    this.take();
    return { op: "not", of: [this.not()] };
  }

  comparison() {
    const left = this.sum();
    if (this.next?.kind !== "sign" || !comparisons.has(String(this.next.value))) return left;
    return { op: this.take().value, of: [left, this.sum()] };
  }

  sum() { return this.chain(["+", "-"], () => this.product()); }
  product() { return this.chain(["*", "/"], () => this.signed()); }

  /** @returns {Node} */
  signed() {
    if (!this.is("-")) return this.postfix();
    this.take();
    return { op: "negative", of: [this.signed()] };
  }

  /** @returns {Node} */
  postfix() {
    let base = this.primary();
    for (;;) {
      if (this.is(".")) {
        this.take();
        const name = this.take();
        if (name?.kind !== "name") throw new Error(`“${this.source}” has no name after a dot`);
        base = { op: "member", of: [base], name: name.value };
      } else if (this.is("[")) {
        this.take();
        base = { op: "entry", of: [base, this.or()] };
        this.take("]");
      } else return base;
    }
  }

  /** @returns {Node} */
  primary() {
    const token = this.take();
    if (!token) throw new Error(`“${this.source}” ends too early`);
    if (token.kind === "number" || token.kind === "text") return { op: "constant", value: token.value, of: [] };
    if (token.kind === "name") return this.is("(") ? this.call(token.value) : { op: "name", name: token.value, of: [] };
    if (token.value !== "(") throw new Error(`“${this.source}” has a “${token.value}” where a value belongs`);
    const inside = this.or();
    this.take(")");
    return inside;
  }

  /** @param {string} name @returns {Node} */
  call(name) {
    if (!Object.hasOwn(functions, name)) throw new Error(`“${this.source}” calls ${name}, which does not exist`);
    this.take("(");
    const of = [this.or()];
    while (this.is(",")) {
      this.take();
      of.push(this.or());
    }
    this.take(")");
    return { op: "call", name, of };
  }
}

/** An array of a result: its numbers or texts, row by row, with their shape. Entries of the first axis count from `first`. */
export class Grid {
  /** @param {any} data @param {number[]} shape */
  constructor(data, shape, first = 0) {
    this.data = data;
    this.shape = shape;
    this.first = first;
  }

  /** A number, or the part of the array at this entry of its first axis; undefined: there is no such entry. */
  /** @param {number} index @returns {any} */
  at(index) {
    const i = Math.round(index) - this.first, [count, ...rest] = this.shape;
    if (!(i >= 0 && i < count)) return undefined;
    if (!rest.length) return this.data[i];
    const size = rest.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    return new Grid(this.data.slice(i * size, (i + 1) * size), rest);
  }
}

const numbersIn = (/** @type {Grid} */ grid) => {
  if (!(grid instanceof Grid)) throw new Error("that is not a list of numbers");
  return [...grid.data].filter((n) => !Number.isNaN(n));
};
/** The place of the best number: an entry of a list; in a matrix, its number counted row by row. */
const placeOf = (/** @type {Grid} */ grid, /** @type {(a: number, b: number) => boolean} */ better) => {
  let place = -1;
  grid.data.forEach((/** @type {number} */ number, /** @type {number} */ i) => { if (!Number.isNaN(number) && (place < 0 || better(number, grid.data[place]))) place = i; });
  return place < 0 ? undefined : place + (grid.shape.length === 1 ? grid.first : 0);
};

/**
 * What an expression may call. A range has both its ends.
 * @type {Record<string, (...of: any[]) => any>}
 */
export const functions = {
  max: (grid) => Math.max(...numbersIn(grid)),
  min: (grid) => Math.min(...numbersIn(grid)),
  mean: (grid) => numbersIn(grid).reduce((a, b) => a + b, 0) / numbersIn(grid).length,
  sum: (grid) => numbersIn(grid).reduce((a, b) => a + b, 0),
  argmax: (grid) => placeOf(grid, (a, b) => a > b),
  argmin: (grid) => placeOf(grid, (a, b) => a < b),
  count: (grid) => grid.shape[0],
  range: (grid, first, last) => new Grid(grid.data.slice(first - grid.first, last - grid.first + 1), [last - first + 1], first),
  near: (a, b, tolerance) => Math.abs(a - b) <= tolerance,
  abs: Math.abs,
  round: Math.round,
  floor: Math.floor,
};

/** @type {Record<string, (...of: any[]) => any>} */
const operators = {
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b,
  "=": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b,
  negative: (a) => -a, not: (a) => !a,
};

/**
 * The value of a node; undefined where the result has no such output or entry.
 * @param {Node} node
 * @param {LookUp} lookUp
 * @returns {any}
 */
function value(node, lookUp) {
  if (node.op === "constant") return node.value;
  if (node.op === "name") return lookUp(node.name);
  if (node.op === "and") return Boolean(value(node.of[0], lookUp)) && Boolean(value(node.of[1], lookUp));
  if (node.op === "or") return Boolean(value(node.of[0], lookUp)) || Boolean(value(node.of[1], lookUp));
  const of = node.of.map((part) => value(part, lookUp));
  if (of.includes(undefined)) return undefined;
  if (node.op === "member") return typeof of[0] === "function" ? of[0](node.name) : undefined;
  if (node.op === "entry") return of[0] instanceof Grid ? of[0].at(of[1]) : undefined;
  if (node.op === "call") return functions[node.name](...of);
  return operators[node.op](...of);
}

/**
 * Throws, with a sentence without its full stop, where the text is no expression.
 * @param {string} source
 */
export function parse(source) {
  const reader = new Reader(source), node = reader.or();
  if (reader.next) throw new Error(`“${source}” goes on after its end`);
  return node;
}

/**
 * Names that an expression reads from outside, with what follows the dot: [["explained_first3"], ["rest", "turns"]].
 * @param {Node} node
 * @returns {string[][]}
 */
export function namesIn(node) {
  if (node.op === "name") return [[node.name]];
  if (node.op === "member" && node.of[0].op === "name") return [[node.of[0].name, node.name]];
  return node.of.flatMap(namesIn);
}

/**
 * The value of an expression's text; undefined if something in it is not there yet.
 * @param {string} source
 * @param {LookUp} lookUp
 */
export function evaluate(source, lookUp) {
  try {
    return value(parse(source), lookUp);
  } catch {
    return undefined;
  }
}
