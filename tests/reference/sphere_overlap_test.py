"""sphere_overlap against numpy: the centres that the seed stands for, their distances, and shared volumes by integration."""

import json
import subprocess
import unittest

from position_helix_test import CLI, array, np
from rope_test import splitmix

RADIUS, LENGTH = 3.3901, 3.9585


def centres(count, dimension, seed):
    numbers = splitmix(seed)
    uniform = np.array([next(numbers) for _ in range(2 * count * dimension)]).reshape(-1, 2)
    normal = np.sqrt(-2 * np.log(uniform[:, 0])) * np.cos(2 * np.pi * uniform[:, 1])
    return normal.reshape(count, dimension) * LENGTH / np.sqrt(dimension)


def log_integral(power, start, steps=20000):
    """ln of the integral of sin(t)^power over t from 0 to `start`, by Simpson's rule with its largest value taken out."""
    t = np.linspace(0, start, steps + 1)[1:]
    logs = power * np.log(np.sin(t))
    weights = np.where(np.arange(1, steps + 1) % 2, 4.0, 2.0)
    weights[-1] = 1
    return logs.max() + np.log((weights * np.exp(logs - logs.max())).sum() * (start / steps) / 3)


def log_overlap(distance, dimension, radius=RADIUS):
    """Two caps over a whole ball; a cap is the integral of sin^n up to the half-angle that it is seen at."""
    if distance >= 2 * radius:
        return -np.inf
    return log_integral(dimension, np.arccos(distance / (2 * radius))) - log_integral(dimension, np.pi / 2)


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class SphereOverlap(unittest.TestCase):
    def run_it(self, **given):
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([CLI, "run", "sphere_overlap", *words, "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def compare(self, count, dimension, seed, epsilon):
        document = self.run_it(count=count, dimension=dimension, seed=seed, epsilon=epsilon)
        scalars = {name: float(s["value"]) for name, s in document["scalars"].items()}
        rows = centres(count, dimension, seed)
        apart = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(-1))[np.triu_indices(count, 1)]
        logs = np.array([log_overlap(d, dimension) for d in apart])
        largest = logs.max()
        mean = largest + np.log(np.exp(logs - largest).mean())
        self.assertAlmostEqual(scalars["log10_mean_fraction"], mean / np.log(10), delta=1e-6 * max(1, abs(mean)))
        self.assertAlmostEqual(scalars["mean_with_self"], (count + count * (count - 1) * np.exp(mean)) / count**2, delta=1e-9)
        self.assertAlmostEqual(scalars["pairs_overlapping"], (apart < 2 * RADIUS).mean(), delta=1e-12)
        self.assertAlmostEqual(scalars["mean_distance"], apart.mean(), delta=1e-9)
        self.assertAlmostEqual(scalars["shell_fraction"], 1 - (1 - epsilon) ** dimension, delta=1e-12)
        np.testing.assert_allclose(array(document, "shell"), 1 - (1 - epsilon) ** np.arange(1, dimension + 1), atol=1e-12)
        middle = array(document, "distance")
        edges = np.append(middle - (middle[1] - middle[0]) / 2, middle[-1] + (middle[1] - middle[0]) / 2)
        np.testing.assert_array_equal(array(document, "histogram"), np.histogram(apart, edges)[0])
        for i in range(0, len(middle), 9):
            self.assertAlmostEqual(array(document, "log10_fraction")[i], log_overlap(middle[i], dimension) / np.log(10), delta=1e-5)

    def test_dimensions(self):
        for count, dimension, seed, epsilon in ((24, 3, 1, 0.01), (20, 40, 2, 0.2), (16, 768, 3, 0.01)):
            with self.subTest(dimension=dimension):
                self.compare(count, dimension, seed, epsilon)

    def test_what_the_slides_state(self):
        document = self.run_it()
        scalars = {name: float(s["value"]) for name, s in document["scalars"].items()}
        self.assertAlmostEqual(scalars["shell_fraction"], 0.99956, delta=5e-6)
        self.assertEqual(scalars["pairs_overlapping"], 1)
        self.assertAlmostEqual(scalars["mean_with_self"], 0.001, delta=1e-9)
        self.assertAlmostEqual(log_overlap(scalars["stated_distance"], 768), np.log(0.00096), delta=1e-6)
        holds = {claim["id"]: claim["holds"] for claim in document["claims"]}
        self.assertEqual(holds, {"F18": True, "F19": False})


if __name__ == "__main__":
    unittest.main()
