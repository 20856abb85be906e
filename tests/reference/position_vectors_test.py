"""position_vectors against numpy's SVD: random rows and the positions of GPT-2 small, with the numbers of claim O6."""

import json
import subprocess
import tempfile
import unittest

from position_helix_test import CLI, ROOT, array, np, read_wpe, write_wpe


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Vectors(unittest.TestCase):
    def compare(self, rows, model, count=5, **given):
        words = [word for key, value in {"count": count, **given}.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([CLI, "run", "position_vectors", *model, *words, "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        scalars = {name: float(s["value"]) for name, s in document["scalars"].items()}
        rows = rows - rows.mean(0) if given.get("centre") != "false" else rows
        u, values, v = np.linalg.svd(rows, full_matrices=False)
        signs = np.sign(v[np.arange(len(v)), np.abs(v).argmax(1)])
        u, v = (u * signs).T[:count], (v * signs[:, None])[:count]
        np.testing.assert_allclose(array(document, "left"), u, atol=1e-7)
        np.testing.assert_allclose(array(document, "right"), v, atol=1e-7)
        np.testing.assert_allclose(array(document, "participation"), 1 / (v**4).sum(1), rtol=1e-6)
        mass = np.sort((v**2).mean(0))[::-1]
        self.assertEqual(scalars["union_90"], np.searchsorted(mass.cumsum(), 0.9) + 1)
        self.assertLess(abs(scalars["random_participation"] / (rows.shape[1] / 3) - 1), 0.15)
        return document, scalars

    def test_random(self):
        rows = (np.random.default_rng(8).normal(size=(200, 60)) * np.linspace(9, 1, 60)).astype("<f4").astype(float)
        with tempfile.TemporaryDirectory() as folder:
            write_wpe(folder, rows)
            self.compare(rows, ["--model", folder])
            self.compare(rows, ["--model", folder], count=9, centre="false")

    def test_gpt2_small(self):
        folder = ROOT / "assets" / "models" / "gpt2-positions"
        document, scalars = self.compare(read_wpe(folder), ["--model", str(folder)])
        np.testing.assert_allclose(array(document, "participation"), (20.3, 20.8, 24.3, 18.9, 26.2), atol=0.05)
        self.assertEqual(list(array(document, "over_threshold")), [30, 33, 37, 40, 48])
        self.assertEqual(scalars["union_90"], 49)
        self.assertEqual(list(np.argsort(-array(document, "mass"))[:6]), [745, 402, 724, 289, 525, 36])
        self.assertEqual(document["claims"], [])  # the text decomposes the table as it is
        np.testing.assert_allclose(array(document, "wave_r2"), (0.832, 0.819, 0.915, 0.741, 0.392), atol=2e-3)
        document, scalars = self.compare(read_wpe(folder), ["--model", str(folder)], centre="false")
        np.testing.assert_allclose(array(document, "participation"), (20.4, 20.9, 24.2, 11.5, 27.9), atol=0.05)
        np.testing.assert_allclose(array(document, "wave_r2"), (0.833, 0.817, 0.913, 0.746, 0.632), atol=2e-3)
        (claim,) = document["claims"]
        least = array(document, "walk_wave_r2").min()  # of random walks with steps as long, the outliers' steps among them
        self.assertLess(least, array(document, "wave_r2").min())
        self.assertEqual((claim["id"], claim["holds"]), ("O6", True))
        self.assertAlmostEqual(claim["here"], 37.4, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
