"""attention against the forward pass in numpy: the chosen head's means over the queries where they are defined, and their chance levels."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from forward_test import helixscope
    from gpt2_reference import Reference, random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import read_tensors

ALIKE = 2e-5  # tolerance for means of attention, which is computed in float32


def means_of(pattern, tokens):
    """Means over queries 1 and on, and over the queries with an earlier copy of their token."""
    n = len(tokens)
    later = range(1, n)
    followers = {q: [k + 1 for k in range(q - 2) if tokens[k] == tokens[q]] for q in later}
    repeated = [q for q in later if followers[q]]
    return {
        "previous": np.mean([pattern[q, q - 1] for q in later]),
        "self": np.mean([pattern[q, q] for q in later]),
        "first": np.mean([pattern[q, 0] for q in later]),
        "induction": np.mean([pattern[q, followers[q]].sum() for q in repeated]) if repeated else None,
    }


@unittest.skipIf(np is None, "numpy is not installed")
class AttentionTest(unittest.TestCase):
    def run_on(self, folder, layer, head, *arguments):
        return json.loads(helixscope("run", "attention", "--model", folder, "--set", f"layer={layer}", "--set", f"head={head}", *arguments, "--json"))

    def check(self, folder, reference, tokens, layer, head):
        hooks, _ = reference.run(tokens)
        pattern = hooks[f"blocks.{layer}.attn.hook_pattern"][head]
        n = len(tokens)
        even = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
        document = self.run_on(folder, layer, head, "--tokens", ",".join(map(str, tokens)))
        scalars = document["scalars"]
        for prefix, matrix in (("", pattern), ("even_", even)):
            for name, wanted in means_of(matrix, tokens).items():
                with self.subTest(name=prefix + name, layer=layer, head=head):
                    here = scalars[prefix + name]
                    if wanted is None:
                        self.assertEqual((here["value"], here["note"]), ("nan", "needs a token that occurs again"))
                    else:
                        self.assertAlmostEqual(here["value"], wanted, delta=ALIKE)
        return {name: scalar["value"] for name, scalar in scalars.items()}

    def test_the_bundled_model(self):
        tensors = read_tensors(MINIHELIX / "model.safetensors")
        reference = Reference(tensors, json.loads((MINIHELIX / "config.json").read_text())["n_head"])
        two = self.check(MINIHELIX, reference, [5, 5], 0, 0)
        self.assertAlmostEqual(two["first"], 0.632, delta=5e-4)
        self.assertEqual(two["first"], two["previous"])
        text = " river stone window captain river stone window captain"
        tokens = [token["id"] for token in json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", text, "--json"))["tokens"]]
        for layer, head in ((0, 0), (4, 4), (5, 0)):
            self.check(MINIHELIX, reference, tokens, layer, head)

    def test_the_default_prompt(self):
        first = self.run_on(MINIHELIX, 0, 0)["scalars"]["first"]
        self.assertAlmostEqual(first["value"], 0.2919, delta=5e-5)
        self.assertEqual(first["note"], "layer 0, head 0, queries 1 and on")

    def test_random_weights(self):
        tensors, config = random_checkpoint(2, 48, 3, 40, 61, spread=0.3)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for length in (2, 3, 17, 40):
                self.check(folder, Reference(tensors, 3), [(i * 7) % 11 for i in range(length)], 1, 2)

    def test_copies_of_one_token_without_positions(self):
        tensors, config = random_checkpoint(2, 48, 3, 40, 61, spread=0.3)
        tensors["wpe.weight"][:] = 0
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            found = self.check(folder, Reference(tensors, 3), [7] * 16, 1, 2)
        for name in ("previous", "self", "first", "induction"):
            self.assertAlmostEqual(found[name], found["even_" + name], delta=ALIKE)


if __name__ == "__main__":
    unittest.main()
