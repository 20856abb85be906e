// SHA-256. Browsers compute it before they return from the call, some 2 ms a megabyte during which the page stands still: so
// whoever hashes much gets a thread for it.
import { Calls } from "./calls.js";

export const much = 16e6; // bytes; the bundled model has less, and a first visit has no time for another thread
let hashed = 0; // bytes, here
let asked = false;
let worker = null; // once it has answered

export const canHash = Boolean(globalThis.crypto?.subtle); // only a secure page (https, this machine) may

export const hexadecimal = (hash) => Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** SHA-256 as hexadecimal digits; "" where the browser computes none. */
export async function sha256(bytes) {
  if (!canHash) return "";
  hashed += bytes.byteLength;
  return hexadecimal(await crypto.subtle.digest("SHA-256", bytes));
}

/** Nothing is handed to a worker that may never start. */
async function start() {
  asked = true;
  try {
    const calls = new Calls(new URL("../sources/hash_worker.js", import.meta.url));
    await calls.ask({});
    worker = calls;
  } catch {
    // then the page hashes itself, as before
  }
}

/**
 * {bytes, sha256} of bytes that nobody else uses: they may travel, and come back in another array. `bytes` is null where the
 * worker died with them; the page hashes itself from then on.
 */
export async function hashedBytes(bytes) {
  if (canHash && !asked && hashed > much) start();
  if (!worker || !canHash || bytes.byteLength < bytes.buffer.byteLength) return { bytes, sha256: await sha256(bytes) };
  const back = await worker.ask({ bytes }, [bytes.buffer]).catch(() => null);
  if (!back) {
    worker = null;
    return { bytes: null, sha256: "" };
  }
  return { bytes: back.bytes, sha256: back.hash ? hexadecimal(back.hash) : await sha256(back.bytes) };
}
