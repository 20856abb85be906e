// The small language in which lessons name numbers: outputs of a result, arithmetic, comparisons. The page's policy forbids
// running text as a script, and a lesson may compute nothing that its result does not hold.
//
//   previous_by_head[4][2] = max(previous_by_head)      rest.turns - turns > 0.5 and not (first = 1)

const pattern = /\s*(?:(?<number>\d+(?:\.\d+)?(?:e-?\d+)?)|(?<name>[A-Za-z_][A-Za-z_0-9]*)|"(?<text>[^"]*)"|(?<sign>!=|<=|>=|[-+*/=<>()[\],.]))/uy;
const words = new Set(["and", "or", "not"]);
const comparisons = new Set(["=", "!=", "<", "<=", ">", ">="]);

/**
 * A part of an expression: its operation, the parts it acts on, and a name ("" where it has none) or a value.
 * @typedef {{op: string, of: Node[], name: string, value?: number | string}} Node
 * @typedef {{kind: "number" | "text" | "name" | "sign", value: number | string, at: number}} Token
 * @typedef {(name: string) => LessonValue} LookUp the value of a name, or undefined
 */

/** @param {string} op @param {Node[]} of @returns {Node} */
const node = (op, of, name = "") => ({ op, of, name });

/** @param {string} source */
function tokensOf(source) {
  /** @type {Token[]} */
  const tokens = [];
  const whole = source.trimEnd();
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

  /** @returns {Token | undefined} */
  get next() { return this.#tokens[this.#at]; }
  is(/** @type {string} */ sign) { return this.next?.kind === "sign" && this.next.value === sign; }
  /** @returns {Token | undefined} */
  take() { return this.#tokens[this.#at++]; }

  /** Takes this sign. */
  expect(/** @type {string} */ sign) {
    if (!this.is(sign)) throw new Error(`“${this.source}” lacks a “${sign}”`);
    this.take();
  }

  /** Takes one of these signs where it comes next; "" where none does. */
  one(/** @type {Iterable<string>} */ signs) {
    const sign = [...signs].find((each) => this.is(each)) ?? "";
    if (sign) this.take();
    return sign;
  }

  /**
   * Left-associative: operands of `operand` with one of `signs` between them.
   * @param {string[]} signs
   * @param {() => Node} operand
   * @returns {Node}
   */
  chain(signs, operand) {
    let left = operand();
    for (let sign = this.one(signs); sign; sign = this.one(signs)) left = node(sign, [left, operand()]);
    return left;
  }

  or() { return this.chain(["or"], () => this.and()); }
  and() { return this.chain(["and"], () => this.not()); }

  /** @returns {Node} */
  not() {
    return this.one(["not"]) ? node("not", [this.not()]) : this.comparison();
  }

  comparison() {
    const left = this.sum(), sign = this.one(comparisons);
    return sign ? node(sign, [left, this.sum()]) : left;
  }

  sum() { return this.chain(["+", "-"], () => this.product()); }
  product() { return this.chain(["*", "/"], () => this.signed()); }

  /** @returns {Node} */
  signed() {
    return this.one(["-"]) ? node("negative", [this.signed()]) : this.postfix();
  }

  /** @returns {Node} */
  postfix() {
    let base = this.primary();
    for (;;) {
      if (this.one(["."])) {
        const name = this.take();
        if (name?.kind !== "name") throw new Error(`“${this.source}” has no name after a dot`);
        base = node("member", [base], String(name.value));
      } else if (this.one(["["])) {
        base = node("entry", [base, this.or()]);
        this.expect("]");
      } else return base;
    }
  }

  /** @returns {Node} */
  primary() {
    const token = this.take();
    if (!token) throw new Error(`“${this.source}” ends too early`);
    if (token.kind === "number" || token.kind === "text") return { ...node("constant", []), value: token.value };
    if (token.kind === "name") return this.is("(") ? this.call(String(token.value)) : node("name", [], String(token.value));
    if (token.value !== "(") throw new Error(`“${this.source}” has a “${token.value}” where a value belongs`);
    const inside = this.or();
    this.expect(")");
    return inside;
  }

  /** @param {string} name @returns {Node} */
  call(name) {
    if (!Object.hasOwn(functions, name)) throw new Error(`“${this.source}” calls ${name}, which does not exist`);
    this.expect("(");
    const of = [this.or()];
    while (this.one([","])) of.push(this.or());
    this.expect(")");
    return node("call", of, name);
  }
}

/** An array of a result: its numbers or texts, row by row, with their shape. Entries of the first axis count from `first`. */
export class Grid {
  /** @param {string[] | number[] | Float64Array | Float32Array} data @param {number[]} shape */
  constructor(data, shape, first = 0) {
    this.data = data;
    this.shape = shape;
    this.first = first;
  }

  /**
   * A number or a text, or the part of the array at this entry of its first axis; undefined: there is no such entry.
   * @param {number} index
   * @returns {number | string | Grid | undefined}
   */
  at(index) {
    const i = Math.round(index) - this.first, [count, ...rest] = this.shape;
    if (!(i >= 0 && i < count)) return undefined;
    if (!rest.length) return this.data[i];
    const size = rest.reduce((a, b) => a * b, 1);
    return new Grid(this.data.slice(i * size, (i + 1) * size), rest);
  }
}

/** The value as a number; NaN where it is none. */
export const asNumber = (/** @type {LessonValue} */ value) => (typeof value === "number" ? value : NaN);

const gridOf = (/** @type {LessonValue} */ value) => {
  if (!(value instanceof Grid)) throw new Error("that is not a list of numbers");
  return value;
};
const allNumbers = (/** @type {LessonValue} */ value) => /** @type {number[]} */ ([...gridOf(value).data]);
const numbersIn = (/** @type {LessonValue} */ value) => allNumbers(value).filter((n) => !Number.isNaN(n));
/** The place of the best number: an entry of a list; in a matrix, its number counted row by row. */
const placeOf = (/** @type {LessonValue} */ value, /** @type {(a: number, b: number) => boolean} */ better) => {
  const grid = gridOf(value), numbers = allNumbers(grid);
  let place = -1;
  numbers.forEach((number, i) => { if (!Number.isNaN(number) && (place < 0 || better(number, numbers[place]))) place = i; });
  return place < 0 ? undefined : place + (grid.shape.length === 1 ? grid.first : 0);
};

/**
 * What an expression may call. A range has both its ends.
 * @type {Record<string, (...of: LessonValue[]) => LessonValue>}
 */
export const functions = {
  max: (grid) => Math.max(...numbersIn(grid)),
  min: (grid) => Math.min(...numbersIn(grid)),
  mean: (grid) => numbersIn(grid).reduce((a, b) => a + b, 0) / numbersIn(grid).length,
  sum: (grid) => numbersIn(grid).reduce((a, b) => a + b, 0),
  argmax: (grid) => placeOf(grid, (a, b) => a > b),
  argmin: (grid) => placeOf(grid, (a, b) => a < b),
  count: (grid) => gridOf(grid).shape[0],
  range(value, from, to) {
    const grid = gridOf(value), first = asNumber(from), last = asNumber(to);
    return new Grid(grid.data.slice(first - grid.first, last - grid.first + 1), [last - first + 1], first);
  },
  near: (a, b, tolerance) => Math.abs(asNumber(a) - asNumber(b)) <= asNumber(tolerance),
  abs: (number) => Math.abs(asNumber(number)),
  round: (number) => Math.round(asNumber(number)),
  floor: (number) => Math.floor(asNumber(number)),
};

/** @type {Record<string, (a: number, b: number) => LessonValue>} */
const operators = {
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b,
  "=": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b,
  negative: (a) => -a, not: (a) => !a,
};

/**
 * The value of a node; undefined where the result has no such output or entry.
 * @param {Node} node
 * @param {LookUp} lookUp
 * @returns {LessonValue}
 */
function valueOf({ op, of: parts, name, value: constant }, lookUp) {
  if (op === "constant") return constant;
  if (op === "name") return lookUp(name);
  const of = parts.map((part) => valueOf(part, lookUp));
  if (op === "and" || op === "or") { // one side decides, or both have to be known
    const decides = op === "or", sides = of.map((value) => (value === undefined ? undefined : Boolean(value)));
    return sides.includes(decides) ? decides : sides.includes(undefined) ? undefined : !decides;
  }
  if (of.includes(undefined)) return undefined;
  if (op === "member") return typeof of[0] === "function" ? of[0](name) : undefined;
  if (op === "entry") return of[0] instanceof Grid ? of[0].at(asNumber(of[1])) : undefined;
  if (op === "call") return functions[name](...of);
  const [a, b] = /** @type {number[]} */ (of); // or other values, which compare as JavaScript compares them
  return operators[op](a, b);
}

/**
 * Throws, with a sentence without its full stop, where the text is no expression.
 * @param {string} source
 */
export function parse(source) {
  const reader = new Reader(source), whole = reader.or();
  if (reader.next) throw new Error(`“${source}” goes on after its end`);
  return whole;
}

/**
 * Names that an expression reads from outside, with what follows the dot: [["explained_first3"], ["rest", "turns"]].
 * @param {Node} node
 * @returns {string[][]}
 */
export function namesIn({ op, of, name }) {
  if (op === "name") return [[name]];
  if (op === "member" && of[0].op === "name") return [[of[0].name, name]];
  return of.flatMap(namesIn);
}

/**
 * The value of an expression's text; undefined if something in it is not there yet.
 * @param {string} source
 * @param {LookUp} lookUp
 */
export function evaluate(source, lookUp) {
  try {
    return valueOf(parse(source), lookUp);
  } catch {
    return undefined;
  }
}
