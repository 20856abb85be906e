"""layer_frames against the exported script: spectra, edges, angles, ranks, the map and the null, on the bundled model and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import differences, recomputed
    from forward_test import helixscope, some_tokens
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT
    from studies import layer_frames

    # Small models have few roundings. Angles in degrees: their sums are up to thousands.
    TOLERANCE = {**layer_frames.TOLERANCE, "others": 1e-4, "angles": 1e-5, "edge": 1e-6, "gap": 1e-3, "mds": 1e-3}


@unittest.skipIf(np is None, "numpy is not installed")
class LayerFrames(unittest.TestCase):
    def check(self, folder, tokens, **given):
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        document = json.loads(helixscope("run", "layer_frames", "--model", folder, "--tokens", ",".join(map(str, tokens)), *words, "--json"))
        there = recomputed(document, layer_frames, folder)
        self.assertEqual(differences(document, there, TOLERANCE, left_out=()), [])
        hidden = [name for name, value in there.items() if np.ma.is_masked(value) and not name.startswith(("rule_", "length_"))]
        self.assertEqual(hidden, [])
        here = {name: np.array(a["data"], float).reshape(a["shape"]) for name, a in document["arrays"].items()}
        scalar = {name: float(s["value"]) for name, s in document["scalars"].items()}
        self.assertEqual(here["length"][-1], scalar["samples"])
        self.assertEqual(here["length_angle"][-1], scalar["mean_angle"])
        rule = layer_frames.CRITERIA.index(document["params"]["criterion"])
        self.assertEqual((here["rule_angle"][rule], here["rule_noise"][rule]), (scalar["mean_angle"], scalar["noise_dimensions"]))
        return here, scalar

    def test_the_bundled_model(self):
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))
        tokens = [token["id"] for token in text["tokens"]]
        for criterion in layer_frames.CRITERIA:
            with self.subTest(criterion=criterion):
                _, scalar = self.check(MINIHELIX, tokens, criterion=criterion)
                if criterion != "gap":
                    self.assertLess(scalar["dispersion"], scalar["random_dispersion"])
        here, _ = self.check(MINIHELIX, tokens, first=1, threshold=0.5)
        self.assertEqual(list(here["length"]), [15, 50, len(tokens) - 1])
        for distance in ("mean", "geodesic"):
            with self.subTest(distance=distance):
                self.check(MINIHELIX, tokens[:40], first=1, distance=distance, tolerance=0.3)

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 120, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for criterion in ("geometric", "share"):  # by the mean eigenvalue random embeddings have no signal
                with self.subTest(criterion=criterion):
                    self.check(folder, some_tokens(90, 97), criterion=criterion)


if __name__ == "__main__":
    unittest.main()
