"""subspace_capture against the exported script: random weights, the bundled model, and the attention weights of GPT-2 small."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import differences, recomputed
    from forward_test import helixscope
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from position_helix_test import real_model
    from studies import subspace_capture

CASES = [
    {"k": 10}, {"k": 10, "centre": 1}, {"k": 4, "gain": 1}, {"k": 10, "gain": 1, "centre": 1}, {"matrix": "q", "k": 7}, {"matrix": "k", "k": 7, "gain": 1},
    {"matrix": "v", "head": 1, "k": 5}, {"matrix": "o", "side": "other", "k": 5}, {"matrix": "fc", "layer": 1, "k": 12, "centre": 1}, {"matrix": "wpe", "k": 3},
]  # fmt: skip


def run(folder, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "subspace_capture", "--model", folder, *sets, "--json"))
    return document, {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Captures(unittest.TestCase):
    def check_all(self, folder):
        for given in CASES:
            with self.subTest(**given):
                document, scalars = run(folder, **given)
                there = recomputed(document, subspace_capture, folder)
                left_out = ("mean_captured", "mean_direction", "along_mean") if given.get("side") == "other" else ()
                self.assertEqual(differences(document, there, subspace_capture.TOLERANCE, left_out), [])
                for name in ("total", "held_first", "held_last"):  # also where some of the directions are arbitrary ones
                    self.assertAlmostEqual(scalars[name], float(np.ma.getdata(there[name])), delta=1e-4, msg=name)

    def test_random_weights(self):
        tensors, config = random_checkpoint(2, 48, 3, 96, 2500, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            self.check_all(folder)

    def test_the_bundled_model(self):
        self.check_all(MINIHELIX)

    def test_the_attention_weights_of_gpt2_small(self):
        folder = real_model()
        if folder is None:
            self.skipTest("GPT-2 small's weights are not at hand")
        for given, name, stated in (({"matrix": "q", "gain": 1}, "held_last", 17.4), ({"matrix": "o"}, "held_first", 10.6), ({"matrix": "v"}, "held_first", 3.9)):
            _, scalars = run(folder, **given)
            self.assertAlmostEqual(scalars[name], stated, delta=0.05)
            self.assertAlmostEqual(scalars["held_chance"], 3.9, delta=0.05)
            self.assertAlmostEqual(scalars["total"], 30, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
