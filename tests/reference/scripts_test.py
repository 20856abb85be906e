"""The exported scripts, run as a reader runs them: `run STUDY --python F`, then `python3 F MODEL`. They agree with the program,
and notice every number that is another one."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import numpy
except ImportError:
    numpy = None

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("HELIXSCOPE_CLI") or str(ROOT / "build" / "native" / "helixscope")
MODELS = ROOT / "assets" / "models"
STUDIES = sorted(path.stem for path in (ROOT / "assets" / "python" / "studies").glob("*.py"))
MINIHELIX, POSITIONS = "minihelix", "gpt2-positions"
TEXT = ("--prompt", "The man saw a dog in the park, and the dog saw the man")
VIEW = re.compile(r'json\.loads\(r"""(.*?)"""\)', re.S)

# For each study: the model and what else is asked for, beside the study's defaults on minihelix.
SETTINGS = {
    "attention": [
        (MINIHELIX, "--set", "layer=4", "--set", "head=2", "--set", "stage=scores"),
        (MINIHELIX, "--set", "layer=3", "--set", "stage=masked", "--edit", "no_mask"),
        (MINIHELIX, "--bos", "--set", "layer=5", "--set", "head=7", "--edit", "freeze_patterns", "--edit", "zero_positions"),
    ],
    "attention_dose": [
        (MINIHELIX, "--set", "layer=5", "--set", "key=7", "--set", "height=60"),
        (MINIHELIX, "--bos", "--set", "layer=3", "--set", "head=2", "--set", "query=9", "--edit", "zero_mlp:4"),
    ],
    "attention_sink": [(MINIHELIX, "--set", "layer=3", "--set", "dimensions=5,80"), (MINIHELIX, "--set", "without=mlp", "--edit", "ablate_head:4.2", "--edit", "no_mask")],
    "averaged_positions": [
        (MINIHELIX, "--set", "averaged=extended", "--set", "before=2", "--set", "groups=3", "--set", "window=40", "--bos"),
        (MINIHELIX, "--set", "text=prompt", "--set", "groups=2", "--set", "group=3", "--set", "every=4", "--edit", "scale_head:4.4:0.3"),
    ],
    "binary_positions": [(MINIHELIX, "--set", "bits=8")],
    "collisions": [(MINIHELIX, "--set", "word= house", "--set", "position=200", "--set", "count=7")],
    "continuation": [(MINIHELIX, "--set", "count=6", "--edit", "scale_head:4.2:0.5"), (MINIHELIX, "--set", "choice=sampled", "--set", "count=4")],
    "edit_reach": [(MINIHELIX, "--edit", "zero_positions"), (MINIHELIX, "--set", "position=2", "--set", "by=7")],
    "extended_positions": [
        (MINIHELIX, "--set", "prompts=2", "--set", "hook=ln1", "--set", "side=left", "--set", "centre=0", "--set", "first=0"),
        (MINIHELIX, "--set", "layer=5", "--set", "hook=ln1_normalized", "--set", "word= cat", "--set", "threshold=1"),
    ],
    "head_logits": [
        (MINIHELIX, "--bos", "--set", "answer= dog", "--set", "against= man"),
        (MINIHELIX, "--set", "value_bias=heads", "--edit", "ablate_head:5.0", "--edit", "scale_attn:2:2"),
    ],
    "head_sources": [
        (MINIHELIX, "--set", "layer=4", "--set", "head=2", "--set", "through=queries", "--set", "target=previous"),
        (MINIHELIX, "--set", "target=induction", "--set", "query=9"),
        (MINIHELIX, "--set", "layer=2", "--set", "query=5", "--edit", "no_mask", "--edit", "scale_head:0.1:2", "--edit", "zero_mlp:1"),
    ],
    "head_taxonomy": [
        (MINIHELIX, "--set", "min_length=4", "--edit", "scale_attn:2:3"),
        (MINIHELIX, "--edit", "no_mask"),
        (MINIHELIX, "--bos", "--set", "window=7", "--set", "first_lag=0", "--set", "last_lag=2", "--edit", "scale_attn:2:3"),
        (MINIHELIX, "--set", "window=5", "--set", "min_length=2"),
    ],
    "layer_frames": [
        *((MINIHELIX, "--set", f"criterion={criterion}", "--set", "first=1") for criterion in ("median", "geometric", "share", "gap")),
        (MINIHELIX, "--set", "ln_f=1", "--set", "threshold=0.5"),
    ],
    "logit_lens": [(MINIHELIX, "--set", f"norm={norm}", "--set", "position=3") for norm in ("none", "twice", "frozen")],
    "permutation": [(MINIHELIX, "--set", "positions=0", "--set", "mask=0", "--set", "seed=5"), (MINIHELIX, "--edit", "zero_mlp:2")],
    "position_cosine": [
        (POSITIONS, "--set", "last=400", "--set", "centre=1"),
        (MINIHELIX, "--set", "of=tokens", "--set", "token=50", "--set", "last=300"),
        (MINIHELIX, "--set", "of=sum", "--set", "first=10"),
        (MINIHELIX, "--set", "of=sum", "--set", "source=sinusoidal", "--set", "last=90"),
    ],
    "model_card": [(POSITIONS,)],
    "position_dimension": [(MINIHELIX, "--set", "dimensions=3,17", "--set", "first=4", "--set", "last=200"), (MINIHELIX, "--set", "source=sinusoidal", "--set", "dimensions=0,100")],
    "position_emergence": [(MINIHELIX, "--set", "step=0"), (MINIHELIX, "--set", "step=17")],
    "position_helix": [
        (POSITIONS,),
        (POSITIONS, "--set", "plane=1,3", "--set", "centre=0", "--set", "last=99"),
        (MINIHELIX, "--set", "first=5", "--set", "last=45", "--set", "fit_first=0", "--set", "fit_last=20", "--set", "group=3"),
        (MINIHELIX, "--set", "source=sinusoidal", "--set", "first=0", "--set", "dimensions=64"),
        (MINIHELIX, "--control", "walk:3"),
        (MINIHELIX, "--control", "rows:3", "--set", "plane=2,2"),
        (POSITIONS, "--control", "noise:5", "--set", "last=200"),
    ],
    "position_models": [(POSITIONS, "--set", "first=5", "--set", "last=300")],
    "position_norms": [
        (POSITIONS, "--set", "first=3", "--set", "last=700"),
        (MINIHELIX, "--set", "of=wte"),
        (MINIHELIX, "--set", "of=sum", "--set", "token=7"),
        (MINIHELIX, "--set", "of=sum", "--set", "source=sinusoidal", "--set", "base=500"),
    ],
    "position_scores": [(MINIHELIX, "--set", "head=5", "--set", "biases=0", "--set", "first=3", "--set", "last=90"), (MINIHELIX, "--set", "head=-1")],
    "position_share": [
        (POSITIONS, "--set", "window=300"),
        (MINIHELIX, "--bos", "--set", "windows=9", "--set", "window=40", "--set", "layer=99", "--edit", "zero_mlp:2"),
        (MINIHELIX, "--set", "text=prompt", "--set", "windows=4", "--set", "window=5", "--set", "first=0"),
    ],
    "position_vectors": [(POSITIONS, "--set", "centre=0"), (MINIHELIX, "--set", "count=3", "--set", "threshold=0.1")],
    "predictions": [
        (MINIHELIX, "--set", "temperature=0.7", "--set", "position=3", "--edit", "ablate_head:4.2", "--edit", "scale_attn:1:2"),
        (MINIHELIX, "--bos", "--edit", "average_extended:2:10", "--edit", "zero_mlp:1"),
        (MINIHELIX, "--control", "weights:3", "--edit", "permute_positions:7"),
    ],
    "qk_symmetry": [(MINIHELIX, "--set", "identity=1", "--set", "layer=3", "--set", "head=5"), (MINIHELIX, "--set", "gain=1", "--set", "centre=1", "--set", "identity=1")],
    "rope": [(MINIHELIX, "--set", "pairing=half", "--set", "base=500000", "--set", "shift=100", "--set", "seed=5")],
    "score_parts": [(MINIHELIX, "--set", "layer=0", "--set", "head=3", "--edit", "zero_mlp:1"), (MINIHELIX, "--bos", "--set", "layer=2")],
    "sinusoid": [(MINIHELIX, "--set", "shift=7", "--set", "dimensions=32", "--set", "positions=200", "--set", "base=50")],
    "sphere_overlap": [(MINIHELIX, "--set", "dimension=3", "--set", "count=90", "--set", "seed=4"), (MINIHELIX, "--set", "length=100", "--set", "epsilon=0.2")],
    "spectrum": [
        (POSITIONS,),
        (MINIHELIX, "--set", "matrix=q", "--set", "layer=3", "--set", "head=2", "--set", "gain=1"),
        (MINIHELIX, "--set", "matrix=mlp", "--set", "centre=1"),
        (MINIHELIX, "--set", "matrix=wte", "--set", "gain=1", "--set", "centre=1"),
        (MINIHELIX, "--set", "matrix=o", "--set", "layer=5", "--set", "head=7"),
    ],
    "subspace_capture": [
        (MINIHELIX, "--set", "k=10", "--set", "gain=1", "--set", "centre=1"),
        (MINIHELIX, "--set", "matrix=v", "--set", "head=1", "--set", "k=5"),
        (MINIHELIX, "--set", "matrix=o", "--set", "side=other", "--set", "k=12", "--set", "layer=2"),
    ],
    "subspace_overlap": [
        (MINIHELIX, "--set", "a=q", "--set", "b=k", "--set", "head=2", "--set", "layer=1", "--set", "count_a=12", "--set", "count_b=5"),
        (MINIHELIX, "--set", "a=fc", "--set", "b=mlp", "--set", "side=other", "--set", "gain=1"),
        (MINIHELIX, "--set", "a=attention", "--set", "b=tables", "--set", "count_a=12", "--set", "count_b=5"),
        (MINIHELIX, "--set", "a=o", "--set", "b=wte", "--set", "blur=1"),
    ],
    "surprise": [(MINIHELIX, "--bos", "--edit", "zero_positions"), (MINIHELIX, "--edit", "mask_previous:0-3:5")],
    "token_cloud": [(MINIHELIX, "--set", "of=head"), (MINIHELIX, "--set", "find= ho"), (MINIHELIX, "--set", "centre=0", "--set", "positions=0")],
    "tokens": [(MINIHELIX, "--set", "position=3"), (MINIHELIX, "--bos")],
}


# What is changed is this, where the default takes a script several seconds: all the same numbers of a smaller view.
SMALLER = {
    "averaged_positions": ("--set", "text=prompt", "--set", "groups=2", "--set", "group=3", "--set", "every=4"),
    "position_share": ("--set", "windows=9", "--set", "window=40"),
    "extended_positions": ("--set", "prompts=2"),
    "edit_reach": ("--set", "position=2", "--set", "by=7"),
}


def exported(study, file, model, *more):
    return subprocess.run([CLI, "run", study, "--model", str(MODELS / model), *TEXT, *more, "--python", str(file)], capture_output=True, text=True, timeout=300)


def run_script(file, model):
    return subprocess.run([sys.executable, str(file), str(MODELS / model)], capture_output=True, text=True, timeout=300)


def shifted(value):
    """Another number; those that are none stay."""
    return value if isinstance(value, str) else value + 0.01 + 0.01 * abs(value)


@unittest.skipIf(numpy is None, "numpy is not installed")
class Scripts(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def check(self, number, study, model, more):
        file = self.place / f"{study}{number}.py"
        made = exported(study, file, model, *more)
        if made.returncode:
            return made.stderr
        done = run_script(file, model)
        return done.stderr or ("" if done.returncode == 0 and "All numbers agree." in done.stdout else done.stdout)

    def test_they_agree_with_the_program(self):
        asked = [(study, *setting) for study in STUDIES for setting in ((MINIHELIX,), *SETTINGS.get(study, ()))]
        with ThreadPoolExecutor(2) as pool:
            found = pool.map(lambda at: self.check(at[0], at[1][0], at[1][1], at[1][2:]), enumerate(asked))
            for setting, problem in zip(asked, found):
                with self.subTest(setting=" ".join(setting)):
                    self.assertEqual(problem, "")

    def check_changed(self, study):
        """All numbers of the view are made others, and the script names each of them that it recomputes."""
        file = self.place / f"{study}.py"
        made = exported(study, file, MINIHELIX, *SMALLER.get(study, ()))
        self.assertEqual(made.returncode, 0, made.stderr)
        text = file.read_text(encoding="utf-8")
        view = json.loads(VIEW.search(text)[1])
        view["scalars"] = {name: shifted(value) for name, value in view["scalars"].items()}
        for array in view["arrays"].values():
            array["data"] = [shifted(value) for value in array["data"]]
        file.write_text(VIEW.sub(lambda _: f'json.loads(r"""{json.dumps(view)}""")', text), encoding="utf-8")
        done = run_script(file, MINIHELIX)
        self.assertEqual(done.returncode, 1, done.stdout)
        named = re.search(r"AssertionError: These numbers differ by more than is allowed: (.*)\.\n", done.stderr)
        self.assertTrue(named, done.stderr)
        wrong = named[1].split(", ")
        for name in self.recomputed(done.stdout):
            numbers = view["arrays"][name]["data"] if name in view["arrays"] else [view["scalars"][name]]
            if any(not isinstance(value, str) for value in numbers):
                self.assertIn(name, wrong)

    @staticmethod
    def recomputed(table):
        lines = table.splitlines()[2:]
        return [line.split()[0] for line in lines if "undetermined" not in line and not line.startswith(("Not recomputed", "All numbers"))]

    def test_they_notice_other_numbers(self):
        for study in STUDIES:
            with self.subTest(study=study):
                self.check_changed(study)

    def test_they_notice_another_model(self):
        file = self.place / "other.py"
        self.assertEqual(exported("position_helix", file, POSITIONS).returncode, 0)
        done = run_script(file, MINIHELIX)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is another model than gpt2-positions", done.stderr)

    def test_they_run_in_a_notebook(self):
        """A cell has no file of its own, and the arguments of its process are not the script's."""
        file = self.place / "cell.py"
        self.assertEqual(exported("position_helix", file, POSITIONS).returncode, 0)
        cell = file.read_text(encoding="utf-8").replace('MODEL = "."', f"MODEL = {str(MODELS / POSITIONS)!r}")
        run = "import sys; text = sys.stdin.read(); sys.argv = ['kernel', '-f', 'kernel.json']; exec(text, {'__name__': '__main__'})"
        done = subprocess.run([sys.executable, "-c", run], input=cell, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("All numbers agree.", done.stdout)

    def check_refused(self, part, study, model, *more):
        done = exported(study, self.place / "none.py", model, *more)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\A[A-Z-][^\n]*\.\n\Z")
        self.assertIn(part, done.stderr)
        self.assertFalse((self.place / "none.py").exists())

    def test_every_study_but_the_claims_has_one(self):
        listed = subprocess.run([CLI, "studies", "--json"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(sorted({study["id"] for study in json.loads(listed)} - {"claims"}), STUDIES)

    def test_what_has_no_script_says_so(self):
        self.check_refused("leave --against out", "position_helix", MINIHELIX, "--against", "first=5")
        self.check_refused("its numbers are those of other studies", "claims", MINIHELIX)
        self.check_refused("this result is of several", "position_models", MINIHELIX, "--model", str(MODELS / POSITIONS))
        pack = self.place / "pack"
        subprocess.run([CLI, "pack", "--model", str(MODELS / MINIHELIX), "--out", str(pack), "--precision", "q8"], check=True, capture_output=True)
        self.check_refused("8-bit integers", "predictions", pack)
        file = self.place / "pack.py"
        self.assertEqual(exported("position_helix", file, pack).returncode, 0)
        self.assertEqual(run_script(file, pack).returncode, 0)  # positions keep their numbers in a pack


if __name__ == "__main__":
    unittest.main()
