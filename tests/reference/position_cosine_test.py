"""position_cosine against numpy: on random rows, on the sinusoid, and on the positions that come with the page."""

import json
import subprocess
import tempfile
import unittest

from position_helix_test import CLI, ROOT, array, np, read_wpe, write_wpe

if np is not None:
    from exported import sinusoidal
    from studies.position_cosine import near_minus_far


def expected(rows, first, last, centre):
    rows = rows[first : last + 1]
    rows = rows - rows.mean(0) if centre else rows
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosine = unit @ unit.T
    off = cosine[np.triu_indices(len(rows), 1)]
    return cosine, np.array([np.diagonal(cosine, lag).mean() for lag in range(len(rows))]), off.mean()


def shuffled(rows, state=1):
    """Fisher and Yates by splitmix64, as the study orders its tokens."""
    rows, mask = rows.copy(), (1 << 64) - 1
    for i in range(len(rows), 1, -1):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        rows[[i - 1, (z ^ (z >> 31)) % i]] = rows[[(z ^ (z >> 31)) % i, i - 1]]
    return rows


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Cosines(unittest.TestCase):
    def compare(self, rows, model, given):
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([CLI, "run", "position_cosine", *model, *words, "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        last = min(int(given.get("last", 1023)), len(rows) - 1)
        cosine, by_lag, shuffled = expected(rows, int(given.get("first", 0)), last, given.get("centre") == "true")
        np.testing.assert_allclose(array(document, "cosine"), cosine, atol=1e-7)
        np.testing.assert_allclose(array(document, "by_lag"), by_lag, atol=1e-12)
        scalars = {name: float(s["value"]) for name, s in document["scalars"].items()}
        self.assertAlmostEqual(scalars["shuffled_mean"], shuffled, delta=1e-12)
        adjacent = np.diagonal(cosine, 1)
        self.assertAlmostEqual(scalars["adjacent_spread"], adjacent.max() - adjacent.min(), delta=1e-12)
        return scalars

    def test_random(self):
        rows = np.random.default_rng(3).normal(size=(90, 24)).astype("<f4").astype(float)
        with tempfile.TemporaryDirectory() as folder:
            write_wpe(folder, rows)
            for given in ({}, {"centre": "true"}, {"first": "5", "last": "60"}):
                self.compare(rows, ["--model", folder], given)

    def test_sinusoid(self):
        scalars = self.compare(sinusoidal(1024, 768, 10000), [], {"source": "sinusoidal"})
        self.assertAlmostEqual(scalars["adjacent_mean"], 0.97336, delta=5e-6)

    def test_tokens_with_positions(self):
        from gpt2_reference import random_checkpoint, write_checkpoint

        tensors, config = random_checkpoint(1, 24, 3, 80, 200, spread=0.2)
        wte, wpe = (tensors[name].astype(float) for name in ("wte.weight", "wpe.weight"))
        words = shuffled(wte[50:130])
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            model = ["--model", folder]
            self.compare(words, model, {"of": "tokens", "token": "50"})
            scalars = self.compare(words + wpe, model, {"of": "sum", "token": "50"})
            alone, both = (near_minus_far(expected(rows, 0, 79, False)[1]) for rows in (words, words + wpe))
            self.assertAlmostEqual(scalars["near_minus_far"], both, delta=1e-12)
            self.assertAlmostEqual(scalars["near_minus_far_tokens"], alone, delta=1e-12)
            sinusoids = self.compare(words + sinusoidal(80, 24, 10000), model, {"of": "sum", "token": "50", "source": "sinusoidal"})
            self.assertGreater(sinusoids["near_minus_far"], 0.1)
            # Beyond the end of the vocabulary the tokens begin earlier.
            self.compare(shuffled(wte[120:]), model, {"of": "tokens", "token": "199"})

    def test_walks(self):
        from controls_test import walk

        rows = np.random.default_rng(5).normal(size=(300, 16)).cumsum(0).astype("<f4").astype(float)
        with tempfile.TemporaryDirectory() as folder:
            write_wpe(folder, rows)
            for centre in ("false", "true"):
                done = subprocess.run([CLI, "run", "position_cosine", "--model", folder, "--set", f"centre={centre}", "--json"], capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)
                document = json.loads(done.stdout)
                walks = [expected(walk(rows, np.random.default_rng(seed)), 0, 299, centre == "true")[1] for seed in range(1, 21)]
                lags = array(document, "walk_lag").astype(int)
                self.assertEqual(list(lags[:3]), [0, 3, 6])
                np.testing.assert_allclose(array(document, "walk_adjacent"), [profile[1] for profile in walks], atol=1e-9)
                np.testing.assert_allclose(array(document, "walk_least"), np.min(walks, axis=0)[lags], atol=1e-9)
                np.testing.assert_allclose(array(document, "walk_most"), np.max(walks, axis=0)[lags], atol=1e-9)

    def test_gpt2_small(self):
        folder = ROOT / "assets" / "models" / "gpt2-positions"
        scalars = self.compare(read_wpe(folder), ["--model", str(folder)], {})
        self.assertAlmostEqual(scalars["adjacent_mean"], 0.9974, delta=5e-5)
        self.assertAlmostEqual(scalars["period"], 545, delta=3)
        self.compare(read_wpe(folder), ["--model", str(folder)], {"first": "1", "last": "1022", "centre": "true"})


if __name__ == "__main__":
    unittest.main()
