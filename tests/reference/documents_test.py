"""docs/link.md lists the program's studies, parameters and edits."""

import os
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "dev"))

import reference  # noqa: E402


class LinkReferenceTest(unittest.TestCase):
    def test_the_tables_are_what_the_program_says(self) -> None:
        text = reference.DOCUMENT.read_text(encoding="utf-8")
        program = Path(os.environ["HELIXSCOPE_CLI"])
        self.assertEqual(text, reference.with_tables(text, program), "python3 tools/dev/reference.py writes docs/link.md anew")


if __name__ == "__main__":
    unittest.main()
