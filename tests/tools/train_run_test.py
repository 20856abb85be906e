"""The training itself, on a tiny network: GPT-2's numbers, runs that stop and resume, and the exported model folder."""

import json
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Callable, Dict, List, Optional

import train_support

train_support.need("numpy", "torch", "regex")

import numpy as np  # noqa: E402
import torch  # noqa: E402

import corpus  # noqa: E402
import emergence  # noqa: E402
import export  # noqa: E402
import gpt2  # noqa: E402
import safetensors_file  # noqa: E402
import score_text  # noqa: E402
import trainer as training  # noqa: E402
from gpt2_reference import Reference  # noqa: E402
from precision import Precision  # noqa: E402


class Network(unittest.TestCase):
    def setUp(self) -> None:
        self.model = gpt2.Gpt2(gpt2.Shape(n_vocab=50, n_ctx=12, d_model=16, n_layer=2, n_head=4), seed=1)
        with torch.no_grad():
            for weight in self.model.parameters():
                weight.add_(torch.randn_like(weight), alpha=0.2)
        self.tensors = gpt2.to_checkpoint(dict(self.model.named_parameters()))
        self.tokens = np.array([3, 49, 7, 7, 0, 12, 31])

    def test_logits_are_gpt2s(self) -> None:
        hooks, logits = Reference(self.tensors, 4).run(self.tokens)
        with torch.no_grad():
            found = self.model(torch.from_numpy(self.tokens)[None], torch.zeros(1, dtype=torch.long))[0].numpy()
        np.testing.assert_allclose(found, logits, rtol=1e-4, atol=1e-4)
        pattern = gpt2.patterns_of(self.model, torch.from_numpy(self.tokens)[None])[1][0].numpy()
        np.testing.assert_allclose(pattern, hooks["blocks.1.attn.hook_pattern"], atol=1e-5)

    def test_a_sequence_starts_at_the_row_it_is_given(self) -> None:
        shifted = {**self.tensors, "wpe.weight": self.tensors["wpe.weight"][4:]}
        _, logits = Reference(shifted, 4).run(self.tokens)
        with torch.no_grad():
            found = self.model(torch.from_numpy(self.tokens)[None], torch.tensor([4]))[0].numpy()
        np.testing.assert_allclose(found, logits, rtol=1e-4, atol=1e-4)

    def test_gelus_slope_is_its_derivative(self) -> None:
        x = torch.linspace(-6, 6, 101, dtype=torch.double, requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(gpt2.Gelu.apply, (x,)))
        wanted = torch.nn.functional.gelu(x, approximate="tanh")
        torch.testing.assert_close(gpt2.Gelu.apply(x), wanted, rtol=1e-12, atol=1e-12)

    def test_positions_start_at_zero(self) -> None:
        fresh = gpt2.Gpt2(self.model.shape, seed=1)
        self.assertEqual(float(fresh.wpe.weight.abs().max()), 0)
        self.assertGreater(float(fresh.wte.weight.std()), 0.015)

    def test_checkpoint_names_and_orientation(self) -> None:
        self.assertEqual(self.tensors["h.1.attn.c_attn.weight"].shape, (16, 48))
        self.assertEqual(self.tensors["h.0.mlp.c_fc.weight"].shape, (16, 64))
        self.assertNotIn("lm_head.weight", self.tensors)
        back = gpt2.from_checkpoint(self.tensors)
        for name, weight in self.model.named_parameters():
            self.assertTrue(torch.equal(back[name], weight), name)


class RunCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        train_support.quietly(cls)
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.top = Path(place.name)
        cls.texts = train_support.write_texts(cls.top / "texts")
        corpus.prepare(cls.texts, cls.top / "data", 300, train_support.TINY["data"], seed=3)
        torch.set_num_threads(1)
        cls.whole = cls.trainer("whole")
        cls.whole.run()

    @classmethod
    def trainer(cls, name: str, config: Optional[Dict[str, dict]] = None) -> training.Trainer:
        """A trainer whose run is in the folder `name`, at its checkpoint if it has one."""
        folder = cls.top / name
        if not folder.exists():
            folder.mkdir()
            (folder / "data").symlink_to(cls.top / "data")
        data = corpus.load(folder / "data")
        made = training.Trainer(config or train_support.TINY, data, folder, Precision("cpu", "f32"))
        if (folder / training.CHECKPOINT).exists():
            made.load()
        return made

    def assert_same(self, one: training.Trainer, other: training.Trainer) -> None:
        self.assertEqual(one.step, other.step)
        self.assertEqual(one.recent_loss, other.recent_loss)
        for name, weight in one.model.named_parameters():
            self.assertTrue(torch.equal(weight, dict(other.model.named_parameters())[name]), name)
            self.assertTrue(torch.equal(one.mean.weights[name], other.mean.weights[name]), name)


    def same_snapshots(self, one: str, other: str) -> List[int]:
        """The steps of the snapshots of both runs, which are the same to the last bit."""
        paths = [sorted((self.top / name / "snapshots").iterdir()) for name in (one, other)]
        self.assertEqual(*([path.name for path in found] for found in paths))
        for first, second in zip(*paths):
            with np.load(first) as a, np.load(second) as b:
                for name in a:
                    np.testing.assert_array_equal(a[name], b[name], f"{first.name} {name}")
        return [int(path.stem) for path in paths[0]]


class Resume(RunCase):
    def test_a_run_in_pieces_ends_with_the_same_weights(self) -> None:
        self.trainer("pieces").run(last_step=5)
        calls = iter([False, False, True])
        self.assertFalse(self.trainer("pieces").run(stopped=lambda: next(calls)))
        last = self.trainer("pieces")
        self.assertEqual(last.step, 7)
        self.assertTrue(last.run())
        self.assertEqual(last.starts, [0, 5, 7])
        self.assert_same(last, self.whole)
        self.assertEqual(self.same_snapshots("pieces", "whole"), [0, 2, 4, 6, 12])

    def test_an_end_that_is_moved_in_time_is_the_end_from_the_start(self) -> None:
        shorter = train_support.tiny(batch={"total_tokens": 1280}, optimiser={"fall_from": 900})
        straight = self.trainer("shorter", shorter)
        straight.run()
        self.trainer("moved").run(last_step=6)
        moved = self.trainer("moved", shorter)
        moved.run()
        self.assert_same(moved, straight)

    def test_a_run_that_goes_on_after_its_end_is_the_longer_one_from_the_start(self) -> None:
        again = {"from": 1536, "warm_up": 256, "rate": 2e-3, "fall_from": 2048, "last_rate": 5e-5, "weight_decay": 0.5}
        for ratio, looks in ((1.8, [0, 2, 4, 6, 12, 20]), (2.6, [0, 2, 5, 14, 20])):  # the first end is looked at, or not
            with self.subTest(ratio=ratio):
                plan = {"snapshots": {"ratio": ratio}}
                longer = train_support.tiny(batch={"total_tokens": 2560}, optimiser={"again": [again]}, **plan)
                straight = self.trainer(f"longer {ratio}", longer)
                straight.run()
                self.trainer(f"prolonged {ratio}", train_support.tiny(**plan)).run()
                prolonged = self.trainer(f"prolonged {ratio}", longer)
                prolonged.run()
                self.assert_same(prolonged, straight)
                self.assertEqual([group["weight_decay"] for group in prolonged.optimiser.param_groups], [0.5, 0.0, 0.0])
                self.assertEqual(self.same_snapshots(f"prolonged {ratio}", f"longer {ratio}"), looks)

    def test_another_configuration_is_refused(self) -> None:
        self.trainer("other").run(last_step=1)
        with self.assertRaisesRegex(ValueError, "another configuration"):
            self.trainer("other", train_support.tiny(optimiser={"rate": 1e-3}))

    def test_something_is_learnt(self) -> None:
        with np.load(self.top / "whole" / "snapshots" / "00000000.npz") as start:
            with np.load(self.top / "whole" / "snapshots" / "00000012.npz") as end:
                self.assertLess(float(end["held_out"]), float(start["held_out"]) - 0.2)
                self.assertEqual(float(np.abs(start["wpe"]).max()), 0)
                np.testing.assert_array_equal(end["wpe"], self.whole.mean.weights["wpe.weight"].numpy())


class Export(RunCase):
    def setUp(self) -> None:
        self.folder = self.top / "model"
        if not self.folder.exists():
            export.export(self.top / "whole", self.folder)

    def test_weights_read_back_are_the_running_mean_in_f16(self) -> None:
        tensors = safetensors_file.read(self.folder / "model.safetensors")
        wanted = gpt2.to_checkpoint(export.cut(self.whole.mean.weights))
        self.assertEqual(list(tensors), list(wanted))
        for name, array in score_text.weights(self.folder / "model.safetensors").items():
            self.assertEqual(array.dtype, np.float16)
            np.testing.assert_array_equal(array, wanted[name].astype(np.float16))
            np.testing.assert_array_equal(array, tensors[name])

    def test_positions_keep_their_mean_and_first_components(self) -> None:
        draw = np.random.default_rng(4)
        signal = draw.normal(size=(60, 5)) @ draw.normal(size=(5, 40)) + draw.normal(size=40)
        noisy = {"wpe.weight": torch.from_numpy(signal + 1e-3 * draw.normal(size=signal.shape)), "other": torch.ones(2)}
        kept = export.cut(noisy)
        self.assertIs(kept["other"], noisy["other"])
        rows = kept["wpe.weight"].numpy()
        np.testing.assert_allclose(rows.mean(0), noisy["wpe.weight"].numpy().mean(0), atol=1e-12)
        self.assertEqual(np.linalg.matrix_rank(rows - rows.mean(0), tol=1e-9), emergence.SHIPPED_RANK)
        self.assertLess(np.linalg.norm(rows - signal), np.linalg.norm(noisy["wpe.weight"].numpy() - signal))

    def test_a_weight_too_large_for_f16_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "f16"), np.errstate(over="ignore"):
            export.in_halves({"wte.weight": torch.full((2, 2), 1e6)})

    def test_the_folder_is_a_gpt2(self) -> None:
        config = json.loads((self.folder / "config.json").read_text())
        sizes = [config[name] for name in ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head")]
        self.assertEqual(sizes, [300, 32, 16, 2, 2])
        self.assertEqual((config["activation_function"], config["bos_token_id"]), ("gelu_new", 299))
        self.assertEqual(len(json.loads((self.folder / "vocab.json").read_text())), 300)
        self.assertIn("MIT", (self.folder / "LICENSE").read_text())

    def test_emergence_has_every_snapshot(self) -> None:
        tensors = safetensors_file.read(self.folder / "emergence.safetensors")
        np.testing.assert_array_equal(tensors["tokens"], [0, 256, 512, 768, 1536, 1536])
        self.assertEqual(tensors["scores"].shape, (6, 32, 16))
        facts = json.loads((self.folder / "card.json").read_text())
        self.assertAlmostEqual(float(tensors["adjacent_cosine"][-1]), facts["wpe"]["adjacent_cosine"], places=5)
        shown = tensors["scores"][-1].astype(float) @ tensors["axes"][-1].astype(float) + tensors["mean"][-1]
        wpe = export.cut(self.whole.mean.weights)["wpe.weight"].numpy()
        np.testing.assert_allclose(shown, wpe, atol=2e-3 * np.abs(wpe).max())

    def test_the_independent_script_finds_the_same_loss(self) -> None:
        facts = json.loads((self.folder / "card.json").read_text())
        text = (self.top / "data" / "held_out.txt").read_text(encoding="utf-8")
        found = score_text.score(self.folder, text, 10**9)
        for name, value in facts["held_out"].items():
            self.assertAlmostEqual(found[name], value, places=4)

    def test_the_card_says_it(self) -> None:
        card = (self.folder / "README.md").read_text(encoding="utf-8")
        facts = json.loads((self.folder / "card.json").read_text())
        self.assertIn(f"{facts['held_out']['loss_per_token']:.3f}", card)
        self.assertNotIn("$", card)
        self.assertNotIn("not finished", card)
        for table in facts["heads"].values():
            self.assertEqual(np.shape(table), (2, 2))


class Command(RunCase):
    def run_command(self, folder: Path, *more: str, then: Optional[Callable] = None) -> subprocess.CompletedProcess:
        config = self.top / "config.json"
        config.write_text(json.dumps(train_support.tiny(seconds={"report": 0})))
        command = [sys.executable, str(train_support.TRAINER / "train.py"), str(folder), "--texts", str(self.texts)]
        command += ["--config", str(config), "--threads", "1", *more]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        said = ""
        for line in process.stdout:
            said += line
            if then and then(line):
                process.send_signal(signal.SIGTERM)
                then = None
        process.stdout.close()
        return subprocess.CompletedProcess(command, process.wait(), said)

    def test_from_texts_to_a_model_with_a_stop_on_the_way(self) -> None:
        stopped = self.run_command(self.top / "command", then=lambda line: "step 2/" in line)
        self.assertEqual(stopped.returncode, 0)
        self.assertIn("goes on from there", stopped.stdout)
        done = self.run_command(self.top / "command", "--model", str(self.top / "made"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("continues at step", done.stdout)
        made = safetensors_file.read(self.top / "made" / "model.safetensors")
        for name, array in gpt2.to_checkpoint(export.cut(self.whole.mean.weights)).items():
            np.testing.assert_array_equal(made[name], array.astype(np.float16))


if __name__ == "__main__":
    unittest.main()
