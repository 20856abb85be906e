"""Packs in q8 read without the program: their bytes with numpy, as docs/packs.md describes, and their predictions."""

import json
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None
else:
    from forward_test import helixscope
    from gpt2_reference import Reference, random_checkpoint, write_checkpoint

# layers, width, heads, context, vocabulary, tied, spread
SHAPES = {"odd width": (2, 35, 5, 40, 61, True, 0.3), "more than a group": (2, 130, 2, 16, 90, False, 0.1), "a group": (1, 64, 4, 16, 70, True, 0.2)}
LOGITS = 0.03  # relative to the largest: the error of rounding the rows of products; the weights are the same


def read_pack(folder):
    """All tensors of a pack in q8 as float32, by name."""
    manifest = json.loads((folder / "manifest.json").read_text())
    whole = b"".join((folder / shard["file"]).read_bytes() for shard in manifest["shards"])
    begin = 8 + int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8:begin])
    kinds = {"F32": "<f4", "F16": "<f2", "I8": "i1"}
    raw = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, end = entry["data_offsets"]
            raw[name] = np.frombuffer(whole[begin + first : begin + end], kinds[entry["dtype"]]).reshape(entry["shape"])
    return manifest, header, raw


def dequantised(raw):
    out = {}
    for name, numbers in raw.items():
        if name + ".scales" in raw:
            axis = 0 if name.startswith("h.") else 1
            scales = np.repeat(raw[name + ".scales"], 64, axis)[: numbers.shape[0], : numbers.shape[1]]
            out[name] = numbers.astype(np.float32) * scales
        elif not name.endswith(".scales"):
            out[name] = numbers.astype(np.float32)
    return out


@unittest.skipIf(np is None, "numpy is not installed")
class Q8Packs(unittest.TestCase):
    def check_shape(self, layers, width, heads, context, vocabulary, tied, spread):
        tensors, config = random_checkpoint(layers, width, heads, context, vocabulary, spread=spread, tied=tied)
        tokens = [(i * 7919 + 3) % vocabulary for i in range(context)]
        with tempfile.TemporaryDirectory() as place:
            model, pack = write_checkpoint(Path(place) / "model", tensors, config), Path(place) / "pack"
            helixscope("pack", "--model", model, "--out", pack, "--precision", "q8")
            manifest, header, raw = read_pack(pack)
            self.check_storage(manifest, header, raw, tensors)
            here = dequantised(raw)
            self.check_numbers(here, raw, tensors)
            helixscope("logits", "--model", pack, "--tokens", ",".join(map(str, tokens)), "--npy", f"{place}/logits.npy")
            _, there = Reference(here, heads).run(tokens)
            self.assertLessEqual(np.abs(np.load(f"{place}/logits.npy") - there).max(), LOGITS * np.abs(there).max())

    def check_storage(self, manifest, header, raw, tensors):
        integers = {name for name, entry in header.items() if entry.get("dtype") == "I8"}
        self.assertEqual(integers, set(manifest["quantised"]["tensors"]))
        self.assertEqual(integers, {name for name in tensors if name in ("wte.weight", "lm_head.weight") or ".c_" in name and name.endswith("weight")})
        self.assertEqual(header["__metadata__"]["q8_group"], str(manifest["quantised"]["group"]))
        self.assertEqual({name for name in raw if not name.endswith(".scales")}, set(tensors))

    def check_numbers(self, here, raw, tensors):
        for name, exact in tensors.items():
            if name + ".scales" not in raw:
                np.testing.assert_array_equal(here[name], exact)
                continue
            self.assertGreaterEqual(raw[name].min(), -127)
            axis = 0 if name.startswith("h.") else 1
            scales = np.repeat(raw[name + ".scales"], 64, axis)[: exact.shape[0], : exact.shape[1]]
            self.assertTrue((np.abs(here[name] - exact) <= 0.5001 * scales).all())
            for at in range(0, exact.shape[axis], 64):  # the largest of a group decides its scale
                group = np.abs(np.take(exact, range(at, min(at + 64, exact.shape[axis])), axis))
                np.testing.assert_array_equal(np.take(raw[name + ".scales"], at // 64, axis), (group.max(axis) / np.float32(127)).astype(np.float32))

    def test_shapes(self):
        for name, shape in SHAPES.items():
            with self.subTest(model=name):
                self.check_shape(*shape)


if __name__ == "__main__":
    unittest.main()
