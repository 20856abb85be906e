"""position_cosine against the exported script: on random rows, on the sinusoid, and on the positions that come with the page."""

import json
import subprocess
import tempfile
import unittest

from position_helix_test import CLI, ROOT, np, write_wpe

if np is not None:
    from exported import disagreements
    from studies import position_cosine
    from studies.position_cosine import period_of


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Cosines(unittest.TestCase):
    def compare(self, folder, given):
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        model = ["--model", str(folder)] if folder else []
        done = subprocess.run([CLI, "run", "position_cosine", *model, *words, "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(disagreements(document, position_cosine, folder), [])
        return {name: float(s["value"]) for name, s in document["scalars"].items()}

    def test_random(self):
        rows = np.random.default_rng(3).normal(size=(90, 24)).astype("<f4").astype(float)
        with tempfile.TemporaryDirectory() as folder:
            write_wpe(folder, rows)
            for given in ({}, {"centre": "true"}, {"first": "5", "last": "60"}):
                self.compare(folder, given)

    def test_sinusoid(self):
        scalars = self.compare(None, {"source": "sinusoidal"})
        self.assertAlmostEqual(scalars["adjacent_mean"], 0.97336, delta=5e-6)

    def test_tokens_with_positions(self):
        from gpt2_reference import random_checkpoint, write_checkpoint

        tensors, config = random_checkpoint(1, 24, 3, 80, 200, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            alone = self.compare(folder, {"of": "tokens", "token": "50"})
            both = self.compare(folder, {"of": "sum", "token": "50"})
            self.assertAlmostEqual(both["near_minus_far_tokens"], alone["near_minus_far"], delta=1e-12)
            sinusoids = self.compare(folder, {"of": "sum", "token": "50", "source": "sinusoidal"})
            self.assertGreater(sinusoids["near_minus_far"], 0.1)
            self.compare(folder, {"of": "tokens", "token": "199"})  # beyond the end of the vocabulary the tokens begin earlier

    def test_walks(self):
        rows = np.random.default_rng(5).normal(size=(300, 16)).cumsum(0).astype("<f4").astype(float)
        with tempfile.TemporaryDirectory() as folder:
            write_wpe(folder, rows)
            for centre in ("false", "true"):
                self.compare(folder, {"centre": centre})

    def test_the_script_on_a_profile_that_is_known(self):
        lags = np.arange(1000)
        profile = np.cos(2 * np.pi * lags / 400)
        self.assertEqual(period_of(profile), (400, 200))
        self.assertEqual(period_of(profile[::4], 4), (400, 200))
        self.assertTrue(np.isnan(period_of(1 - lags / 1000)).all())

    def test_gpt2_small(self):
        folder = ROOT / "assets" / "models" / "gpt2-positions"
        scalars = self.compare(folder, {})
        self.assertAlmostEqual(scalars["adjacent_mean"], 0.9974, delta=5e-5)
        self.assertAlmostEqual(scalars["period"], 545, delta=3)
        self.compare(folder, {"first": "1", "last": "1022", "centre": "true"})


if __name__ == "__main__":
    unittest.main()
