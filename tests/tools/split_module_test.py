"""split_module.py: which functions of the page's module go into its second part."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "dev"))

import split_module  # noqa: E402

VIEW, OTHER = '$"helix::studies::a::(anonymous namespace)::view(int)"', '$"helix::studies::b::(anonymous namespace)::view(int)"'
TEXT = f"""(module
 (type $0 (func))
 (elem $0 (i32.const 1) {VIEW} {OTHER} $shared "x")
 (export "m" (func $ui_frame))
 (export "n" (func $ui_key))
 (export "o" (memory $0))
 (func {VIEW} (param $0 i32)
  (call $shared)
 )
 (func {OTHER} (param $0 i32)
  (call $shared)
  (drop (call $only_of_b))
 )
 (func $shared
  (call $"helix::figure::beside(int)")
 )
 (func $only_of_b (result i32)
  (call $deeper)
 )
 (func $deeper
  (call $imported)
 )
 (func $"helix::figure::beside(int)"
  (call $only_of_beside)
 )
 (func $only_of_beside
 )
 (func $"helix::studies::b::describe()"
 )
 (func $ui_frame
  (call $"helix::studies::b::describe()")
 )
 (func $ui_key
  (call $shared)
 )
)
"""


class SplitTest(unittest.TestCase):
    def test_what_only_later_views_reach_goes(self) -> None:
        gone = split_module.late(split_module.read(TEXT), ["b"])
        self.assertEqual(gone, [OTHER, "$only_of_b", "$deeper", '$"helix::figure::beside(int)"', "$only_of_beside", "$ui_key"])

    def test_without_later_views_only_what_comes_after_the_first_picture_goes(self) -> None:
        gone = split_module.late(split_module.read(TEXT), ["none"])
        self.assertEqual(gone, ['$"helix::figure::beside(int)"', "$only_of_beside", "$ui_key"])

    def test_names_lose_their_quotation_marks(self) -> None:
        self.assertEqual(split_module.plain("$memmove"), "memmove")
        self.assertEqual(split_module.plain("""$"f(int)::\\'lambda\\'(char)" """.strip()), "f(int)::'lambda'(char)")

    def test_the_first_study_of_the_list_stays(self) -> None:
        studies = split_module.studies_of(ROOT / "src" / "studies" / "studies.def")
        self.assertEqual(studies[0], "position_helix")
        self.assertGreater(len(studies), 30)


if __name__ == "__main__":
    unittest.main()
