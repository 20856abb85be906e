"""surprise against numpy: the loss of every token and what its edits move, on the bundled model and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import log_softmax
    from forward_test import helixscope, some_tokens
    from gpt2_reference import Reference, random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT, read_tensors


def predictions(tensors, heads, tokens):
    """Log-probabilities [position, token]."""
    return log_softmax(Reference(tensors, heads).run(tokens)[1])


@unittest.skipIf(np is None, "numpy is not installed")
class SurpriseTest(unittest.TestCase):
    def run_study(self, folder, tokens, *edits):
        asked = ["run", "surprise", "--model", folder, "--tokens", ",".join(map(str, tokens))]
        for edit in edits:
            asked += ["--edit", edit]
        document = json.loads(helixscope(*asked, "--json"))
        arrays = {name: np.array(array["data"], np.float64) for name, array in document["arrays"].items()}
        return arrays, {name: value["value"] for name, value in document["scalars"].items()}

    def check(self, folder, tensors, heads, tokens):
        tokens = np.asarray(tokens)
        log_p = predictions(tensors, heads, tokens)
        loss = -log_p[np.arange(len(tokens) - 1), tokens[1:]]
        arrays, scalars = self.run_study(folder, tokens)
        np.testing.assert_allclose(arrays["loss"], loss, atol=2e-3)
        np.testing.assert_array_equal(arrays["token"], tokens[1:])
        again = np.array([token in tokens[: i + 1] for i, token in enumerate(tokens[1:])])
        expected = {"mean_nats": loss.mean(), "mean_bits": loss.mean() / np.log(2), "uniform_nats": np.log(log_p.shape[1]), "most_bits": loss.max() / np.log(2)}
        if again.any():
            expected["again_nats"] = loss[again].mean()
        expected["first_nats"] = loss[~again].mean()
        for name, value in expected.items():
            self.assertAlmostEqual(scalars[name], value, delta=3e-3, msg=name)
        self.assertAlmostEqual(scalars["perplexity"] / np.exp(loss.mean()), 1, delta=3e-3)
        self.assertEqual(scalars["most"], loss.argmax() + 1)

        without = dict(tensors)
        without["wpe.weight"] = np.zeros_like(tensors["wpe.weight"])
        log_q = predictions(without, heads, tokens)
        kl = (np.exp(log_p) * (log_p - log_q)).sum(-1)[:-1]
        arrays, scalars = self.run_study(folder, tokens, "zero_positions")
        np.testing.assert_allclose(arrays["kl"], kl, atol=4e-3, rtol=2e-3)
        self.assertAlmostEqual(scalars["kl_nats"], kl.mean(), delta=4e-3)
        np.testing.assert_allclose(arrays["loss"], -log_q[np.arange(len(tokens) - 1), tokens[1:]], atol=4e-3, rtol=1e-3)

    def test_the_bundled_model(self):
        config = json.loads((MINIHELIX / "config.json").read_text())
        tensors = read_tensors(MINIHELIX / "model.safetensors")
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))
        self.check(MINIHELIX, tensors, config["n_head"], [token["id"] for token in text["tokens"]][:40])

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            self.check(folder, tensors, 4, some_tokens(20, 97))


if __name__ == "__main__":
    unittest.main()
