// The figure's place in the page. A frame is drawn after each change, and a few more after input; an idle page draws
// none. Where the canvas cannot draw, an SVG of the figure lies below the canvas, which still takes the input.
import { trustedDrawing } from "../start/trusted.js";
import { $ } from "./dom.js";
import { enlarged } from "./surroundings.js";
import { applyTheme, onSystemTheme, tokens } from "./theme.js";

const framesKept = 600;
const progressEvery = 100; // milliseconds; rendering takes time from what is loading
const smallest = 0.6; // of the enlargement of presenter's mode, where a figure needs more room than it leaves
const slack = 64; // CSS pixels by which a figure may miss the height it has without the page moving

export class Stage {
  /** CSS pixels for a pixel of the drawing: presenter's mode enlarges text, lines and points alike. */
  scale = 1;
  /** Milliseconds of the last frames, for the bench. */
  /** @type {number[]} */
  frameTimes = [];
  #canvas = $("canvas");
  #box = $("stage");
  #svg = $("svg-figure");
  /** @type {Ui} */
  #ui;
  #opened = false;
  #requested = false; // an animation frame
  #framesDue = 0;
  #changed = true; // the shell must be rendered again
  #measured = { study: "", width: 0, height: 0 }; // what the stage's height was computed for
  #asSvg = false;
  #inSight = true;
  #progress = 0; // a timer
  #svgText = "";

  /**
   * `render(snapshot)` renders the shell; `drawn()` is called after each frame.
   * @param {Ui} ui
   * @param {{render: (snapshot: Snapshot) => void, drawn: () => void}} calls
   */
  constructor(ui, { render, drawn }) {
    this.#ui = ui;
    this.renderShell = render;
    this.drawn = drawn;
  }

  /** Whether the shell is out of date. */
  get stale() {
    return this.#changed && this.#opened && !document.hidden;
  }

  /** Marks the shell as out of date. */
  changed() {
    this.#changed = true;
    this.schedule();
  }

  /** A download or a run has come further: only the shell is rendered, a few times a second. */
  progressed() {
    this.#progress ||= setTimeout(() => {
      this.#progress = 0;
      this.#changed = true;
      this.schedule(0);
    }, progressEvery);
  }

  /** The figure is being turned: the shell, which shows nothing of that but the link, is rendered a few times a second. */
  turned() {
    this.schedule();
    this.progressed();
  }

  schedule(frames = 1) {
    this.#framesDue = Math.max(this.#framesDue, frames);
    if (this.#requested || !this.#opened || document.hidden) return;
    this.#requested = true;
    requestAnimationFrame((now) => this.#frame(now));
  }

  #frame(/** @type {number} */ now) {
    this.#requested = false;
    const start = performance.now(), drawing = this.#framesDue > 0;
    const moving = drawing && this.#draw(now);
    if (this.#changed) this.render();
    if (drawing) {
      this.frameTimes.push(performance.now() - start);
      if (this.frameTimes.length > framesKept) this.frameTimes.shift();
      this.drawn();
    }
    if ((moving && this.#inSight) || this.#framesDue > 0) this.schedule();
    else if (this.#changed) this.schedule(0);
  }

  /** Whether something moves by itself. */
  #draw(/** @type {number} */ now) {
    --this.#framesDue;
    const moving = this.#ui.frame(now);
    if (this.#asSvg) this.#showSvg();
    return moving;
  }

  render() {
    this.#changed = false;
    const snapshot = this.#ui.snapshot();
    if (this.#opened && this.#needsHeight(snapshot.state.study)) this.#resize();
    this.#measured.study = snapshot.state.study;
    this.renderShell(snapshot);
  }

  /** Opens the canvas at the size that the rendered shell leaves. `settle()` is awaited between opening and the first frame. */
  async open(/** @type {() => Promise<unknown>} */ settle) {
    this.#holdSize();
    this.#ui.theme(tokens()); // the figure's height depends on the font's size
    const drawn = this.#ui.openCanvas(...this.#fit());
    await settle();
    this.#opened = true;
    this.#drawAsSvg(!drawn);
    this.giveTheme();
    this.#resize();
    new ResizeObserver(() => this.#resize()).observe(this.#box);
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.#inSight = isIntersecting;
      if (isIntersecting) this.schedule();
    }).observe(this.#box);
  }

  /** Handles the events of a long-lived page: the WebGL context is lost, another tab is in front. */
  follow() {
    this.#canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault(); // otherwise the browser does not restore it
      this.#ui.contextLost();
      this.#drawAsSvg(true);
    });
    this.#canvas.addEventListener("webglcontextrestored", () => this.#drawAsSvg(!this.#ui.contextRestored()));
    document.addEventListener("visibilitychange", () => this.schedule(2));
    addEventListener("pageshow", () => this.schedule(2));
    onSystemTheme(() => {
      applyTheme(this.#ui.snapshot().state.theme);
      this.giveTheme();
    });
  }

  /** Where the page's style has not arrived, the canvas would set the size of its box, and the box that of the canvas. */
  #holdSize() {
    if (getComputedStyle(this.#canvas).position === "absolute") return;
    Object.assign(this.#box.style, { position: "relative", height: "var(--figure-height)" });
    Object.assign(this.#canvas.style, { position: "absolute", inset: "0", width: "100%", height: "100%" });
  }

  giveTheme() {
    this.#ui.theme(tokens());
    if (this.#opened) this.#resize(); // the height depends on the font size
    this.schedule(2);
  }

  /**
   * Calls `draw` while the figure has the colours of paper, whatever the theme, and its usual size of letters.
   * @template T
   * @param {() => T} draw
   * @returns {T}
   */
  onPaper(draw) {
    const { dataset } = document.documentElement, { theme } = dataset;
    dataset.theme = "light";
    this.#ui.theme({ ...tokens(), font: 12, bg: 0xffffff });
    try {
      return draw();
    } finally {
      dataset.theme = theme;
      this.giveTheme();
    }
  }

  async useFonts(/** @type {Promise<ArrayBuffer[]>} */ reading) {
    const [regular, strong] = await reading;
    this.#ui.addFont(regular, false);
    this.#ui.addFont(strong, true);
    await document.fonts.ready;
    this.#changed = true; // the widths of texts have changed
    this.schedule(2);
  }

  /** Whether the figure has changed, or needs much more or less room. */
  #needsHeight(/** @type {string} */ study) {
    const { study: before, width, height } = this.#measured;
    return study !== before || Math.abs(this.#ui.preferredHeight(width) - height) > slack;
  }

  /** Gives the stage the height that the figure wants, where the page's style asks for that; [width, height] in CSS pixels. @returns {[number, number]} */
  #fit() {
    this.scale = this.#chooseScale();
    const width = this.#box.clientWidth / this.scale;
    const height = this.#ui.preferredHeight(width);
    Object.assign(this.#measured, { width, height });
    document.documentElement.style.setProperty("--figure-least", `${Math.round(this.#ui.leastHeight(width) * this.scale)}px`); // for what is around it
    this.#box.style.setProperty("--figure-height", `${Math.round(height * this.scale)}px`);
    return [width, this.#box.clientHeight / this.scale];
  }

  /** The page's enlargement, or less where the figure would then not fit. */
  #chooseScale() {
    const wanted = enlarged(), { clientWidth, clientHeight } = this.#box;
    if (wanted === 1) return 1;
    const least = wanted * smallest;
    let scale = wanted;
    while (scale > least && this.#ui.leastHeight(clientWidth / scale) * scale > clientHeight) scale *= 0.95;
    return scale;
  }

  #resize() {
    if (!this.#box.clientWidth) return; // out of sight, as while another page is printed
    const [width, height] = this.#fit(), density = (devicePixelRatio || 1) * this.scale, canvas = this.#canvas;
    const pixels = [Math.round(width * density), Math.round(height * density)];
    // Setting the size clears the canvas, even where it stays the same.
    if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels;
    this.#ui.resize(width, height, density);
    this.#changed = true; // elements over the canvas move with it
    this.schedule(2);
  }

  #showSvg() {
    const text = this.#ui.svg(this.#box.clientWidth / this.scale, this.#box.clientHeight / this.scale, false);
    if (text === this.#svgText) return; // comparing costs less than parsing it again
    this.#svgText = text;
    this.#svg.innerHTML = trustedDrawing(text);
  }

  #drawAsSvg(/** @type {boolean} */ yes) {
    this.#asSvg = yes;
    this.#svg.hidden = !yes;
    this.#box.classList.toggle("as-svg", yes);
    this.#svgText = "";
    if (!yes) this.#svg.replaceChildren();
    this.schedule(2);
  }
}
