"""averaged_positions against the exported script: loss, copying, attention to the previous token and the counter-test, by edited passes."""

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
    from studies import averaged_positions
    from studies.averaged_positions import gain, holds_and_breaks


@unittest.skipIf(np is None, "numpy is not installed")
class AveragedPositionsTest(unittest.TestCase):
    def check(self, folder, tokens, *options, bos=False, **settings):
        text = ("--tokens", ",".join(map(str, tokens))) if tokens else ()
        sets = [part for key, value in ({"groups": "1,5,20", "group": 5} | settings).items() for part in ("--set", f"{key}={value}")]
        document = json.loads(helixscope("run", "averaged_positions", "--model", folder, *text, *options, *sets, "--json"))
        self.assertEqual(disagreements(document, averaged_positions, folder, bos), [])
        return {name: scalar["value"] for name, scalar in document["scalars"].items()}

    def minihelix(self, count):
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))
        return [token["id"] for token in text["tokens"]][:count]

    def test_the_bundled_model(self):
        found = self.check(MINIHELIX, self.minihelix(120), text="prompt")
        self.assertGreater(found["own_previous"], 10 * found["none_previous"])
        self.assertLess(found["masked_previous"], found["others_previous"])

    def test_before_a_layer(self):
        self.check(MINIHELIX, self.minihelix(80), averaged="extended", before=3, text="prompt")

    def test_windows_of_a_book(self):
        self.check(MINIHELIX, [], "--bos", text="austen", window=60, windows=3, every=7, bos=True)

    def test_edits_of_the_visitor(self):
        self.check(MINIHELIX, self.minihelix(30), "--edit", "no_mask", text="prompt", layer=3, head=1)
        found = self.check(MINIHELIX, self.minihelix(30), "--edit", "zero_positions", text="prompt")
        self.assertEqual((found["holds_to"], found["breaks_at"]), ("nan", "nan"))  # positions make no difference

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            self.check(folder, some_tokens(40, 97), text="prompt")

    def test_the_script_on_what_is_known(self):
        own = np.random.default_rng(3).normal(4, 1, 200)
        self.assertAlmostEqual(gain(own, own + 0.5), 0.5)
        self.assertTrue(np.isnan(gain(own, own[::-1])))
        nan = np.full(4, np.nan)
        self.assertEqual(holds_and_breaks([1, 5, 20, 50], np.array([1, 0.99, 0.94, 0.5]), nan), (5, 50))
        self.assertTrue(np.isnan(holds_and_breaks([1, 5, 20, 50], nan, nan)).all())


if __name__ == "__main__":
    unittest.main()
