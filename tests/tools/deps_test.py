"""deps.py: which versions of a library are accepted, and which are refused before compiling."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))

import deps  # noqa: E402
from report import Failure  # noqa: E402

HEADERS = {
    "IMGUI": '#define IMGUI_VERSION       "{0}.{1}.5"',
    "CATCH2": "//  Catch v{0}.{1}.1",
    "EIGEN": "#define EIGEN_MAJOR_VERSION {0}\n#define EIGEN_MINOR_VERSION {1}\n#define EIGEN_PATCH_VERSION 1\n",
    "JSON": "// |  |  |__   |  |  | | | |  version {0}.{1}.3",
    "UTF8PROC": "/** … */\n#define UTF8PROC_VERSION_MAJOR {0}\n/** … */\n#define UTF8PROC_VERSION_MINOR {1}\n",
}


class VersionsTest(unittest.TestCase):
    def check(self, name: str, text: str) -> None:
        _, _, pattern, least = deps.MARKS[name]
        with tempfile.TemporaryDirectory() as folder:
            header = Path(folder) / "header.h"
            header.write_text(text)
            deps.check(name, header, pattern, least)

    def test_every_library_with_a_version_is_tested_here(self) -> None:
        self.assertEqual(set(HEADERS), {name for name, (_, _, pattern, _) in deps.MARKS.items() if pattern})

    def test_the_least_version_and_newer_are_taken(self) -> None:
        for name, header in HEADERS.items():
            major, minor = deps.MARKS[name][3][:2]
            self.check(name, header.format(major, minor))
            self.check(name, header.format(major, minor + 100))
            self.check(name, header.format(major + 1, 0))

    def test_older_and_unreadable_versions_are_refused(self) -> None:
        for name, header in HEADERS.items():
            major, minor = deps.MARKS[name][3][:2]
            for text in (header.format(major, minor - 1), header.format(major - 1, minor + 100), "nothing of the kind"):
                with self.subTest(name, text=text), self.assertRaises(Failure):
                    self.check(name, text)


if __name__ == "__main__":
    unittest.main()
