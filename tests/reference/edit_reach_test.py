"""edit_reach against the exported script: how far states move, and what putting one of them back does, on minihelix and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import disagreements
    from forward_test import helixscope, some_tokens
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT
    from studies import edit_reach
    from studies.edit_reach import handed_over


@unittest.skipIf(np is None, "numpy is not installed")
class EditReachTest(unittest.TestCase):
    def check(self, folder, tokens, *more):
        document = json.loads(helixscope("run", "edit_reach", "--model", folder, "--tokens", ",".join(map(str, tokens)), *more, "--json"))
        self.assertEqual(disagreements(document, edit_reach, folder), [])
        return document

    def test_the_bundled_model(self):
        tokens = [token["id"] for token in json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))["tokens"]][:12]
        document = self.check(MINIHELIX, tokens)
        self.assertEqual(document["edits"], ["replace_position:10:0"])
        self.check(MINIHELIX, tokens, "--edit", "zero_positions")
        self.check(MINIHELIX, tokens, "--edit", "freeze_patterns", "--edit", "ablate_head:2.1")

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.3)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            self.check(folder, some_tokens(9, 97), "--set", "position=2", "--set", "by=7")

    def test_the_script_on_what_is_known(self):
        """The last token's state carries the effect from the second layer on."""
        found = handed_over(np.array([[0.9, 0.1], [0.2, 0.7], [0, 1]]), np.array([[1, 0], [1, 1], [0, 1]]))
        self.assertEqual((found["handover"], found["restored_there"], found["chance"]), (1, 0.7, 0.9))


if __name__ == "__main__":
    unittest.main()
