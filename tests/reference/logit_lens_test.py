"""logit_lens against the exported script: every layer's readout under every norm, on the bundled model and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import differences, recomputed
    from forward_test import helixscope, some_tokens
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT
    from studies import logit_lens


@unittest.skipIf(np is None, "numpy is not installed")
class LogitLensTest(unittest.TestCase):
    def check(self, folder, tokens, norm, position):
        ids = ",".join(map(str, tokens))
        document = json.loads(helixscope("run", "logit_lens", "--model", folder, "--tokens", ids, "--set", f"norm={norm}", "--set", f"position={position}", "--json"))
        there = recomputed(document, logit_lens, folder)
        self.assertEqual(differences(document, there, logit_lens.TOLERANCE, left_out=()), [])
        self.assertGreater((~np.ma.getmaskarray(there["top"])).mean(), 0.3, "most layers have a clear prediction")
        top = np.array(document["arrays"]["top"]["data"]).reshape(document["arrays"]["top"]["shape"])[:, position]
        # Also where two tokens are nearly as likely, of which the script says nothing.
        self.assertEqual(document["scalars"]["from_layer"]["value"], logit_lens.constant_from(top))

    def test_the_bundled_model(self):
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))
        tokens = [token["id"] for token in text["tokens"]][:40]
        for norm, position in (("once", -1), ("none", 3), ("twice", 10), ("frozen", -1)):
            with self.subTest(norm=norm):
                self.check(MINIHELIX, tokens, norm, position)

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for norm in ("once", "none", "twice", "frozen"):
                with self.subTest(norm=norm):
                    self.check(folder, some_tokens(20, 97), norm, 5)


if __name__ == "__main__":
    unittest.main()
