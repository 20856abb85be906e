"""attention against the exported script: the chosen head's means over the queries where they are defined, and their chance levels."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import disagreements
    from forward_test import helixscope
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from studies import attention

ALIKE = 2e-5  # means of attention, which is computed in float32


@unittest.skipIf(np is None, "numpy is not installed")
class AttentionTest(unittest.TestCase):
    def run_on(self, folder, layer, head, *arguments):
        return json.loads(helixscope("run", "attention", "--model", folder, "--set", f"layer={layer}", "--set", f"head={head}", *arguments, "--json"))

    def check(self, folder, tokens, layer, head):
        document = self.run_on(folder, layer, head, "--tokens", ",".join(map(str, tokens)))
        with self.subTest(tokens=len(tokens), layer=layer, head=head):
            self.assertEqual(disagreements(document, attention, folder), [])
        induction = document["scalars"]["induction"]
        if len(set(tokens[:-1])) == len(tokens) - 1:
            self.assertEqual((induction["value"], induction["note"]), ("nan", "needs a token that occurs again"))
        return {name: scalar["value"] for name, scalar in document["scalars"].items()}

    def test_the_bundled_model(self):
        two = self.check(MINIHELIX, [5, 5], 0, 0)
        self.assertAlmostEqual(two["first"], 0.632, delta=5e-4)
        self.assertEqual(two["first"], two["previous"])
        text = " river stone window captain river stone window captain"
        tokens = [token["id"] for token in json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", text, "--json"))["tokens"]]
        for layer, head in ((0, 0), (4, 4), (5, 0)):
            self.check(MINIHELIX, tokens, layer, head)

    def test_the_default_prompt(self):
        first = self.run_on(MINIHELIX, 0, 0)["scalars"]["first"]
        self.assertAlmostEqual(first["value"], 0.2919, delta=5e-5)
        self.assertEqual(first["note"], "layer 0, head 0, queries 1 and on")

    def test_random_weights(self):
        tensors, config = random_checkpoint(2, 48, 3, 40, 61, spread=0.3)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for length in (2, 3, 17, 40):
                self.check(folder, [(i * 7) % 11 for i in range(length)], 1, 2)

    def test_copies_of_one_token_without_positions(self):
        tensors, config = random_checkpoint(2, 48, 3, 40, 61, spread=0.3)
        tensors["wpe.weight"][:] = 0
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            found = self.check(folder, [7] * 16, 1, 2)
        for name in ("previous", "self", "first", "induction"):
            self.assertAlmostEqual(found[name], found["even_" + name], delta=ALIKE)


if __name__ == "__main__":
    unittest.main()
