"""edit_reach against numpy: how far states move, and what putting one of them back does, on minihelix and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from forward_test import helixscope, some_tokens
    from gpt2_reference import Reference, random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT, read_tensors

    class Patched(Reference):
        """A pass in which single rows at hooks are replaced: {hook: {position: row}}."""

        put = {}

        def see(self, hooks, name, value):
            for position, row in self.put.get(name, {}).items():
                value = value.copy()
                value[position] = row
            return super().see(hooks, name, value)


def probabilities(logits):
    e = np.exp(logits[-1] - logits[-1].max())
    return e / e.sum()


@unittest.skipIf(np is None, "numpy is not installed")
class EditReachTest(unittest.TestCase):
    def run_study(self, folder, tokens, *more):
        document = json.loads(helixscope("run", "edit_reach", "--model", folder, "--tokens", ",".join(map(str, tokens)), *more, "--json"))
        arrays = {name: np.array(array["data"], np.float64).reshape(array["shape"]) for name, array in document["arrays"].items()}
        return arrays, {name: value["value"] for name, value in document["scalars"].items()}

    def check(self, tensors, heads, edited, tokens, arrays, scalars, tolerance):
        tokens, model, other = np.asarray(tokens), Patched(tensors, heads), Patched(edited, heads)
        names = [f"blocks.{i}.hook_resid_pre" for i in range(model.layers)] + [f"blocks.{model.layers - 1}.hook_resid_post"]
        clean, logits = model.run(tokens)
        p = probabilities(logits)
        moved, moved_logits = other.run(tokens)
        q = probabilities(moved_logits)
        answer = int(p.argmax())
        self.assertEqual(arrays["token"][0], answer)
        self.assertAlmostEqual(scalars["probability_as_is"], p[answer], delta=tolerance)
        self.assertAlmostEqual(scalars["probability"], q[answer], delta=tolerance)
        norm = np.linalg.norm
        expected = np.array([norm(moved[at] - clean[at], axis=-1) / np.maximum(norm(clean[at], axis=-1), norm(moved[at], axis=-1)) for at in names])
        np.testing.assert_allclose(arrays["moved"], expected, atol=tolerance, rtol=tolerance)
        self.assertAlmostEqual(scalars["reached"], (expected > 0).mean(), delta=1e-9)
        restored = np.empty_like(expected)
        for stage, at in enumerate(names):
            for i in range(len(tokens)):
                other.put = {at: {i: clean[at][i]}}
                restored[stage, i] = probabilities(other.run(tokens)[1])[answer]
        np.testing.assert_allclose(arrays["restored"], restored, atol=tolerance)
        effect = p[answer] - q[answer]
        if abs(effect) < 0.02:
            return
        share = (restored - q[answer]) / effect
        at = len(names) - 1
        while at > 0 and share[at - 1, -1] >= 0.5:
            at -= 1
        self.assertEqual(scalars["handover"], at)
        self.assertAlmostEqual(scalars["restored_there"], share[at, -1], delta=20 * tolerance)
        self.assertAlmostEqual(scalars["chance"], np.sort(share[expected > 0])[(expected > 0).sum() // 2], delta=20 * tolerance)

    def placed(self, tensors, position, by):
        edited = dict(tensors)
        edited["wpe.weight"] = tensors["wpe.weight"].copy()
        edited["wpe.weight"][position] = tensors["wpe.weight"][by]
        return edited

    def test_the_bundled_model(self):
        heads = json.loads((MINIHELIX / "config.json").read_text())["n_head"]
        tensors = read_tensors(MINIHELIX / "model.safetensors")
        tokens = [token["id"] for token in json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))["tokens"]][:12]
        found = self.run_study(MINIHELIX, tokens)
        self.check(tensors, heads, self.placed(tensors, 10, 0), tokens, *found, 2e-3)
        without = dict(tensors)
        without["wpe.weight"] = np.zeros_like(tensors["wpe.weight"])
        self.check(tensors, heads, without, tokens, *self.run_study(MINIHELIX, tokens, "--edit", "zero_positions"), 2e-3)

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.3)
        tokens = some_tokens(9, 97)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            found = self.run_study(folder, tokens, "--set", "position=2", "--set", "by=7")
            self.check(tensors, 4, self.placed(tensors, 2, 7), tokens, *found, 2e-3)


if __name__ == "__main__":
    unittest.main()
