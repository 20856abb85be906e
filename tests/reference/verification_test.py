"""The verdicts of `helixscope verify` against numpy: claims that hold, that do not, and that cannot be tested, on weights made for each; and
the numbers of texts (losses, names, greedy generation) on minihelix and on random weights of GPT-2 small's sizes."""

import json
import subprocess
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import disagreements, log_softmax
    from forward_test import CLI, helixscope
    from gpt2_reference import Reference, random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import read_tensors
    from position_helix_test import read_wpe, real_model
    from studies import verification
    from studies.verification import PAIRS, greedy



def verify(folder):
    done = subprocess.run([CLI, "verify", "--model", str(folder), "--json"], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)


def counts(document):
    return {name: document["scalars"][name]["value"] for name in ("held", "differ", "untested")}


HELLO = "Hello world!"
TASKS = "Natural language processing tasks, such as question answering, machine translation, reading comprehension, and summarization, are typically approached with supervised learning on taskspecific datasets."


def here_of(document):
    return {claim["id"]: claim["here"] for claim in document["claims"]}


def run_study(study, folder, *given):
    return json.loads(helixscope("run", study, "--model", folder, *given, "--json"))


if np is not None:

    class Silenced(Reference):
        """hook_v of head 0.8 is zero."""

        def see(self, hooks, name, value):
            if name == "blocks.0.attn.hook_v":
                value = value.copy()
                value[:, 8] = 0
            return super().see(hooks, name, value)


def loss(model, ids):
    logits = model.run(np.asarray(ids))[1]
    return -log_softmax(logits)[np.arange(len(ids) - 1), ids[1:]].mean()


@unittest.skipIf(np is None, "numpy is not installed")
class TextsOfMinihelix(unittest.TestCase):
    """The same words in minihelix' own tokens: nothing published about them, but the same arithmetic."""

    @classmethod
    def setUpClass(cls):
        cls.document = run_study("verification", MINIHELIX)
        cls.model = Reference(read_tensors(MINIHELIX / "model.safetensors"), json.loads((MINIHELIX / "config.json").read_text())["n_head"])
        cls.bos = json.loads((MINIHELIX / "config.json").read_text())["bos_token_id"]

    def ids(self, text):
        return [token["id"] for token in json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", text, "--json"))["tokens"]]

    def test_losses(self):
        here = here_of(self.document)
        self.assertAlmostEqual(here["TL-hello"], loss(self.model, [self.bos, *self.ids(HELLO)]), delta=1e-4)
        self.assertAlmostEqual(here["TL-tasks"], loss(self.model, [self.bos, *self.ids(TASKS)]), delta=1e-4)
        self.assertIsNone(here["TL-tasks-0.8"])  # it has eight heads
        self.assertEqual({c["verdict"] for c in self.document["claims"] if c["about"]}, {"about another model"})

    def test_names_and_greedy(self):
        self.assertEqual(disagreements(self.document, verification, MINIHELIX), [])
        found = self.document["arrays"]["name_difference"]["data"]
        single = [len(self.ids(one)) == len(self.ids(other)) == 1 for _, _, one, other in PAIRS for _ in range(2)]
        self.assertEqual([difference != "nan" for difference in found], single)
        self.assertEqual(sum(single), 4)
        prompts = [before + giver + after for before, after, *names in PAIRS for giver in names]
        self.assertEqual(self.document["words"]["name_prompt"]["data"], prompts)
        self.assertIsNone(here_of(self.document)["TL-names"])

    def test_the_softmax(self):
        claim = next(c for c in self.document["claims"] if c["id"] == "F3")
        self.assertEqual((claim["holds"], claim["stated"]), (True, 1))
        self.assertAlmostEqual(claim["here"], 1, delta=1e-12)
        self.assertLess(self.document["scalars"]["head_error"]["value"], 1e-5)


@unittest.skipIf(np is None, "numpy is not installed")
class SizesOfGpt2(unittest.TestCase):
    """Random weights of GPT-2 small's sizes: every published number is computed, with GPT-2's own ids, and none comes out."""

    @classmethod
    def setUpClass(cls):
        tensors, config = random_checkpoint(12, 768, 12, 1024, 50257, seed=4, spread=0.05)
        cls.folder = tempfile.TemporaryDirectory()
        write_checkpoint(cls.folder.name, tensors, config)
        cls.model, cls.silenced = Reference(tensors, 12), Silenced(tensors, 12)
        cls.words = tensors["wte.weight"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_texts(self):
        status, document = verify(self.folder.name)
        here = here_of(document)
        self.assertEqual(status, 1)
        self.assertEqual(counts(document), {"held": 0, "differ": 18, "untested": 0})
        hello = [50256, 15496, 995, 0]
        tasks = [50256, 35364, 3303, 7587, 8861, 11, 884, 355, 1808, 18877, 11, 4572, 11059, 11, 3555, 35915, 11, 290, 15676, 1634, 11, 389, 6032, 10448, 351, 28679, 4673, 319, 8861, 431, 7790, 40522, 13]
        self.assertAlmostEqual(here["TL-hello"], loss(self.model, hello), delta=1e-3)
        self.assertAlmostEqual(here["TL-tasks"], loss(self.model, tasks), delta=1e-3)
        self.assertAlmostEqual(here["TL-tasks-0.8"], loss(self.silenced, tasks), delta=1e-3)
        self.assertGreater(abs(here["TL-tasks"] - here["TL-tasks-0.8"]), 5e-3)
        self.assertEqual(document["arrays"]["greedy"]["data"], greedy(self.model, [464, 3290], 18).tolist())
        first = self.model.run(np.asarray([50256, 2215, 1757, 290, 5335, 1816, 284, 262, 12437, 11, 1757, 2921, 262, 6131, 284]))[1][-1]
        differences = document["arrays"]["name_difference"]["data"]
        self.assertAlmostEqual(differences[0], first[5335] - first[1757], delta=5e-3)
        self.assertAlmostEqual(here["TL-names"], np.mean(differences), delta=1e-9)
        self.assertAlmostEqual(here["F1"], self.model.run(np.asarray([8888, 356, 460, 467, 284, 262]))[1][-1, 1306], delta=5e-3)
        self.assertIs(next(c for c in document["claims"] if c["id"] == "F3")["holds"], True)

    def test_internet_on_sinusoids(self):
        document = run_study("position_norms", self.folder.name, "--set", "of=sum", "--set", "source=sinusoidal")
        here = here_of(document)
        stated = np.array([19.927237, 20.138176, 19.948368, 19.937489, 20.080328, 20.260506, 20.180273, 20.289295, 20.389450, 20.077616])
        tried = {}
        for token in (37675, 5230):
            e = self.words[token].astype(np.float64)
            for base in (10000, 1000, 1024):
                angles = np.arange(100, 1001, 100)[:, None] / float(base) ** (2 * np.arange(384) / 768)
                p = np.stack([np.sin(angles), np.cos(angles)], 2).reshape(10, 768)
                tried[token, base] = np.linalg.norm(e + p, axis=1)
        best = min(tried, key=lambda key: np.abs(tried[key] - stated).max())
        self.assertAlmostEqual(here["F8-sum"], tried[best][0], delta=1e-9)
        norms = [np.linalg.norm(self.words[token].astype(np.float64)) for token in (37675, 5230)]
        self.assertAlmostEqual(here["F8"], min(norms, key=lambda n: abs(n - 4.272682)), delta=1e-9)
        convention = next(c for c in document["claims"] if c["id"] == "F8-sum")["convention"]
        self.assertIn(f"token {best[0]} and base {best[1]}", convention)

    def test_heads_on_random_tokens(self):
        study = next(s for s in json.loads(helixscope("studies", "--json")) if s["id"] == "head_taxonomy")
        twice = next(p for p in study["presets"] if p["id"] == "random")["fragment"].split("tokens=")[1]
        ids = [50256, *map(int, twice.split(","))]
        self.assertEqual((len(ids), ids[1:31]), (61, ids[31:]))
        document = run_study("head_taxonomy", self.folder.name, "--tokens", ",".join(map(str, ids)))
        pattern = self.model.run(np.asarray(ids))[0]["blocks.5.attn.hook_pattern"][5]
        # Queries 30 to 60: the first row and column are left out.
        expected = np.mean([pattern[q, q - 29] for q in range(30, 61)])
        self.assertAlmostEqual(here_of(document)["IND-5.5"], expected, delta=1e-5)
        self.assertNotIn("T5", here_of(document))
        once = run_study("head_taxonomy", self.folder.name, "--tokens", ",".join(map(str, ids[:31])))
        pattern = self.model.run(np.asarray(ids[:31]))[0]["blocks.4.attn.hook_pattern"][11]
        self.assertAlmostEqual(here_of(once)["PREV-4.11"], np.mean([pattern[q, q - 1] for q in range(2, 31)]), delta=1e-5)


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
        self.assertEqual(found, {"held": 0, "differ": 4, "untested": 14})

    def test_real_positions_hold_and_scaled_ones_do_not(self):
        folder = real_model()
        if folder is None:
            self.skipTest("no GPT-2 here: set HELIXSCOPE_MODELS to its folder")
        wpe = read_wpe(folder)
        self.assertEqual(self.norms_of(wpe), (0, {"held": 4, "differ": 0, "untested": 14}))
        self.assertEqual(self.norms_of(wpe * 1.001)[0], 1)


if __name__ == "__main__":
    unittest.main()
