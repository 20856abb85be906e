// The shapes of lessons, as the build compiles them (tools/dev/lessons.mjs), and of the modules that show them. Ambient, like page.d.ts.

/** A part of a text: a live number, a formula, or an element with parts of its own. */
interface LessonPart { live?: string; format?: string; go?: string; formula?: string; tag?: keyof HTMLElementTagNameMap; href?: string; of?: LessonText }
type LessonText = (string | LessonPart)[];

/** What is said of every lesson, whether its steps have loaded or not. */
interface LessonEntry { name: string; number: number; title: string; minutes: number; summary: string; steps: number; beside: string[] }

interface Lesson { name: string; number: number; title: string; minutes: number; summary: string; needs: string; sources: string; steps: LessonStep[] }

/**
 * `state`, `show` and `runs` are link fragments, `holds` expressions. A step that has versions differs in them by what is drawn;
 * `versions` has what differs from this, the first, and `version` says which one this is.
 */
interface LessonStep {
  title: string; minutes: number; before: LessonText; after: LessonText; state: string; show?: string; runs?: Record<string, string>; holds?: string[];
  hints?: LessonText[]; teacher?: LessonText; question?: LessonQuestion; drawn?: Record<string, string>; versions?: Partial<LessonStep>[]; version?: number;
}

type LessonQuestion = ChoiceAsked | NumberAsked | PointAsked | CurveAsked;
/** `right` is an expression, as are `answer`, `tolerance`, `picked` and `curve` below. */
interface ChoiceAsked { kind: "choose"; ask: LessonText; options: { label: LessonText; meaning: LessonText; right: string }[] }
interface NumberAsked { kind: "number"; ask: LessonText; answer: string; tolerance: string; factor?: string; unit?: string; low: LessonText; high: LessonText }
interface PointAsked { kind: "point" | "do"; ask: LessonText; picked: string; right: string; said: LessonText; wrong: LessonText }
/** `low` and `high` are the ends of the axis, `given` the index of the value that is shown. */
interface CurveAsked { kind: "sketch"; ask: LessonText; curve: string; tolerance: string; x: string; y: string; low: string; high: string; given: string }

/** What an expression or a part of it may be: a number, a text, an array of a result, or something with named members. */
type LessonValue = number | string | boolean | import("../web/lessons/expression.js").Grid | ((name: string) => LessonValue) | undefined;
/** The value of an expression; undefined where it is not known yet. */
type ValueOf = (expression: string) => LessonValue;

/** What is said of an answer, or why nothing can be said yet. */
type Verdict = { problem: string; right?: undefined; sketched?: undefined; meaning?: undefined; given?: undefined } | { problem?: undefined; right: boolean; meaning: LessonText; given: number; sketched?: boolean };

/** A question on the page. */
interface AskedQuestion {
  element: HTMLElement;
  verdict(valueOf: ValueOf): Verdict;
  update?(valueOf: ValueOf): void;
  reveal?(valueOf: ValueOf): void;
}

type HowAnswered = "" | "right" | "shown";
/** An answer that is handed in: numbers of options, typed numbers or shares. */
interface GivenAnswer { step: number; version: number; first: number | null; last: number | null; tries: number; how: HowAnswered }

/** The open step of a lesson, for presenter's mode. */
interface PresentedStep {
  lesson: Lesson; step: number; shown: boolean; revealed: boolean;
  reveal(): void;
  go(by: number): void;
  write(parts: LessonText): (string | Element)[];
  numbers(): boolean;
}
interface OpenedLessons { presented(): PresentedStep | null }

/** Something that the palette finds. */
interface PaletteEntry { kind: string; label: string; note: string; act(): void }

/** What lessons use of the page. */
interface LessonsPage {
  schemas: Schema[]; dispatch: Dispatch; engine: Engine;
  snapshot(): Snapshot;
  /** Opens the teacher's page. */
  teach(): void;
}

/** What the teacher's page uses of the page. */
interface TeachersPage {
  index: LessonEntry[]; schemas: Schema[]; models: { isBundled(name: string): boolean }; dispatch: Dispatch; engine: Engine;
  snapshot(): Snapshot;
  /** Resolves when nothing is computed or drawn any more. */
  settled(): Promise<void>;
  svg(width: number, height: number): string;
  /** Calls `draw` while the figure has the colours of paper. */
  paper<T>(draw: () => T): T;
  share(): void;
  hideNames(): string[];
  /** The view is in front again. */
  left(): void;
}

/** What the parts of the page that surround the figure use of it. */
interface SurroundedPage {
  schemas: Schema[]; dispatch: Dispatch; links: Ui["links"];
  snapshot(): Snapshot;
  /** Those that have loaded, or null. */
  lessons(): OpenedLessons | null;
  changed(): void;
}
