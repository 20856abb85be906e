"""position_models against numpy: several models in one run of the program, each with the numbers that numpy finds for it alone."""

import json
import math
import subprocess
import tempfile
import unittest
from pathlib import Path

from position_helix_test import CLI, array, expected, np, read_wpe, real_model, write_wpe

TOLERANCE = 1e-9


def helix(random, count, size, noise):
    t = np.linspace(0, 1, count)
    curve = np.stack([1.3 * np.cos(15 * t), np.sin(15 * t), 2 * t], axis=1)
    return curve @ random.normal(size=(3, size)) + noise * random.normal(size=(count, size))


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class SeveralModels(unittest.TestCase):
    def compare(self, folders, first, last):
        models = [word for folder in folders for word in ("--model", str(folder))]
        command = [CLI, "run", "position_models", *models, "--set", f"first={first}", "--set", f"last={last}", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["scalars"]["models_shown"]["value"], len(folders))
        points, explained = array(document, "points"), array(document, "explained")
        for i, folder in enumerate(folders):
            with self.subTest(model=document["words"]["name"]["data"][i]):
                wpe = read_wpe(folder)
                want = expected(wpe, {"first": first, "last": last})
                here = {name: float(document["arrays"][name]["data"][i]) for name in ("positions", "dimensions", "explained_first3", "components_for_90", "turns", "turns_skipped", "along")}
                self.assertEqual((here["positions"], here["dimensions"]), wpe.shape)
                self.assertAlmostEqual(here["explained_first3"], want["explained_first3"], delta=TOLERANCE)
                self.assertEqual(here["components_for_90"], want["components_for_90"])
                self.assertAlmostEqual(here["turns"], want["turns"], delta=TOLERANCE)
                self.assertEqual(here["turns_skipped"], want["turns_skipped"])
                third = want["points"][:, 2]
                self.assertAlmostEqual(here["along"], np.corrcoef(third, np.arange(len(third)))[0, 1], delta=TOLERANCE)
                np.testing.assert_allclose(explained[i], want["explained"][:8], rtol=0, atol=TOLERANCE)
                there = len(want["points"])
                np.testing.assert_allclose(points[i, :there], want["points"][:, :3], rtol=0, atol=1e-8 * np.abs(want["points"]).max())
                self.assertTrue(np.isnan(points[i, there:]).all())
        self.assertEqual(points.shape[1], max(min(last, len(read_wpe(folder)) - 1) - first + 1 for folder in folders))

    def test_planted(self):
        random = np.random.default_rng(7)
        tables = {"curve": helix(random, 150, 32, 0.01), "short": helix(random, 60, 24, 0.02), "noise": random.normal(size=(90, 40)) * np.linspace(2, 0.5, 40)}
        with tempfile.TemporaryDirectory() as root:
            folders = []
            for name, rows in tables.items():
                folder = Path(root) / name
                folder.mkdir()
                write_wpe(folder, rows)
                folders.append(folder)
            self.compare(folders, 1, 1023)
            self.compare(folders, 5, 50)
            self.compare(folders[::-1], 0, 70)

    def test_beside_gpt2(self):
        real = real_model()
        if real is None:
            self.skipTest("no GPT-2 weights here (set HELIXSCOPE_MODELS to their folder)")
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root) / "curve"
            folder.mkdir()
            write_wpe(folder, helix(np.random.default_rng(11), 200, 48, 0.01))
            self.compare([real, folder], 1, 1023)
        if read_wpe(real).shape == (1024, 768):  # what the text says of GPT-2 small
            self.assertTrue(math.isclose(expected(read_wpe(real), {})["explained_first3"], 0.9106, abs_tol=5e-5))


if __name__ == "__main__":
    unittest.main()
