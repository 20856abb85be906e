"""attention_dose against numpy: the curves, the divergence and the other heads, by edited passes of the bundled model."""

import json
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import Edited
    from forward_test import helixscope
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import read_tensors

HEADS, LAYER, HEAD, KEY = 8, 5, 0, 7
TEXT = " river stone window captain letter green horse summer river stone window captain letter green horse"
SOME = [0, 3, 10, 20]  # of the 21 heights


@unittest.skipIf(np is None, "numpy is not installed")
class AttentionDoseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        options = ["--set", f"layer={LAYER}", "--set", f"head={HEAD}", "--set", f"key={KEY}", "--set", "height=60"]
        cls.document = json.loads(helixscope("run", "attention_dose", "--model", MINIHELIX, "--prompt", TEXT, *options, "--json"))
        cls.arrays = {name: np.array(a["data"]).reshape(a["shape"]) for name, a in cls.document["arrays"].items()}
        cls.scalars = {name: s["value"] for name, s in cls.document["scalars"].items()}
        cls.tensors = read_tensors(MINIHELIX / "model.safetensors")
        cls.ids = [token["id"] for token in cls.document["tokens"]]

    def after(self, *edits):
        """The prediction after the text with these edits, and the query's row of the pattern."""
        hooks, logits = Edited(self.tensors, HEADS, edits).run(self.ids)
        last = np.asarray(logits, np.float64)[-1]
        p = np.exp(last - last.max())
        return p / p.sum(), np.asarray(hooks[f"blocks.{LAYER}.attn.hook_pattern"])[HEAD, -1]

    def edit(self, share, head=HEAD):
        return f"set_pattern:{LAYER}.{head}:{len(self.ids) - 1}:{KEY}:{share}"

    def test_curves(self):
        as_is, row = self.after()
        tokens = self.arrays["token"].astype(int)
        self.assertEqual(tokens[0], as_is.argmax())
        np.testing.assert_allclose(self.arrays["row_as_is"], row, atol=1e-4)
        self.assertAlmostEqual(self.scalars["probability_as_is"], as_is[tokens[0]], delta=1e-3)
        for step in SOME:
            p, _ = self.after(self.edit(step / 20))
            np.testing.assert_allclose(self.arrays["curves"][step], p[tokens], atol=2e-3)
            divergence = (as_is * np.log(as_is / p)).sum()
            self.assertAlmostEqual(self.arrays["divergence_at"][step], divergence, delta=2e-3 * max(1, divergence))

    def test_the_height_that_is_set(self):
        p, row = self.after(self.edit(0.6))
        np.testing.assert_allclose(self.arrays["row"], row, atol=1e-4)
        self.assertAlmostEqual(self.scalars["probability"], p[int(self.arrays["token"][0])], delta=1e-3)

    def test_other_heads(self):
        token = int(self.arrays["token"][0])
        change = [self.after(self.edit(1, head))[0][token] - self.after(self.edit(0, head))[0][token] for head in range(HEADS)]
        np.testing.assert_allclose(self.arrays["by_head"], change, atol=2e-3)
        others = np.abs(np.delete(change, HEAD)).max()
        self.assertAlmostEqual(self.scalars["others_largest"], others, delta=2e-3)
        self.assertGreater(abs(change[HEAD]), 5 * others, "the induction head stands out")


if __name__ == "__main__":
    unittest.main()
