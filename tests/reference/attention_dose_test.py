"""attention_dose against the exported script: the curves, the divergence and the other heads, by edited passes of the bundled model."""

import json
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import disagreements
    from forward_test import helixscope
    from minihelix_test import FOLDER as MINIHELIX
    from studies import attention_dose

HEAD = 0
TEXT = " river stone window captain letter green horse summer river stone window captain letter green horse"


@unittest.skipIf(np is None, "numpy is not installed")
class AttentionDoseTest(unittest.TestCase):
    def run_study(self, *options, **settings):
        sets = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        return json.loads(helixscope("run", "attention_dose", "--model", MINIHELIX, "--prompt", TEXT, *options, *sets, "--json"))

    def check(self, document):
        self.assertEqual(disagreements(document, attention_dose, MINIHELIX), [])

    def test_the_induction_head(self):
        document = self.run_study(layer=5, head=HEAD, key=7, height=60)
        self.check(document)
        change = np.abs(document["arrays"]["by_head"]["data"])
        self.assertGreater(change[HEAD], 5 * np.delete(change, HEAD).max(), "the induction head stands out")
        self.assertAlmostEqual(document["scalars"]["share"]["value"], 0.6, places=6)

    def test_another_query_with_edits(self):
        self.check(self.run_study("--bos", "--edit", "scale_head:4.2:0.5", layer=2, head=3, query=6, key=1, height=100))

    def test_a_query_that_sees_what_comes_later(self):
        self.check(self.run_study("--edit", "no_mask", layer=3, head=1, query=0, height=0))


if __name__ == "__main__":
    unittest.main()
