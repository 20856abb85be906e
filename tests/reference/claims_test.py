"""The table of claims: one claim under every convention, against numpy; and each row against its own study."""

import json
import subprocess
import unittest

from position_helix_test import CLI, ROOT, np, real_model


def sinusoids(base, rows=1024, columns=768):
    angles = np.arange(rows)[:, None] / base ** (2 * np.arange(columns // 2) / columns)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(rows, columns)


def components_for_90(rows, centred):
    rows = rows - rows.mean(0) if centred else rows
    shares = np.cumsum(np.linalg.svd(rows, compute_uv=False) ** 2)
    return int(np.argmax(shares >= 0.9 * shares[-1]) + 1)


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Claims(unittest.TestCase):
    def run_claims(self, model, **given):
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([CLI, "run", "claims", "--model", str(model), *words, "--json"], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_sinusoid_under_every_convention(self):
        found = self.run_claims(ROOT / "assets" / "models" / "gpt2-positions", conventions="F11")
        settings, here = found["words"]["setting"]["data"], found["arrays"]["here"]["data"]
        marked = found["arrays"]["reproduces"]["data"]
        seen = {}
        for setting, number, same in zip(settings, here, marked):
            base, centred = setting.split(", ")
            seen[setting] = int(number)
            self.assertEqual(int(number), components_for_90(sinusoids(float(base.split()[1])), centred == "centred"), setting)
            self.assertEqual(same == 1, number == 153, setting)
        self.assertEqual(seen["Base 1000, centred"], 153)
        self.assertEqual(seen["Base 1024, centred"], 153)
        self.assertEqual(seen["Base 10000, centred"], 137)
        self.assertEqual(seen["Base 10000, not centred"], 113)

    def test_ninety_percent_under_every_convention(self):
        found = self.run_claims(ROOT / "assets" / "models" / "gpt2-positions", conventions="H1")
        here = dict(zip(found["words"]["setting"]["data"], found["arrays"]["here"]["data"]))
        self.assertEqual(len(here), 8)
        for setting, stated in (("Rows 0, to 1023, centred", 0.9039), ("Rows 1, to 1023, centred", 0.9106), ("Rows 1, to 1022, centred", 0.9106), ("Rows 0, to 1023, not centred", 0.8773)):
            self.assertAlmostEqual(here[setting], stated, delta=5e-5, msg=setting)

    @unittest.skipIf(real_model() is None, "GPT-2 small is not at hand")
    def test_the_matrix_of_the_slides_is_one_of_many(self):
        found = self.run_claims(real_model(), conventions="F5")
        marked = [s for s, same in zip(found["words"]["setting"]["data"], found["arrays"]["reproduces"]["data"]) if same == 1]
        self.assertEqual(marked, ["queries (W_Q), Layer 5, not fold the LayerNorm gain"])

    @unittest.skipIf(real_model() is None, "GPT-2 small is not at hand")
    def test_the_claims_of_the_real_weights(self):
        found = self.run_claims(real_model(), only="", about="gpt2-small")
        words, here = found["words"], found["arrays"]["here"]["data"]
        rows = {i: (verdict, number) for i, verdict, number in zip(words["id"]["data"], words["verdict"]["data"], here)}
        for claim, number, digits in (("H1", 0.9106, 4), ("H2", 3.02, 2), ("H5", 0.9511, 4), ("O1", 0.9991, 4), ("F5", 535.5225, 4), ("O4", 0.775, 3), ("F9", 3.3901, 4)):
            self.assertEqual(rows[claim][0], "holds", claim)
            self.assertAlmostEqual(float(rows[claim][1]), number, delta=0.6 * 10**-digits, msg=claim)
        self.assertEqual(rows["F4"][0], "not tested")  # its second half reads wte, the first is computed without it
        self.assertAlmostEqual(float(rows["F4"][1]), 0.403, delta=6e-4)
        self.assertIn("wte.weight", words["needs"]["data"][words["id"]["data"].index("O3")])

    @unittest.skipIf(real_model() is None, "GPT-2 small is not at hand")
    def test_the_tokens_of_the_real_vocabulary(self):
        done = subprocess.run([CLI, "run", "tokens", "--preset", "adam", "--model", str(real_model()), "--json"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        claim = json.loads(done.stdout)["claims"][0]
        self.assertEqual((claim["id"], claim["here"], claim["holds"]), ("H8", 6, True))


if __name__ == "__main__":
    unittest.main()
