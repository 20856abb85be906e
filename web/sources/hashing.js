// SHA-256. Browsers compute it before they return from the call, about 2 ms a megabyte, and the page is blocked meanwhile. So
// large files are hashed on a worker thread.
import { addressOf } from "../start/files.js";
import { Calls } from "./calls.js";

export const much = 16e6; // bytes; the bundled model has less, and a first visit has no time for another thread
let hashed = 0; // bytes, here
let asked = false;
/** @type {Calls<HashQuestion, HashAnswer> | null} */
let worker = null; // set once the worker has answered

export const canHash = Boolean(globalThis.crypto?.subtle); // only in a secure context (https or this machine)

export const hexadecimal = (/** @type {ArrayBuffer} */ hash) => Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * SHA-256 as hexadecimal digits; "" where the browser computes none.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
export async function sha256(bytes) {
  if (!canHash) return "";
  hashed += bytes.byteLength;
  return hexadecimal(await crypto.subtle.digest("SHA-256", bytes));
}

/** Starts the worker; it gets bytes only after it has answered, because it may never start. */
async function start() {
  asked = true;
  try {
    const calls = /** @type {Calls<HashQuestion, HashAnswer>} */ (new Calls(addressOf("sources/hash_worker.js")));
    await calls.ask({});
    worker = calls;
  } catch {
    // the page goes on hashing by itself
  }
}

/**
 * {bytes, sha256} of bytes that are not used elsewhere: they may be transferred, and come back in another array. `bytes` is null
 * if the worker died with them; the page hashes by itself from then on.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<HashedBytes>}
 */
export async function hashedBytes(bytes) {
  if (canHash && !asked && hashed > much) start();
  if (!worker || !canHash || bytes.byteLength < bytes.buffer.byteLength) return { bytes, sha256: await sha256(bytes) };
  const back = await worker.ask({ bytes }, [bytes.buffer]).catch(() => null);
  if (!back?.bytes) {
    worker = null;
    return { bytes: null, sha256: "" };
  }
  return { bytes: back.bytes, sha256: back.hash ? hexadecimal(back.hash) : await sha256(back.bytes) };
}
