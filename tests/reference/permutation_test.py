"""permutation against the exported script: all four cases, on the bundled model and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import disagreements
    from forward_test import helixscope, some_tokens
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT
    from studies import permutation

# Each of the largest entry of its array. Layer 0 sees few roundings, the last layer many.
TOLERANCE = {"others": 3e-6, "outputs": 2e-4, "logits": 2e-4, "output_change": 2e-4, "logit_change": 2e-4}


@unittest.skipIf(np is None, "numpy is not installed")
class PermutationTest(unittest.TestCase):
    def check(self, folder, tokens, seed):
        ids = ",".join(map(str, tokens))
        document = json.loads(helixscope("run", "permutation", "--model", folder, "--tokens", ids, "--set", f"seed={seed}", "--set", "positions=0", "--set", "mask=0", "--json"))
        self.assertEqual(disagreements(document, permutation, folder, left_out=(), tolerance=TOLERANCE), [])
        here = {name: np.array(array["data"]).reshape(array["shape"]) for name, array in document["arrays"].items()}
        self.assertEqual(sorted(here["order"]), list(range(len(tokens))))
        self.assertNotEqual(list(here["order"]), list(range(len(tokens))))
        self.assertEqual(document["scalars"]["max_change"]["value"], here["change"][3])
        return document, here

    def test_the_bundled_model(self):
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))
        tokens = [token["id"] for token in text["tokens"]][:40]
        document, here = self.check(MINIHELIX, tokens, 1)
        self.assertLess(here["change"][3], 1e-5)
        self.assertGreater(here["change"][:3].min(), 0.05)
        self.assertEqual([(claim["id"], claim["holds"]) for claim in document["claims"]], [("P1", True)])

    def test_random_weights(self):
        for layers, width, heads, seed in ((1, 24, 1, 3), (3, 35, 5, 4)):
            tensors, config = random_checkpoint(layers, width, heads, 30, 61, spread=0.3)
            with tempfile.TemporaryDirectory() as folder:
                write_checkpoint(folder, tensors, config)
                _, here = self.check(folder, some_tokens(25, 61), seed)
                self.assertLess(here["change"][3], 1e-5)
                self.assertGreater(here["change"][:3].min(), 0.01)


if __name__ == "__main__":
    unittest.main()
