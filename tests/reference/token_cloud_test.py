"""token_cloud against numpy: random weights with and without structure, and the bundled model."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from forward_test import helixscope
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import read_tensors

CASES = [{}, {"centre": "false"}, {"of": "head"}, {"of": "head", "centre": "false"}]


def run(folder, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "token_cloud", "--model", folder, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    arrays = {name: np.array([float(x) for x in entry["data"]]).reshape(entry["shape"]) for name, entry in document["arrays"].items()}
    return document, scalars, arrays


def axes(rows):
    """Directions as rows, largest entry positive, and the variances along all of them."""
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    largest = np.abs(directions).argmax(axis=1)
    return directions * np.sign(directions[np.arange(len(directions)), largest])[:, None], values**2 / len(rows)


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Cloud(unittest.TestCase):
    def check(self, folder, tensors, given):
        tokens, positions = tensors["wte.weight"], tensors["wpe.weight"]
        tokens = tokens * tensors["ln_f.weight"] if given.get("of") == "head" else tokens
        norms, centred = np.linalg.norm(tokens, axis=1), given.get("centre") != "false"
        mean, own_mean = (rows.mean(0) if centred else np.zeros(rows.shape[1]) for rows in (tokens, positions))
        (own, variances), (theirs, of_positions) = axes(tokens - mean), axes(positions - own_mean)
        document, scalars, arrays = run(folder, **given)
        self.assertAlmostEqual(scalars["explained_first3"], variances[:3].sum() / variances.sum(), delta=1e-9)
        self.assertAlmostEqual(scalars["positions_explained"], of_positions[:3].sum() / of_positions.sum(), delta=1e-9)
        held = (((positions - own_mean) @ own[:3].T) ** 2).sum() / ((positions - own_mean) ** 2).sum()
        self.assertAlmostEqual(scalars["positions_held"], held, delta=1e-7)
        held = (((tokens - mean) @ theirs[:3].T) ** 2).sum() / ((tokens - mean) ** 2).sum()
        self.assertAlmostEqual(scalars["tokens_held"], held, delta=1e-7)
        self.assertAlmostEqual(scalars["chance"], 3 / tokens.shape[1])
        self.assertAlmostEqual(scalars["mean_norm"], norms.mean(), delta=1e-9)
        np.testing.assert_allclose(arrays["norm"], norms, rtol=1e-6)
        np.testing.assert_allclose(arrays["points"], (tokens - mean) @ own[:3].T, atol=1e-5 * norms.max())
        np.testing.assert_allclose(arrays["position_points"], (positions - mean) @ own[:3].T, atol=1e-5 * norms.max())

    def test_random_weights(self):
        tensors, config = random_checkpoint(1, 48, 3, 96, 9000, spread=0.2)
        tensors["wte.weight"] *= np.linspace(3, 0.5, 48).astype("<f4")
        tensors["wpe.weight"] *= np.linspace(0.5, 3, 48).astype("<f4")
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for given in CASES:
                with self.subTest(**given):
                    self.check(folder, {name: array.astype(float) for name, array in tensors.items()}, given)

    def test_the_bundled_model(self):
        tensors = read_tensors(MINIHELIX / "model.safetensors")
        for given in CASES:
            with self.subTest(**given):
                self.check(MINIHELIX, tensors, given)
        document, scalars, arrays = run(MINIHELIX, find="house")
        vocabulary = json.loads((MINIHELIX / "vocab.json").read_text(encoding="utf-8"))
        wanted = sorted(id for text, id in vocabulary.items() if "house" in text)
        self.assertTrue(wanted)
        self.assertEqual([int(id) for id in arrays["found"]], wanted)
        self.assertEqual(document["words"]["text"]["data"][vocabulary["Ġhouse"]], " house")


if __name__ == "__main__":
    unittest.main()
