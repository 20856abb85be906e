// Two results side by side: the page's and the native program's.
import assert from "node:assert/strict";

/** A number as the documents write it: "nan", "inf" and "-inf" are text there. */
export const numeric = (value) => (value === "nan" ? NaN : value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);

/** Where two number lists differ most: {index, apart}; NaN equals NaN. */
export function farthest(a, b) {
  let worst = { index: -1, apart: 0 };
  for (let i = 0; i < Math.max(a.length, b.length); ++i) {
    const x = numeric(a[i]), y = numeric(b[i]);
    if (Object.is(x, y) || x === y) continue;
    const apart = Math.abs(x - y);
    if (!(apart <= worst.apart)) worst = { index: i, apart: Number.isNaN(apart) ? Infinity : apart };
  }
  return worst;
}

/** Whether a number rests on functions of the C library. */
const ofLibrary = (name) => name === "turns" || name.startsWith("walk_");

/**
 * Scalars, arrays, shapes, parameters, claims and words must agree; numbers to within `tolerance` (0: to the last bit).
 * Turns are an angle, random walks are drawn with sines and logarithms: these may differ in the last bit on two machines.
 */
export function assertSameResult(here, native, { tolerance = 0, turns = 1e-12, label = "" } = {}) {
  assert.equal(here.study, native.study);
  assert.equal(here.complete, true, `${label}: the exact result`);
  assert.deepEqual(here.params, native.params, `${label}: parameters`);
  assert.deepEqual(here.provenance.tensors, native.provenance.tensors, `${label}: hashes of what was read`);
  assert.deepEqual(here.notes, native.notes, `${label}: notes`);

  assert.deepEqual(Object.keys(here.scalars).sort(), Object.keys(native.scalars).sort(), `${label}: scalars`);
  for (const [name, s] of Object.entries(native.scalars)) {
    const found = here.scalars[name];
    const { apart } = farthest([found.value], [s.value]);
    const allowed = ofLibrary(name) ? Math.max(turns, tolerance) : tolerance;
    assert.ok(apart <= allowed, `${label}: ${name} is ${found.value} here and ${s.value} natively`);
    assert.equal(found.unit, s.unit);
    assert.equal(found.note, s.note);
  }
  assert.deepEqual(Object.keys(here.arrays).sort(), Object.keys(native.arrays).sort(), `${label}: arrays`);
  for (const [name, array] of Object.entries(native.arrays)) {
    const found = here.arrays[name];
    assert.deepEqual(found.shape, array.shape, `${label}: shape of ${name}`);
    assert.deepEqual(found.axes, array.axes);
    assert.equal(found.data.length, array.data.length);
    const { index, apart } = farthest(found.data, array.data);
    const allowed = ofLibrary(name) ? Math.max(turns, tolerance) : tolerance;
    assert.ok(apart <= allowed, `${label}: ${name}[${index}] is ${found.data[index]} here and ${array.data[index]} natively`);
  }
  assert.deepEqual(here.claims.map(verdict), native.claims.map(verdict), `${label}: claims`);
  here.claims.forEach((claim, i) => {
    const { apart } = farthest([claim.here], [native.claims[i].here]);
    assert.ok(apart <= Math.max(turns, tolerance), `${label}: claim ${claim.id}`);
  });
}

const verdict = ({ id, stated, holds }) => ({ id, stated, holds });
