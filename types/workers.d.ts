// What the page and its workers tell each other, and what a worker's global object offers. Ambient, like page.d.ts.

/** The global object of a worker, which tsc takes for a window. */
interface WorkerScope<Message> { postMessage(message: Message, transfer?: Transferable[]): void }

// ---- the engine's worker (web/engine/worker.js)

/** What the page sends: the script, what to start, a message for the engine, or the question whether the worker is alive. */
interface EngineOrder {
  /** Its address, or its text where the page is one file. */
  script?: string | Blob;
  start?: { module: WebAssembly.Module; threads: number; words: string };
  text?: string;
  bytes?: ArrayBuffer | null;
  ping?: boolean;
}

/** What the worker says: what it has put together of the engine's messages, or how it is itself. */
interface WorkerMessage { text?: string; data?: ArrayBuffer | null; memory?: number; idle?: boolean; threads?: number; took?: number; trap?: string }

// ---- workers that answer questions (web/sources/calls.js)

type Numbered<Message> = Message & { id: number };
type CallAnswer<Answer> = Numbered<Partial<Answer>> & { error?: { name: string; message: string } };

/** Without bytes: whether the worker is there. The bytes come back; `hash` is null where memory ran out. */
interface HashQuestion { bytes?: Uint8Array<ArrayBuffer> }
interface HashAnswer { bytes?: Uint8Array<ArrayBuffer>; hash: ArrayBuffer | null }

/** A file in the origin's private file system. */
interface FilePlace { folder: string; key: string; name: string }
/** With bytes, the file is written, and the answer is empty; without, it is read. */
interface FileQuestion extends FilePlace { bytes?: Uint8Array<ArrayBuffer> }
interface FileAnswer { bytes?: Uint8Array<ArrayBuffer>; hash?: ArrayBuffer }

/** In a browser that has it. */
interface FileSystemFileHandle { createSyncAccessHandle(options?: { mode: string }): Promise<SyncAccessHandle> }
interface SyncAccessHandle {
  getSize(): number;
  read(bytes: Uint8Array, options: { at: number }): number;
  write(bytes: Uint8Array, options: { at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}
