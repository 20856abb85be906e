"""The verdicts of `helixscope verify` against numpy: claims that hold, that do not, and that cannot be tested, on weights made for each."""

import json
import subprocess
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from forward_test import CLI
    from gpt2_reference import write_checkpoint
    from position_helix_test import read_wpe, real_model


def verify(folder):
    done = subprocess.run([CLI, "verify", "--model", str(folder), "--json"], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)


def counts(document):
    return {name: document["scalars"][name]["value"] for name in ("held", "differ", "untested")}


@unittest.skipIf(np is None, "numpy is not installed")
class VerificationTest(unittest.TestCase):
    def norms_of(self, wpe):
        """Runs verify on GPT-2 small's sizes with these positions, and checks the four numbers it computes."""
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, {"wpe.weight": wpe.astype("<f4"), "h.11.ln_1.weight": np.ones(768, "<f4")})
            status, document = verify(folder)
        norms = np.linalg.norm(wpe.astype("<f4").astype(np.float64), axis=1)
        here = [claim["here"] for claim in document["claims"] if claim["here"] is not None]
        np.testing.assert_allclose(here, [norms.mean(), norms.std(), norms.max(), norms.min()], rtol=1e-12)
        return status, counts(document)

    def test_other_weights_differ(self):
        status, found = self.norms_of(np.random.default_rng(1).normal(0, 0.1, (1024, 768)))
        self.assertEqual(status, 1)
        self.assertEqual(found, {"held": 0, "differ": 4, "untested": 9})

    def test_real_positions_hold_and_scaled_ones_do_not(self):
        folder = real_model()
        if folder is None:
            self.skipTest("no GPT-2 here: set HELIXSCOPE_MODELS to its folder")
        wpe = read_wpe(folder)
        self.assertEqual(self.norms_of(wpe), (0, {"held": 4, "differ": 0, "untested": 9}))
        self.assertEqual(self.norms_of(wpe * 1.001)[0], 1)


if __name__ == "__main__":
    unittest.main()
