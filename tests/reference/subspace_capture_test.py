"""subspace_capture against numpy's SVD: random weights, the bundled model, and the attention weights of GPT-2 small."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from forward_test import helixscope
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import read_tensors
    from position_helix_test import real_model
    from subspace_overlap_test import DEFAULTS, directions

CASES = [
    {"k": 10}, {"k": 10, "centre": 1}, {"k": 4, "gain": 1}, {"k": 10, "gain": 1, "centre": 1}, {"matrix": "q", "k": 7}, {"matrix": "k", "k": 7, "gain": 1},
    {"matrix": "v", "head": 1, "k": 5}, {"matrix": "o", "side": "other", "k": 5}, {"matrix": "fc", "layer": 1, "k": 12, "centre": 1}, {"matrix": "wpe", "k": 3},
]  # fmt: skip


def run(folder, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "subspace_capture", "--model", folder, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    return document, scalars, {name: np.array(entry["data"], float) for name, entry in document["arrays"].items()}


def removed(tensors, p):
    """The unit vector that centring takes away."""
    name = p["matrix"]
    if name in ("wpe", "wte"):
        row = tensors[name + ".weight"].mean(0) * (tensors["ln_f.weight"] if p["gain"] and name == "wte" else 1)
    else:
        row = np.ones(tensors["wpe.weight"].shape[1])
    return row / np.linalg.norm(row)


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Captures(unittest.TestCase):
    def check(self, folder, tensors, heads, given):
        p = {**DEFAULTS, "matrix": "wte", **given}
        (of, sure), (by, _) = directions(tensors, heads, p["matrix"], p), directions(tensors, heads, "wpe", {**p, "gain": 0, "side": "residual", "head": -1})
        wanted = ((of @ by[: p["k"]].T) ** 2).sum(1)
        _, scalars, arrays = run(folder, **given)
        np.testing.assert_allclose(arrays["capture"][sure], wanted[sure], atol=1e-5)
        ends = min(100, max(len(of) // 4, 1))
        for name, value in (("total", wanted.sum()), ("held_first", wanted[:ends].sum()), ("held_last", wanted[-ends:].sum())):
            self.assertAlmostEqual(scalars[name], value, delta=1e-4, msg=name)
        self.assertAlmostEqual(scalars["chance"], p["k"] / of.shape[1])
        if p["side"] == "residual":
            vector = removed(tensors, p)
            self.assertAlmostEqual(scalars["mean_captured"], ((by[: p["k"]] @ vector) ** 2).sum(), delta=1e-6)
            np.testing.assert_allclose(arrays["along_mean"][sure], ((of @ vector) ** 2)[sure], atol=1e-5)

    def test_random_weights(self):
        tensors, config = random_checkpoint(2, 48, 3, 96, 2500, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for given in CASES:
                with self.subTest(**given):
                    self.check(folder, {name: array.astype(float) for name, array in tensors.items()}, 3, given)

    def test_the_bundled_model(self):
        heads = json.loads((MINIHELIX / "config.json").read_text())["n_head"]
        for given in CASES:
            with self.subTest(**given):
                self.check(MINIHELIX, read_tensors(MINIHELIX / "model.safetensors"), heads, given)

    def test_the_attention_weights_of_gpt2_small(self):
        folder = real_model()
        if folder is None:
            self.skipTest("GPT-2 small's weights are not at hand")
        for given, name, stated in (({"matrix": "q", "gain": 1}, "held_last", 17.4), ({"matrix": "o"}, "held_first", 10.6), ({"matrix": "v"}, "held_first", 3.9)):
            _, scalars, _ = run(folder, **given)
            self.assertAlmostEqual(scalars[name], stated, delta=0.05)
            self.assertAlmostEqual(scalars["held_chance"], 3.9, delta=0.05)
            self.assertAlmostEqual(scalars["total"], 30, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
