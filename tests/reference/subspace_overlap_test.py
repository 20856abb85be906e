"""subspace_overlap against the exported script: random weights, the bundled model, and what the texts say of GPT-2 small."""

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
    from studies import subspace_overlap

# What is asked of every model.
CASES = [
    {}, {"blur": 2.5}, {"centre": 1}, {"gain": 1, "a": "q"}, {"a": "k", "b": "wpe", "centre": 1, "gain": 1},
    {"a": "v", "b": "wpe", "layer": 1, "side": "other"}, {"a": "o", "b": "wpe"}, {"a": "o", "b": "wpe", "side": "other"},
    {"a": "o", "b": "wte", "head": 1, "blur": 1}, {"a": "q", "b": "k", "head": 2, "layer": 1},
    {"a": "fc", "b": "mlp", "side": "other", "gain": 1}, {"a": "mlp", "b": "fc", "centre": 1, "layer": 1},
    {"a": "attention", "b": "tables", "count_a": 12, "count_b": 5}, {"a": "weights", "b": "wpe", "head": 0, "blur": 0.7},
]  # fmt: skip


def run(folder, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "subspace_overlap", "--model", folder, *sets, "--json"))
    arrays = {name: np.array([np.nan if x == "nan" else x for x in array["data"]], float).reshape(array["shape"]) for name, array in document["arrays"].items()}
    return document, arrays


@unittest.skipIf(np is None, "numpy is not installed")
class SubspaceOverlapTest(unittest.TestCase):
    def check(self, folder, given):
        document, here = run(folder, **given)
        there = recomputed(document, subspace_overlap, folder)
        left_out = () if there["directions_a"][0] >= subspace_overlap.CORNER else ("random_corner",)
        self.assertEqual(differences(document, there, subspace_overlap.TOLERANCE, left_out), [])
        known = 1 - np.ma.getmaskarray(there["overlap"]).mean()
        if "blur" not in given:
            self.assertGreater(known, 0.05)  # minihelix keeps 16 components of its positions: the others are rounding
        alike = np.abs(here["overlap"] - there["overlap"].data) < 1e-4
        self.assertGreater(alike.mean(), 0.8 if "blur" in given else 0)
        for name in ("corners", "held_first_by_pair", "held_last_by_pair"):  # also where some of the directions are arbitrary ones
            np.testing.assert_allclose(here[name], there[name].data, rtol=0, atol=1e-6 if name == "corners" else 1e-4)
        error = float(document["scalars"]["row_sum_error"]["value"])
        self.assertTrue(error < 1e-10 or np.isnan(error))
        return known

    def check_all(self, folder):
        for given in CASES:
            with self.subTest(**given):
                self.check(folder, given)

    def test_random_weights(self):
        tensors, config = random_checkpoint(2, 48, 3, 96, 1500, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            self.check_all(folder)

    def test_panels_whose_cells_are_means(self):
        tensors, config = random_checkpoint(1, 135, 5, 140, 300, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for given in ({"a": "attention", "b": "tables"}, {"a": "q", "b": "fc", "head": 1, "blur": 1.5}):
                with self.subTest(**given):
                    self.assertGreater(self.check(folder, given), 0.5)

    def test_the_bundled_model(self):
        self.check_all(MINIHELIX)

    def test_what_the_texts_say_of_gpt2_small(self):
        folder = real_model()
        if folder is None:
            self.skipTest("GPT-2 small's weights are not at hand")
        scalar = lambda name, **given: run(folder, **{"b": "wpe", **given})[0]["scalars"][name]["value"]
        self.assertAlmostEqual(scalar("corner", a="q"), 0.775, places=3)
        self.assertAlmostEqual(scalar("corner", a="k"), 0.900, places=3)
        self.assertAlmostEqual(scalar("corner", a="q", gain=1), 0.003, places=3)
        self.assertAlmostEqual(scalar("corner", a="k", gain=1), 0.444, places=3)
        self.assertAlmostEqual(scalar("chance", a="q"), 0.0013, places=4)
        self.assertAlmostEqual(scalar("held_last", a="q", gain=1), 17.4, places=1)
        self.assertAlmostEqual(scalar("held_chance", a="q"), 3.9, places=1)
        self.assertAlmostEqual(scalar("held_first", a="o"), 10.6, places=1)
        self.assertAlmostEqual(scalar("held_first", a="o", side="other"), 4.0, places=1)
        self.assertAlmostEqual(scalar("held_first", a="v"), 3.9, places=1)
        self.assertLess(scalar("row_sum_error", a="q"), 1e-10)


if __name__ == "__main__":
    unittest.main()
