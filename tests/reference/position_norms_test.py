"""position_norms against numpy: random rows, the sinusoid, the positions and tokens that come with the page."""

import json
import subprocess
import tempfile
import unittest

from position_helix_test import CLI, ROOT, array, np, read_wpe, write_wpe

if np is not None:
    from exported import sinusoidal


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Norms(unittest.TestCase):
    def run_on(self, model, **given):
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([CLI, "run", "position_norms", *model, *words, "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        return document, {name: float(s["value"]) for name, s in document["scalars"].items()}

    def compare(self, rows, model, **given):
        norms = np.linalg.norm(rows, axis=1)
        document, scalars = self.run_on(model, **given)
        np.testing.assert_allclose(array(document, "norm"), norms, rtol=1e-12, atol=1e-12)
        for name, value in (("mean", norms.mean()), ("std", norms.std()), ("max", norms.max()), ("min", norms.min())):
            self.assertAlmostEqual(scalars[name], value, delta=1e-10)
        # What shuffling every column keeps: the mean square, and the variance of squared norms that independent columns add up to.
        self.assertAlmostEqual(scalars["shuffled_mean"] ** 2 + scalars["shuffled_std"] ** 2, (norms**2).mean(), delta=1e-9 * (norms**2).mean())
        return document, scalars

    def test_random(self):
        rows = np.random.default_rng(4).normal(size=(700, 96))
        rows[3] *= 2
        rows = rows.astype("<f4").astype(float)
        with tempfile.TemporaryDirectory() as folder:
            write_wpe(folder, rows)
            _, scalars = self.compare(rows, ["--model", folder])
            expected = np.sqrt((rows**2).var(0).sum()) / (2 * scalars["shuffled_mean"])  # to first order
            self.assertAlmostEqual(scalars["shuffled_std"], expected, delta=0.2 * expected)
            self.compare(rows[5:61], ["--model", folder], first=5, last=60)

    def test_sinusoid(self):
        _, scalars = self.compare(sinusoidal(1024, 768, 1000), [], source="sinusoidal", base=1000)
        self.assertAlmostEqual(scalars["mean"], 19.5959, delta=5e-5)

    def test_gpt2_small(self):
        folder = ROOT / "assets" / "models" / "gpt2-positions"
        document, scalars = self.compare(read_wpe(folder), ["--model", str(folder)])
        for name, stated in (("mean", 3.3901), ("std", 0.2620), ("max", 9.8756), ("min", 0.1179)):
            self.assertAlmostEqual(scalars[name], stated, delta=5e-5)
        norms = array(document, "norm")
        np.testing.assert_allclose(norms[:5], (9.876, 5.192, 4.585, 4.336, 4.181), atol=5e-4)
        self.assertEqual((scalars["max_row"], scalars["min_row"], scalars["outliers"]), (0, 1023, 6))
        self.assertAlmostEqual(np.sort(norms)[1], 3.240, delta=5e-4)
        (claim,) = document["claims"]
        self.assertEqual((claim["id"], claim["holds"]), ("F9", True))

    def test_minihelix(self):
        model = ["--model", str(ROOT / "assets" / "models" / "minihelix")]
        document, scalars = self.run_on(model, of="wte")
        norms = array(document, "norm")
        self.assertAlmostEqual(scalars["std"], norms.std(), delta=1e-10)
        added, numbers = self.run_on(model, of="sum", token=7)
        self.assertAlmostEqual(numbers["token_norm"], norms[7], delta=1e-10)
        alone, _ = self.run_on(model)
        np.testing.assert_allclose(array(added, "orthogonal"), np.hypot(norms[7], array(alone, "norm")), rtol=1e-12)


if __name__ == "__main__":
    unittest.main()
