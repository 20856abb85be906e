"""extended_positions against the exported script on the bundled model: prompts, means, every variant of the angles, spaces, sparsity and chance."""

import json
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import Weights, disagreements
    from forward_test import helixscope
    from minihelix_test import FOLDER
    from studies import extended_positions
    from studies.extended_positions import agreement_of, angles_between, effective, subspace, tokens_of


@unittest.skipIf(np is None, "numpy is not installed")
class ExtendedPositionsTest(unittest.TestCase):
    def check(self, **settings):
        options = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        document = json.loads(helixscope("run", "extended_positions", "--model", FOLDER, "--json", *options))
        self.assertEqual(disagreements(document, extended_positions, FOLDER), [])
        arrays = {name: np.array(array["data"], dtype=float).reshape(array["shape"]) for name, array in document["arrays"].items()}
        return {name: value["value"] for name, value in document["scalars"].items()}, arrays

    def test_random_tokens(self):
        """The 16th in the random order is a byte that is no text."""
        document = json.loads(helixscope("run", "extended_positions", "--model", FOLDER, "--json", "--set", "prompts=18"))
        self.assertEqual(document["arrays"]["token"]["data"], tokens_of(Weights(FOLDER), document["params"]))

    def test_directions(self):
        self.check(layer=2, prompts=3)

    def test_as_the_text(self):
        self.check(layer=2, hook="ln1", side="left", centre=0, first=0, prompts=3)

    def test_before_the_gain(self):
        self.check(layer=4, hook="ln1_normalized", side="left", threshold=0.05)

    def test_layer_0(self):
        weights = Weights(FOLDER)
        scalars, here = self.check(layer=0, token=weights.bos, first=0)
        table = weights["wpe.weight"]
        np.testing.assert_allclose(here["matrix"], table - table.mean(0), atol=1e-6)
        self.assertLess(scalars["angle_3"], 0.01)

    def test_the_script_on_what_is_known(self):
        rng = np.random.default_rng(2)
        basis, corner = np.linalg.qr(rng.normal(size=(20, 20)))[0], np.radians([10, 30, 80])
        turned = np.cos(corner)[:, None] * basis[:3] + np.sin(corner)[:, None] * basis[3:6]
        strength = rng.normal(size=(50, 3)) * [5, 3, 1]
        angles = angles_between(subspace(strength @ basis[:3], False), subspace(strength @ turned, False), "right")
        np.testing.assert_allclose(angles, [10, 30, 80], atol=1e-6)
        self.assertIsNone(subspace(strength[:, :2] @ basis[:2], False))
        self.assertAlmostEqual(effective(np.array([[1, 1, 0, 0], [-1, 1, 0, 0]])), 2)
        same, other = rng.normal(size=(2, 40, 30))
        for prompts, cosine in (([same] * 4, 1), ([same, -same], -1), ([same, other], 0)):
            lengths = sum(((x[1:] - x[1:].mean(0)) ** 2).sum() for x in prompts)
            self.assertAlmostEqual(agreement_of(len(prompts), sum(prompts), lengths), cosine, delta=0.1)


if __name__ == "__main__":
    unittest.main()
