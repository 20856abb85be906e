// The script interface of the page (web/start/api.js). Ambient, like page.d.ts. docs/api.md describes it; tests/types_test.py compares the names.

/** `window.helixscope`: for tests, scripts and embedding pages. */
interface Helixscope {
  /** Fulfilled when the first result has arrived and is drawn. */
  ready: Promise<void>;
  /** Fulfilled when the newest result is drawn. */
  settled(): Promise<void>;
  state(): PageState;
  /** Opens a view, by a link with or without "#". */
  open(link: string): void;
  /** The newest result of a study, or null; "against": of the state it is compared with. */
  result(study: string, options?: { arrays?: boolean }): ResultHeader | null;
  engine(): EngineKind & { restarts: number; memory: number };
  /** Measures the engine on the open model: {prefill: "16,64", decode: "32", repeats: "3"} as for `helixscope bench`. */
  bench(params?: Record<string, string>, precision?: Precision): Promise<ResultHeader>;
  /** CSS pixels in the viewport: "figure", "figure.<panel>", "row.<position>"; null when there is no such thing now. */
  rect(id: string): DOMRect | null;
  /** Whether a result, or an entry of the history, is still awaited. */
  busy(): boolean;
  /** Milliseconds of CPU time of the page for the last frames. */
  frameTimes(): number[];
  /** The value of a lesson's expression, for the tests; there once a lesson was opened. */
  lesson?(expression: string): LessonValue;
}
