"""position_dimension against numpy: sinusoids by a plain scan of frequencies, on random rows and GPT-2 small's positions."""

import json
import subprocess
import tempfile
import unittest

from position_helix_test import CLI, ROOT, array, np, read_wpe, write_wpe

if np is not None:
    from exported import sinusoidal


def best_fits(columns, cycles):
    """R² and frequency of the best of these frequencies, for each column."""
    n = len(columns)
    t = np.arange(n)
    energy = ((columns - columns.mean(0)) ** 2).sum(0)
    best, at = np.full(columns.shape[1], -1.0), np.zeros(columns.shape[1])
    for f in cycles:
        basis, _ = np.linalg.qr(np.c_[np.ones(n), np.cos(2 * np.pi * f * t / n), np.sin(2 * np.pi * f * t / n)])
        r2 = 1 - ((columns - basis @ (basis.T @ columns)) ** 2).sum(0) / energy
        better = r2 > best
        best[better], at[better] = r2[better], f
    return best, at


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Dimensions(unittest.TestCase):
    def run_on(self, model, **given):
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([CLI, "run", "position_dimension", *model, *words, "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        return document, {name: float(s["value"]) for name, s in document["scalars"].items()}

    def compare(self, rows, model, cycles, slack, **given):
        document, scalars = self.run_on(model, **given)
        r2, all_cycles = array(document, "all_r2"), array(document, "all_cycles")
        best, _ = best_fits(rows, cycles)
        self.assertGreater((r2 - best).min(), -slack)  # the scan finds nothing better
        for j in range(0, rows.shape[1], 37):  # and each is what its own frequency gives
            exact, _ = best_fits(rows[:, j : j + 1], [all_cycles[j]])
            self.assertAlmostEqual(r2[j], exact[0], delta=1e-9)
        chosen = array(document, "chosen").astype(int)
        np.testing.assert_allclose(array(document, "values"), rows.T[chosen], atol=1e-12)
        left = ((array(document, "values") - array(document, "fitted")) ** 2).sum(1)
        np.testing.assert_allclose(1 - left / (rows.var(0)[chosen] * len(rows)), r2[chosen], atol=1e-9)
        self.assertAlmostEqual(scalars["explained"], (r2 * rows.var(0)).sum() / rows.var(0).sum(), delta=1e-9)
        return document, scalars

    def test_random(self):
        rows = np.random.default_rng(6).normal(size=(300, 40)).astype("<f4").astype(float)
        with tempfile.TemporaryDirectory() as folder:
            write_wpe(folder, rows)
            _, scalars = self.compare(rows, ["--model", folder], np.arange(0.5, 150, 0.05), 0.012, dimensions="3,17")
            self.assertLess(abs(scalars["explained"] - scalars["shuffled_explained"]), 0.01)

    def test_sinusoid(self):
        document, _ = self.run_on([], source="sinusoidal", dimensions="0,100,301")
        rows = sinusoidal(1024, 768, 10000)
        np.testing.assert_allclose(array(document, "values"), rows.T[[0, 100, 301]], atol=1e-12)
        np.testing.assert_allclose(array(document, "r2"), 1, atol=1e-9)

    def test_gpt2_small(self):
        folder = ROOT / "assets" / "models" / "gpt2-positions"
        rows = read_wpe(folder)
        document, scalars = self.compare(rows, ["--model", str(folder)], np.arange(0.5, 40, 0.05), 0.012)
        self.assertEqual(list(array(document, "chosen")), [745, 402, 724, 289, 525, 36])
        np.testing.assert_allclose(array(document, "r2"), (0.903, 0.742, 0.909, 0.903, 0.804, 0.911), atol=2e-3)
        self.assertAlmostEqual(scalars["median_r2"], 0.2035, delta=1e-3)
        self.assertLess(scalars["shuffled_median_r2"], 0.03)
        self.assertGreater(scalars["explained"], 0.7)


if __name__ == "__main__":
    unittest.main()
