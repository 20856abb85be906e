"""spectrum against numpy's SVD: random rows, the positions that come with the page, and W_Q of layer 5 where it is at hand."""

import json
import subprocess
import tempfile
import unittest

from position_helix_test import CLI, ROOT, array, np, read_wpe, real_model, write_wpe

if np is not None:
    from exported import spectrum


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class SingularValues(unittest.TestCase):
    def run_on(self, model, **given):
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([CLI, "run", "spectrum", "--model", str(model), *words, "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        return document, {name: float(s["value"]) for name, s in document["scalars"].items()}

    def compare(self, rows, model, **given):
        rows = rows - rows.mean(0) if given.get("centre") == "true" else rows
        there = spectrum.of_values(np.linalg.svd(rows, compute_uv=False))
        values = there["singular_values"]
        document, scalars = self.run_on(model, **given)
        np.testing.assert_allclose(array(document, "singular_values"), values, rtol=1e-9, atol=1e-7 * values[0])
        self.assertAlmostEqual(scalars["entropy"], there["entropy"], delta=1e-7)
        self.assertAlmostEqual(scalars["effective_rank"], there["effective_rank"], delta=1e-6 * there["effective_rank"])
        self.assertAlmostEqual(scalars["energy_top30"], there["energy_top30"], delta=1e-12)
        return values, scalars

    def test_random(self):
        rows = np.random.default_rng(5).normal(size=(120, 48)).astype("<f4").astype(float)
        with tempfile.TemporaryDirectory() as folder:
            write_wpe(folder, rows)
            values, scalars = self.compare(rows, folder)
            self.assertAlmostEqual(scalars["condition"], values[0] / values[-1], delta=1e-9 * values[0] / values[-1])
            self.assertAlmostEqual(scalars["log_volume"], np.log(values).sum(), delta=1e-9)

    def test_gpt2_small(self):
        folder = ROOT / "assets" / "models" / "gpt2-positions"
        values, scalars = self.compare(read_wpe(folder), folder)
        for value, stated in zip(values, (61.95, 60.94, 53.24, 22.70, 15.98)):
            self.assertAlmostEqual(value, stated, delta=0.005)
        self.assertAlmostEqual(scalars["energy_top30"], 0.9991, delta=5e-5)
        self.compare(read_wpe(folder), folder, centre="true")

    @unittest.skipIf(real_model() is None, "GPT-2 small is not at hand")
    def test_the_matrix_of_the_slides(self):
        document, scalars = self.run_on(real_model(), matrix="q", layer=5)
        self.assertAlmostEqual(scalars["effective_rank"], 535.5225, delta=5e-4)
        self.assertAlmostEqual(scalars["condition"], 34823.8, delta=0.5)
        self.assertAlmostEqual(scalars["log_volume"], 393.941, delta=5e-3)
        (claim,) = [c for c in document["claims"] if c["id"] == "F5"]
        self.assertTrue(claim["holds"])


if __name__ == "__main__":
    unittest.main()
