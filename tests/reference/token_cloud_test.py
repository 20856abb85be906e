"""token_cloud against the exported script: random weights with structure, and the bundled model."""

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
    from studies import token_cloud

CASES = [{}, {"centre": "false"}, {"of": "head"}, {"of": "head", "centre": "false"}]


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Cloud(unittest.TestCase):
    def check(self, folder, **given):
        sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
        document = json.loads(helixscope("run", "token_cloud", "--model", folder, *sets, "--json"))
        there = recomputed(document, token_cloud, folder)
        self.assertEqual(differences(document, there, token_cloud.TOLERANCE, left_out=() if "find" in given else ("found", "found_count")), [])
        self.assertFalse(np.ma.getmaskarray(there["points"]).any(), "the three axes are determined")
        return document

    def test_random_weights(self):
        tensors, config = random_checkpoint(1, 48, 3, 96, 9000, spread=0.2)
        tensors["wte.weight"] *= np.linspace(3, 0.5, 48).astype("<f4")
        tensors["wpe.weight"] *= np.linspace(0.5, 3, 48).astype("<f4")
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for given in CASES:
                with self.subTest(**given):
                    self.check(folder, **given)

    def test_the_bundled_model(self):
        for given in CASES:
            with self.subTest(**given):
                self.check(MINIHELIX, **given)

    def test_tokens_by_their_text(self):
        document = self.check(MINIHELIX, find="house")
        vocabulary = json.loads((MINIHELIX / "vocab.json").read_text(encoding="utf-8"))
        self.assertIn(vocabulary["Ġhouse"], document["arrays"]["found"]["data"])
        self.assertEqual(document["words"]["text"]["data"][vocabulary["Ġhouse"]], " house")
        self.check(MINIHELIX, find=" ho")
        self.assertEqual(self.check(MINIHELIX, find="hóuse")["arrays"]["found"]["data"], [])


if __name__ == "__main__":
    unittest.main()
