"""permutation against the forward pass in numpy: all four cases, on the bundled model and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    import exported  # noqa: F401
    from forward_test import helixscope, some_tokens
    from gpt2_reference import Reference, random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT, read_tensors
    from studies.permutation import relative

    class Unmasked(Reference):
        """Every token sees every other."""

        def attention(self, x, i, hooks, zero=()):
            at, (n, width) = f"h.{i}.attn.", x.shape
            q, k, v = (part.reshape(n, self.heads, -1) for part in np.split(self.linear(x, at + "c_attn"), 3, -1))
            scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(width // self.heads)
            pattern = np.exp(scores - scores.max(-1, keepdims=True))
            pattern /= pattern.sum(-1, keepdims=True)
            return self.linear(np.einsum("hqk,khd->qhd", pattern, v).reshape(n, width), at + "c_proj")


@unittest.skipIf(np is None, "numpy is not installed")
class PermutationTest(unittest.TestCase):
    def check(self, folder, tensors, heads, tokens, seed):
        ids = ",".join(map(str, tokens))
        document = json.loads(helixscope("run", "permutation", "--model", folder, "--tokens", ids, "--set", f"seed={seed}", "--set", "positions=0", "--set", "mask=0", "--json"))
        here = {name: np.array(array["data"]).reshape(array["shape"]) for name, array in document["arrays"].items()}
        order = here["order"].astype(int)
        self.assertEqual(sorted(order), list(range(len(tokens))))
        self.assertNotEqual(list(order), list(range(len(tokens))))
        tokens = np.array(tokens)
        for case in range(4):
            changed = dict(tensors)
            if case & 2:
                changed["wpe.weight"] = np.zeros_like(tensors["wpe.weight"])
            model = (Unmasked if case & 1 else Reference)(changed, heads)
            (before, logits), (after, shuffled) = model.run(tokens), model.run(tokens[order])
            out, final = "blocks.0.hook_attn_out", "ln_final.hook_normalized"
            wanted = np.zeros(len(tokens))
            wanted[order] = relative(after[out], before[out][order])
            np.testing.assert_allclose(here["by_token"][case], wanted, atol=1e-5)
            self.assertAlmostEqual(here["change"][case], wanted.max(), delta=1e-5)
            self.assertAlmostEqual(here["outputs"][case], relative(after[final], before[final][order]).max(), delta=3e-4)
            last = len(tokens) - 1
            one, two = logits[last] - logits[last].mean(), shuffled[list(order).index(last)]
            self.assertAlmostEqual(here["logits"][case], relative(two - two.mean(), one), delta=3e-4)
            self.assertAlmostEqual(here["unmatched"][case], relative(after[out], before[out]).mean(), delta=1e-5)
        self.assertEqual(document["scalars"]["max_change"]["value"], here["change"][3])
        return document, here

    def test_the_bundled_model(self):
        config = json.loads((MINIHELIX / "config.json").read_text())
        tensors = read_tensors(MINIHELIX / "model.safetensors")
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))
        tokens = [token["id"] for token in text["tokens"]][:40]
        document, here = self.check(MINIHELIX, tensors, config["n_head"], tokens, 1)
        self.assertLess(here["change"][3], 1e-5)
        self.assertGreater(here["change"][:3].min(), 0.05)
        self.assertEqual([(claim["id"], claim["holds"]) for claim in document["claims"]], [("P1", True)])

    def test_random_weights(self):
        for layers, width, heads, seed in ((1, 24, 1, 3), (3, 35, 5, 4)):
            tensors, config = random_checkpoint(layers, width, heads, 30, 61, spread=0.3)
            with tempfile.TemporaryDirectory() as folder:
                write_checkpoint(folder, tensors, config)
                _, here = self.check(folder, tensors, heads, some_tokens(25, 61), seed)
                self.assertLess(here["change"][3], 1e-5)
                self.assertGreater(here["change"][:3].min(), 0.01)


if __name__ == "__main__":
    unittest.main()
