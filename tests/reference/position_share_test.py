"""position_share against numpy: the parts of every layer, their norms and ranks, the walks, and the table of GPT-2 small's positions."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import disagreements
    from forward_test import ROOT, helixscope, some_tokens
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT, read_tensors
    from studies import position_share
    from studies.position_share import layer_of, stable_rank


@unittest.skipIf(np is None, "numpy is not installed")
class PositionShareTest(unittest.TestCase):
    def study(self, folder, tokens, **settings):
        options = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        texts = ["--tokens", ",".join(map(str, tokens)), "--set", "text=prompt"] if tokens else []
        return json.loads(helixscope("run", "position_share", "--model", folder, *texts, *options, "--json"))

    def run_study(self, folder, tokens, **settings):
        document = self.study(folder, tokens, **settings)
        arrays = {name: np.array(a["data"], float).reshape(a["shape"]) for name, a in document["arrays"].items()}
        return {name: s["value"] for name, s in document["scalars"].items()}, arrays

    def check(self, folder, tokens, **settings):
        self.assertEqual(disagreements(self.study(folder, tokens, **settings), position_share, folder), [])

    def test_the_script_finds_what_is_planted(self):
        """Parts of known sizes, and nothing of the position where there is none."""
        rng = np.random.default_rng(5)
        position, context, rest = rng.normal(0, 2, (1, 30, 40)), rng.normal(0, 1, (50, 1, 40)), rng.normal(0, 0.5, (50, 30, 40))
        _, found = layer_of(position + context + rest + 7)
        for name, size in (("position", 4), ("context", 1), ("rest", 0.25)):
            self.assertAlmostEqual(found[f"share_{name}"], size / 5.25, delta=0.02)
        _, none = layer_of(context + rest)
        self.assertTrue(np.isnan(none["rank_less"]))
        self.assertAlmostEqual(none["share_position"], none["share_chance"], delta=0.002)

    def test_minihelix(self):
        cut = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))["tokens"]
        tokens = [one["id"] for one in cut]
        self.check(MINIHELIX, tokens, windows=6, window=32, layer=2, first=1)

    def test_random_weights(self):
        tensors, config = random_checkpoint(2, 32, 4, 40, 60, spread=0.3)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            self.check(folder, some_tokens(120, 60), windows=5, window=24, layer=2, first=0)

    def test_published_table(self):
        """2.05 in Song and Zhong's table; all rows but the first give another number."""
        folder = ROOT / "assets" / "models" / "gpt2-positions"
        table = read_tensors(folder / "model.safetensors")["wpe.weight"]
        for last, stated in ((511, 2.054), (1023, 2.968)):
            scalars, _ = self.run_study(folder, None, window=last + 1)
            self.assertAlmostEqual(scalars["table_rank"], stable_rank(table[1 : last + 1]), places=6)
            self.assertAlmostEqual(scalars["table_rank"], stated, places=3)

    def test_claim_on_the_table_alone(self):
        """The table of claims judges it on positions alone; row 0 makes the difference."""
        folder = ROOT / "assets" / "models" / "gpt2-positions"
        found = json.loads(helixscope("run", "claims", "--model", folder, "--set", "conventions=SHARE-table", "--json"))
        table = read_tensors(folder / "model.safetensors")["wpe.weight"]
        self.assertEqual(found["words"]["setting"]["data"], ["From position 1", "From position 0"])
        np.testing.assert_allclose(found["arrays"]["here"]["data"], [stable_rank(table[first:512]) for first in (1, 0)], rtol=1e-6)
        self.assertEqual(found["arrays"]["reproduces"]["data"], [1, 0])
        self.assertEqual(found["words"]["verdict"]["data"][0], "holds")

    def test_books(self):
        """The default run: parts that add up, and the level of what averaging leaves."""
        self.check(MINIHELIX, None)
        scalars, here = self.run_study(MINIHELIX, None)
        self.assertEqual((scalars["windows"], scalars["window"]), (32, 96))
        total = here["share_position"] + here["share_context"] + here["share_rest"]
        np.testing.assert_allclose(total, 1, atol=1e-5)
        np.testing.assert_allclose(here["share_chance"], here["share_rest"] / 31, rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
