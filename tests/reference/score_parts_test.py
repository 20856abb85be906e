"""score_parts against the exported script: queries and keys as sums of position, token and what is shared, on the bundled model and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import Edited, Heads, disagreements
    from forward_test import helixscope, some_tokens
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT
    from studies import score_parts
    from studies.score_parts import normalized, scores, sides


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class ScorePartsTest(unittest.TestCase):
    def check(self, folder, ids, layer, head, *options):
        sets = ("--set", f"layer={layer}", "--set", f"head={head}", "--tokens", ",".join(map(str, ids)))
        document = json.loads(helixscope("run", "score_parts", "--model", folder, *sets, *options, "--json"))
        self.assertEqual(disagreements(document, score_parts, folder), [])
        return {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}

    def test_the_bundled_model(self):
        tokens = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT[:160], "--json"))
        ids = [token["id"] for token in tokens["tokens"]]
        self.assertEqual(self.check(MINIHELIX, ids, 4, 4)["peak_lag"], 1)
        self.check(MINIHELIX, ids, 0, 3)
        self.check(MINIHELIX, ids, 4, 4, "--bos")

    def test_random_weights_and_edits(self):
        tensors, config = random_checkpoint(2, 24, 2, 40, 90, seed=3, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            ids = list(some_tokens(20, 90))
            self.check(folder, ids, 1, 1)
            self.check(folder, ids, 0, 1)
            self.check(folder, ids, 1, 0, "--edit", "zero_positions")

    def test_the_parts_of_the_script_add_up_to_the_scores(self):
        tensors, _ = random_checkpoint(2, 24, 2, 40, 90, seed=3, spread=0.2)
        wide = {name: np.asarray(t, np.float64) for name, t in tensors.items()}
        ids, model, heads = list(some_tokens(20, 90)), Edited(wide, 2, []), Heads(wide, 2)
        hooks = model.run(ids)[0]
        for layer in (0, 1):
            parts, scale = sides(model, hooks, ids, layer, False)
            z = normalized(parts, scale, wide[f"h.{layer}.ln_1.weight"], wide[f"h.{layer}.ln_1.bias"])
            (w_q, b_q), (w_k, b_k) = (heads.part(layer, which, 1) for which in "qk")
            whole = scores(z, w_q, w_k, b_q, b_k).sum(0)
            np.testing.assert_allclose(whole, hooks[f"blocks.{layer}.attn.hook_scores_raw"][1], atol=1e-10)


if __name__ == "__main__":
    unittest.main()
