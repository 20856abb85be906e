"""surprise against the exported script: the loss of every token and what its edits move, on the bundled model and on random weights."""

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
    from studies import surprise


@unittest.skipIf(np is None, "numpy is not installed")
class SurpriseTest(unittest.TestCase):
    def check(self, folder, tokens):
        """As it is, and without positions. No edits, no divergence from the run without them."""
        for edits, left_out in (((), ("kl", "kl_nats")), (("--edit", "zero_positions"), ())):
            with self.subTest(edits=edits):
                document = json.loads(helixscope("run", "surprise", "--model", folder, "--tokens", ",".join(map(str, tokens)), *edits, "--json"))
                self.assertEqual(disagreements(document, surprise, folder, left_out=left_out), [])

    def test_the_bundled_model(self):
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))
        self.check(MINIHELIX, [token["id"] for token in text["tokens"]][:40])

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            self.check(folder, some_tokens(20, 97))


if __name__ == "__main__":
    unittest.main()
