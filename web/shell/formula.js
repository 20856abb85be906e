// Typesets a study's formula, one line of text, as MathML: it can be read by screen readers and copied as text, and needs no
// font of its own. Text that cannot be parsed as a formula stays text.
//
//   "A = softmax(q·kᵀ / √d_head)"    subscripts ₀ᵢ or _head, superscripts ²ᵀ or ^(…), fractions /, roots √, sums Σ

const ns = "http://www.w3.org/1998/Math/MathML";
const subscripts = { "₀": "0", "₁": "1", "₂": "2", "₃": "3", "₄": "4", "₅": "5", "₆": "6", "₇": "7", "₈": "8", "₉": "9", "ᵢ": "i", "ⱼ": "j", "ₖ": "k" };
const superscripts = { "²": "2", "³": "3", "ᵀ": "T" };
const relations = new Set("=≈∝<>≤≥∈→".split(""));
const sums = new Set("+−-±".split(""));
const closing = { "(": ")", "[": "]" };

const pattern = /\s*(?:(?<number>\d[\d,]*(?:\.\d+)?(?:\u202f?\s?%)?)|(?<word>[A-Za-z]{2,}(?:-[A-Za-z]+)*(?:_[A-Za-z0-9]+)?|[A-Za-zα-ωΑ-Ω∞](?:_[A-Za-z0-9]+)?)|(?<sign>[₀-₉ᵢⱼₖ]+|[²³ᵀ]+|\S))/uy;

function tokensOf(text) {
  const tokens = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < text.trimEnd().length) {
    const spaced = /\s/.test(text[pattern.lastIndex] ?? "");
    const { number, word, sign } = pattern.exec(text).groups;
    tokens.push({ kind: number ? "number" : word ? "word" : "sign", text: number ?? word ?? sign, spaced });
  }
  return tokens;
}

function node(name, ...children) {
  const made = document.createElementNS(ns, name);
  made.append(...children);
  return made;
}
const row = (parts) => (parts.length === 1 ? parts[0] : node("mrow", ...parts));
const space = () => {
  const made = node("mspace");
  made.setAttribute("width", "0.28em");
  return made;
};
const isLong = (part) => (part.localName === "mi" || part.localName === "mtext") && part.textContent.length > 1;

/** A recursive-descent parser: each method consumes its tokens from left to right. */
class Reader {
  constructor(tokens) {
    this.tokens = tokens;
    this.at = 0;
  }

  get next() { return this.tokens[this.at]; }
  is(text) { return this.next?.text === text; }
  take() { return this.tokens[this.at++]; }

  /** Everything up to a closing bracket or the end. */
  all(end) {
    const parts = [];
    while (this.next && !this.is(end)) {
      const { text } = this.next;
      if (relations.has(text) || sums.has(text) || text === "," || text === ";") {
        this.take();
        parts.push(node("mo", text === "-" ? "−" : text));
        if (text === "," && this.next?.spaced) parts.push(space());
      } else {
        parts.push(...this.fraction());
      }
    }
    return parts;
  }

  fraction() {
    let parts = this.product();
    while (this.is("/")) {
      this.take();
      parts = [node("mfrac", bare(parts), bare(this.product()))];
    }
    return parts;
  }

  /** Factors beside each other; words keep their spaces. */
  product() {
    const parts = [];
    while (this.next && !this.ends()) {
      if (this.is("·")) {
        parts.push(node("mo", this.take().text));
        continue;
      }
      const spaced = this.next.spaced;
      const factor = this.factor();
      const last = parts.at(-1);
      if (spaced && last && (isLong(last) || isLong(factor))) parts.push(space());
      parts.push(factor);
    }
    if (parts.length === 0) throw new Error("nothing where a factor belongs");
    return parts;
  }

  ends() {
    const { text } = this.next;
    return relations.has(text) || sums.has(text) || [",", ";", "/", ")", "]"].includes(text);
  }

  /** A symbol, a bracket or a call, with its subscript and superscript. */
  factor() {
    let base = this.primary();
    for (;;) {
      const sign = this.next?.text ?? "";
      if (sign[0] in subscripts) base = node("msub", base, row([...this.take().text].map((c) => symbol(subscripts[c]))));
      else if (sign[0] in superscripts) base = node("msup", base, row([...this.take().text].map((c) => symbol(superscripts[c]))));
      else if (sign === "^") {
        this.take();
        base = node("msup", base, bare([this.primary()]));
      } else if ((sign === "(" || sign === "[") && !this.next.spaced) base = row([base, this.bracket()]);
      else return base;
    }
  }

  primary() {
    const token = this.take();
    if (!token) throw new Error("the formula ends too early");
    if (token.kind === "number") return node("mn", token.text);
    if (token.kind === "word") return word(token.text);
    if (token.text in closing) {
      --this.at;
      return this.bracket();
    }
    if (token.text === "√") return node("msqrt", bare([this.factor()]));
    return node("mo", token.text);
  }

  bracket() {
    const open = this.take().text, close = closing[open];
    const inside = this.all(close);
    if (!this.is(close)) throw new Error("a bracket is left open");
    this.take();
    const made = node("mrow", node("mo", open), ...inside, node("mo", close));
    made.bracketed = inside;
    return made;
  }
}

const symbol = (text) => node(/\d/.test(text) ? "mn" : "mi", text);

function word(text) {
  if (text === "Σ") return node("mo", text);
  const [base, below] = text.split("_");
  return below === undefined ? node("mi", base) : node("msub", node("mi", base), symbol(below));
}

/** Removes the bracket around a numerator, a denominator, an exponent or the content of a root, where it is redundant. */
const bare = (parts) => (parts.length === 1 && parts[0].bracketed ? row(parts[0].bracketed) : row(parts));

/** One unbroken part; a formula of several parts ("p = …,  q = …") may be broken between them. */
function statement(text) {
  const made = node("math", ...new Reader(tokensOf(text)).all(undefined));
  made.setAttribute("alttext", text);
  return made;
}

/** Math elements with the text between them, or the text itself where it cannot be parsed. */
export function formula(text) {
  try {
    return text.split(/(?<=,) {2}/).flatMap((part, i) => (i ? [" ", statement(part)] : [statement(part)]));
  } catch {
    return [text];
  }
}
