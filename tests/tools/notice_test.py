"""notice.py: a library without an entry is refused, and NOTICE.txt holds what the licences ask for."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))

import notice  # noqa: E402
from report import Failure  # noqa: E402

RECORD = """\
reference\textracted\tsymbol
main.o\t../lib/libc++-mt-noexcept.a(string.o)\tstd::to_string(int)
libA.a(a.o)\tsrc/lib{0}.a(b.cpp.o)\thelix::b(std::string, int)
"""


class LinkedTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "headers" / "Eigen").mkdir(parents=True)
        (self.folder / "headers" / "Eigen" / "Dense").write_text("")
        self.record("helix_imgui")
        self.commands("headers")

    def record(self, library: str) -> None:
        (self.folder / "build.ninja").write_text(f"LINK_FLAGS = -Wl,{notice.RECORDING}ui.linked")
        (self.folder / "ui.linked").write_text(RECORD.format(library))

    def commands(self, *headers: str) -> None:
        command = "em++ " + " ".join(f"-isystem {name}" for name in headers) + " -c a.cpp"
        (self.folder / "compile_commands.json").write_text(json.dumps([{"directory": str(self.folder), "command": command}]))

    def test_what_has_an_entry_passes(self) -> None:
        self.assertEqual(set(notice.linked(self.folder)), {"c++", "helix_imgui"})
        notice.check(self.folder)

    def test_a_library_without_an_entry_is_named(self) -> None:
        self.record("surprise")
        with self.assertRaisesRegex(Failure, "surprise.*no entry"):
            notice.check(self.folder)

    def test_headers_without_an_entry_are_named(self) -> None:
        (self.folder / "other").mkdir()
        self.commands("headers", "other")
        with self.assertRaisesRegex(Failure, "other.*no entry"):
            notice.check(self.folder)

    def test_a_build_without_a_record_is_refused(self) -> None:
        (self.folder / "ui.linked").unlink()
        with self.assertRaisesRegex(Failure, "no record"):
            notice.check(self.folder)


class RecordingTest(unittest.TestCase):
    def test_the_modules_are_linked_with_a_record(self) -> None:
        self.assertIn(notice.RECORDING, (notice.ROOT / "cmake" / "Modules.cmake").read_text(encoding="utf-8"))


class TextTest(unittest.TestCase):
    def test_every_work_of_this_machine_s_packages_has_its_licence(self) -> None:
        try:
            where = notice.packages()
        except Failure as failure:
            self.skipTest(str(failure))
        if not all((folder / mark).exists() for folder, mark in ((where.libraries["IMGUI"], "imgui.h"), (where.emscripten, "system"))):
            self.skipTest("the libraries are not downloaded yet")
        text = notice.text(where)
        for entry in notice.ENTRIES:
            self.assertIn(entry.name, text)
            self.assertGreater(len(entry.text(where)), 80, entry.name)
        for owner in ("Omar Cornut", "Sean Barrett", "Niels Lohmann", "Steven G. Johnson", "Unicode, Inc.", "Rich Felker",
                      "The Emscripten Authors", "Camilla Löwy", "IBM Corp.", "OpenAI", "The helixscope authors"):
            self.assertIn(owner, text)


if __name__ == "__main__":
    unittest.main()
