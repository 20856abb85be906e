"""./dev test NAME: which tests a name selects, in each language."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))

import choosing  # noqa: E402


class ChoosingTest(unittest.TestCase):
    def test_python_by_file_by_name_and_by_what_is_read(self) -> None:
        this = Path(__file__).resolve()
        self.assertEqual(choosing.choose(["tools/CHOOSING"]).python, {this: ["choosing_test."]})
        own = "choosing_test.ChoosingTest.test_python_by_file_by_name_and_by_what_is_read"
        self.assertEqual(choosing.python_tests(this, ["file by name and"]), [own])
        self.assertEqual(choosing.python_tests(this, ["no such words" + " here"]), [])

    def test_cpp_by_file_and_by_title(self) -> None:
        every = choosing.choose(["tests/../engine", "engine/engine_test"]).cpp
        self.assertIn("the engine says hello first, and which field lists it was built with", every)
        self.assertEqual(choosing.choose(["SAYS HELLO FIRST, and"]).cpp, [t for t in every if "says hello first" in t])

    def test_javascript_by_file_and_by_pieces_of_a_title(self) -> None:
        named = choosing.choose(["browser/cache"])
        self.assertEqual([path.name for path in named.whole], ["cache_test.mjs"])
        made = choosing.choose(["of a pack asks for no weights"])  # `${what} asks for no weights`
        self.assertIn("cache_test.mjs", [path.name for path in made.parts])

    def test_nothing(self) -> None:
        self.assertFalse(choosing.choose(["no such " * 3]))

    def test_a_name_is_no_pattern(self) -> None:
        self.assertEqual(choosing.title_pattern(["a/b (c)", "d."]), r"/a\/b \(c\)|d\./i")


if __name__ == "__main__":
    unittest.main()
