"""Every kind of edit, and every two of them in both orders, against numpy: the logits of a small model at all positions."""

import json
import os
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import Edited
    from gpt2_reference import random_checkpoint, write_checkpoint

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("HELIXSCOPE_CLI") or str(ROOT / "build" / "native" / "helixscope")
RELATIVE = 1e-4  # of the largest logit
LAYERS, WIDTH, HEADS, CONTEXT = 3, 32, 4, 20
# One token for each byte, spelled as GPT-2 spells it, and <|endoftext|>.
VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
ALPHABET = [chr(byte) for byte in VISIBLE] + [chr(256 + i) for i in range(256 - len(VISIBLE))]
VOCABULARY, BOS, HELLO = 257, 256, ALPHABET.index("h")
TOKENS = [(i * 37 + 3) % VOCABULARY for i in range(12)]

# The edits of the run from which values are patched.
OTHER = ["zero_mlp:0", "scale_head:0.1:3"]
# An edit of each kind. Those of scores change the same query of the same head, and the same keys.
EACH = [
    "ablate_head:1.2",
    "scale_head:1.2:-2.5",
    "scale_attn:1:3",
    "set_score:1.2:7:6:1.5",
    "set_pattern:1.2:7:6:0.8",
    "move_attention:1.2:7:6:3",
    "swap_scores:1.2:7:6:2",
    "mask_previous:0-1:7",
    "no_mask",
    "zero_positions",
    "shift_positions:4",
    "permute_positions:5",
    "group_positions:3",
    "rank_positions:2",
    "replace_positions:sinusoidal",
    "replace_position:0:7",
    "average_positions:8:5",
    "zero_tokens",
    "group_residual:1:5",
    "average_extended:1:3",
    "patch:blocks.1.hook_resid_mid:6",
    "zero_mlp:1",
    "zero_bias:q:1",
    "freeze_patterns",
    "freeze_norms",
]
# Their other forms.
ALSO = [
    "patch:blocks.1.hook_resid_pre",
    "patch:blocks.1.attn.hook_z:6:2",
    "patch:blocks.1.attn.hook_q:6",
    "patch:blocks.1.attn.hook_pattern:7:2",
    "patch:blocks.1.attn.hook_attn_scores",
    "patch:blocks.0.ln2.hook_scale",
    "average_extended:2:7:40",
    "ablate_head:1.2:mean",
    "set_score:1.2:7:6:-inf",
    "set_pattern:1.2:7:6:0",
    "move_attention:1.2:7:6:3:zero",
    "mask_previous:1:2:after",
    "permute_positions:5:3",
    "replace_positions:sinusoidal:50",
]
# Pairs in which the later edit must act on what the earlier one left.
ORDERED = [
    ("set_score:1.2:7:6:1.5", "move_attention:1.2:7:6:3"),
    ("swap_scores:1.2:7:6:2", "move_attention:1.2:7:6:3"),
    ("replace_position:0:7", "permute_positions:5"),
    ("average_extended:1:3", "group_residual:1:5"),
    ("freeze_patterns", "mask_previous:1:2:after"),
    ("mask_previous:0-1:7", "set_score:1.2:7:6:1.5"),
    ("set_pattern:1.2:7:6:0.8", "mask_previous:1:7:after"),
    ("mask_previous:0-1:7", "move_attention:1.2:7:6:3"),
    ("average_positions:8:5", "replace_position:0:7"),
    ("shift_positions:4", "group_positions:3"),
    ("permute_positions:5", "shift_positions:4"),
]
# What must leave every bit as it is.
NEUTRAL = [
    "scale_head:1.2:1",
    "scale_attn:1:1",
    "move_attention:1.2:7:6:6",
    "swap_scores:1.2:7:6:6",
    "set_pattern:1.2:7:9:1",
    "replace_position:5:5",
    "average_positions:5:5",
    "shift_positions:0",
    "group_positions:1",
    "group_residual:1:1",
    "average_extended:1:1",
    "freeze_patterns",
    "freeze_norms",
]


def helixscope(*arguments):
    done = subprocess.run([CLI, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


@unittest.skipIf(np is None, "numpy is not installed")
class EditsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tensors, config = random_checkpoint(LAYERS, WIDTH, HEADS, CONTEXT, VOCABULARY, spread=0.3)
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        model = write_checkpoint(f"{cls.folder.name}/model", cls.tensors, config)
        (model / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate([*ALPHABET, "<|endoftext|>"])}))
        (model / "merges.txt").write_text("#version: 0.2\n")

    def here(self, edits, other=OTHER):
        with tempfile.NamedTemporaryFile(dir=self.folder.name, suffix=".npy") as file:
            options = [part for edit in edits for part in ("--edit", edit)]
            helixscope("logits", "--model", f"{self.folder.name}/model", "--tokens", ",".join(map(str, TOKENS)), *options, "--against", "&".join(f"edit={edit}" for edit in other) or "edit=", "--npy", file.name)
            return np.load(file.name)

    def there(self, edits):
        return Edited(self.tensors, HEADS, edits, BOS, HELLO, OTHER).run(TOKENS)[1]

    def off(self, edits):
        """How far the program is from numpy, as a share of the largest logit."""
        there = self.there(edits)
        return np.abs(self.here(edits) - there).max() / np.abs(there).max()

    def all_agree(self, lists):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for edits, off in zip(lists, pool.map(self.off, lists)):
                with self.subTest(edits=edits):
                    self.assertLessEqual(off, RELATIVE)

    def test_every_kind_is_here(self):
        kinds = [edit["name"] for edit in json.loads(helixscope("edits", "--json"))]
        self.assertEqual(sorted(edit.split(":")[0] for edit in EACH), sorted(kinds))

    def test_each_alone(self):
        plain = self.there([])
        # The bias of keys moves no score against another of its query, but against one that is set.
        keys = ["zero_bias:k:1", "set_score:1.2:7:6:1.5"]
        self.all_agree([[], keys[:1], keys, *([edit] for edit in EACH + ALSO)])
        for edit in (edit for edit in EACH + ALSO if edit not in NEUTRAL):
            with self.subTest(edit=edit):
                self.assertGreater(np.abs(self.there([edit]) - plain).max(), 10 * RELATIVE * np.abs(plain).max())

    def test_pairs_in_both_orders(self):
        self.all_agree([[a, b] for a in EACH for b in EACH])

    def test_frozen_values_are_those_without_edits(self):
        for edit in ("freeze_patterns", "freeze_norms"):
            with self.subTest(edit=edit):
                frozen, free = self.there(["zero_mlp:1", edit]), self.there(["zero_mlp:1"])
                self.assertGreater(np.abs(frozen - free).max(), 100 * RELATIVE * np.abs(free).max())

    def test_a_patch_from_the_same_run_changes_no_bit(self):
        plain = self.here([])
        for hook in ("hook_embed", "blocks.0.hook_resid_pre", "blocks.1.attn.hook_pattern", "blocks.2.hook_mlp_out", "ln_final.hook_scale"):
            with self.subTest(hook=hook):
                self.assertTrue((self.here([f"patch:{hook}"], other=[]) == plain).all())

    def test_order_matters(self):
        for a, b in ORDERED:
            with self.subTest(edits=(a, b)):
                one, other = self.there([a, b]), self.there([b, a])
                self.assertGreater(np.abs(one - other).max(), 100 * RELATIVE * np.abs(one).max())

    def test_neutral_edits_change_no_bit(self):
        plain = self.here([])
        for edit in NEUTRAL:
            with self.subTest(edit=edit):
                self.assertTrue((self.here([edit]) == plain).all())


if __name__ == "__main__":
    unittest.main()
