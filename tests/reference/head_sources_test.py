"""head_sources against the exported script: contributions along the direct path, removals by edited passes, and the composition of weights, on the bundled model, on random weights and on GPT-2 small's tensors."""

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
    from position_helix_test import real_model
    from studies import head_sources

REPEATS = " river stone window captain letter green horse summer river stone window captain letter green horse summer"
OF_TEXT = ("lead", "attention", "even_attention", "strongest", "strongest_removed", "strongest_attention", "agreement", "residual_error", "queries")
OF_TEXT += ("contribution", "ablated", "attention_without", "part", "part_ablated", "random_strongest")


def run(folder, *options, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "head_sources", "--model", folder, *options, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    arrays = {name: np.array([float(x) for x in entry["data"]]).reshape(entry["shape"]) for name, entry in document["arrays"].items()}
    return document, scalars, arrays


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class HeadSourcesTest(unittest.TestCase):
    def check(self, folder, tokens, *options, left_out=(), **given):
        document, scalars, arrays = run(folder, "--tokens", ",".join(map(str, tokens)), *options, **given)
        self.assertEqual(disagreements(document, head_sources, folder, left_out=left_out), [])
        parts = ["tokens", "positions", *(f"MLP {layer}" for layer in range(given["layer"])), "biases"]
        self.assertEqual(document["words"]["parts"]["data"], [*parts, *(["edits"] if options else [])])
        largest = max(np.abs(arrays["contribution"]).max(), np.abs(arrays["part"]).max())
        self.assertLess(abs(arrays["contribution"].sum() + arrays["part"].sum() - scalars["lead"]), 1e-4 * largest)
        if not options:
            self.assertLess(scalars["residual_error"], 1e-4)
        return scalars, arrays

    def test_the_bundled_model(self):
        tokens = [token["id"] for token in json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", REPEATS, "--json"))["tokens"]]
        scalars, arrays = self.check(MINIHELIX, tokens, layer=5, head=0, through="keys", target="induction")
        self.assertEqual(np.unravel_index(arrays["contribution"].argmax(), arrays["contribution"].shape), (4, 4), "the previous-token head feeds the induction head")
        self.assertGreater(scalars["strongest"], arrays["random_strongest"].max())
        self.check(MINIHELIX, tokens, layer=4, head=4, through="queries", target="previous")

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for through, target in (("keys", "most"), ("queries", "first"), ("keys", "self")):
                with self.subTest(through=through, target=target):
                    self.check(folder, some_tokens(20, 97), layer=2, head=1, through=through, target=target)
            with self.subTest("a reader of an earlier layer"):
                _, arrays = self.check(folder, some_tokens(20, 97), layer=2, head=0, target="most", others="1.2 2.3")
                self.assertEqual(list(np.isfinite(arrays["readers_composition"]).all(1)), [True, False])
            with self.subTest(query=7):
                self.check(folder, some_tokens(20, 97), layer=2, head=3, target="previous", query=7)
            for edits in (("--edit", "no_mask"), ("--edit", "scale_attn:0:2", "--edit", "zero_positions")):
                with self.subTest(edits=edits):
                    self.check(folder, some_tokens(20, 97), *edits, left_out=("residual_error",), layer=2, head=1, target="most")

    def test_the_real_weights(self):
        folder = real_model()
        if not folder:
            self.skipTest("the weights are not here (HELIXSCOPE_MODELS names their folders)")
        file = next(folder.glob("*.safetensors"))
        for layer, head, stated in ((5, 5, 0.096), (5, 1, 0.101), (6, 9, 0.101)):
            document, scalars, arrays = run(file, layer=layer, head=head)
            if layer == 6:  # numpy takes long for each, and the arithmetic is one
                self.assertEqual(disagreements(document, head_sources, file, left_out=OF_TEXT), [])
            self.assertEqual(np.unravel_index(arrays["k_composition"].argmax(), (layer, 12)), (4, 11))
            self.assertAlmostEqual(scalars["composition"], stated, delta=0.0005)
            self.assertLess(arrays["random_composition"].max(), 0.04)
            claim = next(c for c in document["claims"] if c["id"] == f"T13-{layer}.{head}")
            self.assertTrue(claim["holds"])
            self.assertTrue(np.isnan(scalars["lead"]))
        document, scalars, arrays = run(file, layer=5, head=5, others="6.9 7.10 5.1 7.2")
        self.assertEqual(disagreements(document, head_sources, file, left_out=OF_TEXT), [])
        self.assertEqual(np.unravel_index(arrays["readers_composition"].argmax(), (5, 12)), (4, 11))
        self.assertLess(arrays["random_readers"].max(), 0.04)
        for head, stated in ((11, 0.096), (7, 0.091)):
            self.assertAlmostEqual(arrays["readers_composition"][4, head], stated, delta=0.001)
            self.assertTrue(next(c for c in document["claims"] if c["id"] == f"COMPOSITION-4.{head}")["holds"])


if __name__ == "__main__":
    unittest.main()
