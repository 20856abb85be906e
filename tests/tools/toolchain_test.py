"""Which packages and which compiler are used: the recorded ones, and others only when the visitor asks for them."""

import hashlib
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "dev"))

import debian  # noqa: E402
import deps  # noqa: E402
import emscripten  # noqa: E402
import emscripten_debian  # noqa: E402
import packages  # noqa: E402
from report import Failure  # noqa: E402

URIS = """\
Reading package lists...
'mirror/pool/l/lld/lld-21_1%3a21.1.8-13_amd64.deb' lld-21_1%3a21.1.8-13_amd64.deb 1478 MD5Sum:41
'mirror/pool/e/e_5.0.1-3_all.deb' libeigen3-dev_5.0.1-3_all.deb 1191640 SHA256:42
"""
APT = """\
0 upgraded, {0} newly installed, 0 to remove and 3 not upgraded.
Need to get 1,234 kB/85.3 MB of archives.
After this operation, 320 MB of additional disk space will be used.
"""


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def override(self, value: str) -> None:
        patch = mock.patch.dict("os.environ", {debian.OVERRIDE: value})
        patch.start()
        self.addCleanup(patch.stop)


class PackagesTest(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.override("")
        patch = mock.patch.object(debian, "recorded", lambda: {
            "lib_1.0-1_all.deb": hashlib.sha256(b"right").hexdigest(), "lib_1.0.orig.tar.gz": hashlib.sha256(b"source").hexdigest(),
            "llvm_1-1_amd64.deb": "0"})
        patch.start()
        self.addCleanup(patch.stop)

    def given(self, name: str, data: bytes) -> list[Path]:
        path = self.folder / name
        path.write_bytes(data)
        return [path]

    def test_the_recorded_file_and_files_that_are_not_recorded_pass(self) -> None:
        debian.check(self.given("lib_1.0-1_all.deb", b"right"), "suite")
        debian.check(self.given("lib_1.0.orig.tar.gz", b"source"), "suite")
        debian.check(self.given("llvm_2-1_arm64.deb", b"another machine's"), "suite")
        debian.check(self.given("other_2-1_all.deb", b"anything"), "suite")

    def test_another_version_and_another_content_are_refused_with_what_to_do(self) -> None:
        for name, data in (("lib_1.1-1_all.deb", b"right"), ("lib_1.0-1_all.deb", b"wrong"), ("lib_1.1.orig.tar.gz", b"source"),
                           ("lib_1.1.orig.tar.xz", b"source"), ("lib_1.1-1_amd64.deb", b"right")):
            with self.subTest(name), self.assertRaisesRegex(Failure, f"{debian.OVERRIDE}=1.*HELIXSCOPE_DEBIAN"):
                debian.check(self.given(name, data), "suite")

    def test_they_are_used_when_asked_for(self) -> None:
        self.override("1")
        debian.check(self.given("lib_1.1-1_all.deb", b"newer"), "suite")

    def update(self, *complaints: str) -> list[str]:
        """The lines of sources.list with which apt was asked; it complains so, one time after the other, and then no more."""
        asked, answers = [], [Failure("no lists", complaint) for complaint in complaints]

        def ask(*_: object, **__: object) -> None:
            asked.append((self.folder / "apt" / "suite" / "sources.list").read_text().splitlines()[0])
            if answers:
                raise answers.pop(0)

        with mock.patch.object(debian, "CACHE", self.folder), mock.patch.object(debian, "mirror", return_value="http://mirror/debian"), \
                mock.patch.object(debian, "architecture", return_value="amd64"), mock.patch.object(debian, "run", ask), \
                mock.patch.object(debian.Path, "exists", return_value=True), mock.patch.object(debian, "say"):
            debian.Suite("suite").update()
        return asked

    def test_a_mirror_whose_lists_have_expired_is_read_all_the_same(self) -> None:
        expired = "E: Release file for http://mirror/debian/dists/suite/InRelease is expired (invalid since 21d). Updates will not be applied."
        fresh, old = self.update(expired)
        self.assertNotIn("check-valid-until", fresh)
        self.assertIn("check-valid-until=no", old)
        self.assertIn("signed-by=", old)
        self.assertEqual(len(self.update()), 1)
        with self.assertRaises(Failure):
            self.update("E: The repository is not signed.")
        with self.assertRaises(Failure):
            self.update(expired, expired)

    def test_sizes_are_read_from_apt(self) -> None:
        found = debian.downloads_in(URIS)
        self.assertEqual([(d.package, d.size) for d in found], [("lld-21", 1478), ("libeigen3-dev", 1191640)])
        with mock.patch.object(packages.subprocess, "run") as run:
            run.return_value.stdout = APT.format(31)
            self.assertEqual(packages.planned(["g++"]), ": 31 packages, 85.3 MB to download, 320 MB on disk")
            run.return_value.stdout = "E: Unable to locate package g++"
            self.assertEqual(packages.planned(["g++"]), "")

    def test_firefox_is_needed_on_debian_and_elsewhere_its_tests_can_be_skipped(self) -> None:
        missing = packages.Need(lambda: False, ("firefox-esr",), "--cask firefox")
        with mock.patch.dict(packages.NEEDS, {"firefox": missing}), mock.patch.object(packages, "apt_install", side_effect=Failure("no root")) as install, \
                mock.patch.object(packages, "on_path", return_value=True), mock.patch.object(packages, "say") as say:
            with mock.patch.object(packages, "is_debian", return_value=True), self.assertRaises(Failure):
                packages.need_firefox()
            self.assertIn("firefox-esr", install.call_args[0][0])
            with mock.patch.object(packages, "is_debian", return_value=False):
                packages.need_firefox()
            self.assertIn("the tests in Firefox are skipped", say.call_args[0][0])


class RecordTest(unittest.TestCase):
    def test_every_library_and_what_decides_the_modules_bytes_is_recorded(self) -> None:
        names = {name.split("_")[0] for name in debian.recorded()}
        self.assertLessEqual({*deps.PACKAGES, *deps.SOURCES, "emscripten", "binaryen"}, names)
        decided = [name for name in names if emscripten_debian.decides(name)]
        for start in ("clang-", "lld-", "libllvm", "libclang-cpp"):
            self.assertTrue(any(name.startswith(start) for name in decided), start)
        for digest in debian.recorded().values():
            self.assertRegex(digest, "^[0-9a-f]{64}$")

    def test_one_version_of_emscripten_and_of_eigen_everywhere(self) -> None:
        packaged = next(name for name in debian.recorded() if name.startswith("emscripten_"))
        self.assertTrue(packaged.startswith(f"emscripten_{emscripten.VERSION}+"), packaged)
        flags = (ROOT / "cmake" / "Flags.cmake").read_text()
        self.assertEqual(set(re.findall(r"EMSCRIPTEN_VERSION VERSION_EQUAL ([\d.]+)", flags)), {emscripten.VERSION})
        eigen = ".".join(map(str, deps.EIGEN))
        self.assertIn(f"libeigen/eigen.git {eigen} ", (ROOT / "cmake" / "Dependencies.cmake").read_text())
        self.assertIn(f"need Eigen {eigen};", (ROOT / "tests" / "geometry" / "bits_test.cpp").read_text())


class EmscriptenTest(Folder):
    def root(self, version: str) -> Path:
        (self.folder / "emscripten-version.txt").write_text(f'"{version}"\n')
        return self.folder

    def test_the_pinned_version_is_used(self) -> None:
        self.assertIsNone(emscripten.refusal(self.root(emscripten.VERSION)))

    def test_another_one_is_refused_unless_asked_for(self) -> None:
        self.override("0")
        self.assertRegex(emscripten.refusal(self.root("99.0.1")) or "", f"99.0.1.*tested with {emscripten.VERSION}.*{debian.OVERRIDE}=1")
        self.override("1")
        self.assertIsNone(emscripten.refusal(self.root("99.0.1")))
        self.assertRegex(emscripten.refusal(self.root("3.1.5")) or "", "older than 3.1.60")


if __name__ == "__main__":
    unittest.main()
