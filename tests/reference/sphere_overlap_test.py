"""sphere_overlap against numpy: the centres that the seed stands for, their distances, and shared volumes by integration."""

import json
import subprocess
import unittest

from position_helix_test import CLI, np

if np is not None:
    from exported import disagreements
    from studies import sphere_overlap
    from studies.sphere_overlap import log_overlap


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class SphereOverlap(unittest.TestCase):
    def run_it(self, **given):
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([CLI, "run", "sphere_overlap", *words, "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_dimensions(self):
        for count, dimension, seed, epsilon in ((24, 3, 1, 0.01), (20, 40, 2, 0.2), (16, 768, 3, 0.01), (30, 1, 4, 0.1)):
            with self.subTest(dimension=dimension):
                document = self.run_it(count=count, dimension=dimension, seed=seed, epsilon=epsilon)
                self.assertEqual(disagreements(document, sphere_overlap), [])

    def test_the_script_on_balls_whose_overlap_is_known(self):
        """In one dimension they are intervals; in three a lens has a formula."""
        for apart in (1e-6, 0.3, 1.7, 2 - 1e-6):
            self.assertAlmostEqual(log_overlap(apart, 1, 1)[0], np.log(1 - apart / 2), delta=1e-9)
            self.assertAlmostEqual(log_overlap(apart, 3, 1)[0], np.log((4 + apart) * (2 - apart) ** 2 / 16), delta=1e-9)

    def test_what_the_slides_state(self):
        document = self.run_it()
        scalars = {name: float(s["value"]) for name, s in document["scalars"].items()}
        self.assertAlmostEqual(scalars["shell_fraction"], 0.99956, delta=5e-6)
        self.assertEqual(scalars["pairs_overlapping"], 1)
        self.assertAlmostEqual(scalars["mean_with_self"], 0.001, delta=1e-9)
        self.assertAlmostEqual(log_overlap(scalars["stated_distance"], 768, 3.3901)[0], np.log(0.00096), delta=1e-6)
        holds = {claim["id"]: claim["holds"] for claim in document["claims"]}
        self.assertEqual(holds, {"F18": True, "F19": False})


if __name__ == "__main__":
    unittest.main()
