// What the page asks of ui.wasm. Ambient, like page.d.ts. tests/types_test.py compares the names with src/app/actions.cpp.

/** An action, named by `do` (src/app/actions.cpp). With `dragging`, the change is a part of the step that follows. */
type Action =
  | { do: "open"; link: string }
  | { do: "models"; models: ListedModel[]; choose?: string }
  | { do: "add_model"; model: ListedModel }
  | { do: "refuse_model"; name: string; sentence: string }
  | { do: "model"; name: string }
  | { do: "config"; model: string; config: string }
  | { do: "study"; id: string }
  | { do: "preset"; id: string }
  | { do: "claim"; id: string }
  | { do: "compare"; mode: Comparison; against?: string }
  | { do: "go"; fragment: string }
  | { do: "lesson"; at: string; fragment?: string }
  | { do: "set"; values: Record<string, string>; dragging?: boolean }
  | { do: "prompt"; text: string; dragging?: boolean }
  | { do: "tokens"; ids: number[]; dragging?: boolean }
  | { do: "bos"; on: boolean }
  | { do: "keep_last"; on: boolean }
  | { do: "predict" }
  | { do: "shift"; by: number; dragging?: boolean }
  | { do: "edits"; list: { spec: string; on?: boolean }[]; dragging?: boolean }
  | { do: "precision"; to: Precision }
  | ({ do: "view" } & ViewChange)
  | { do: "theme"; theme: Theme }
  | { do: "present"; on: boolean }
  | { do: "reset" }
  | { do: "undo" }
  | { do: "redo" }
  | { do: "retry" }
  | { do: "stop" }
  | { do: "dismiss" }
  | { do: "dismiss_failure" }
  | { do: "notice"; sentence: string }
  | { do: "restarted" }
  | { do: "engine_failed"; sentence: string };
type Dispatch = (action: Action) => void;

/** The parts of the view that change; the others stay. `windows`: null shows all of an axis. `focus`: an index below 0 means none. */
interface ViewChange {
  axes?: number[]; map?: ColourMap; reset_camera?: boolean; windows?: Record<string, [number, number] | null>; focus?: Record<string, number>; locked?: boolean;
  dragging?: boolean;
}

type Comparison = "none" | "beside" | "difference" | "other";
type Precision = "f32" | "q8";
type ColourMap = "viridis" | "cividis" | "jet";
type Theme = "system" | "dark" | "light";

/** A model as the module lists it (src/app/model_entry.h): `files` beside the weights; `far`: they are on another host. */
interface ListedModel {
  name: string; bytes: number; precision?: string; sha256?: string; config?: string; missing: string[]; files: string[]; far: boolean;
}
