"""The libraries we compile with (ImGui, Catch2, Eigen, nlohmann-json, utf8proc), from Debian where there is one. Which files they are
is recorded in debian.lock; where the suite has moved on, CMake downloads the same versions from the projects themselves."""

import re
from pathlib import Path

import stamps
from debian import Suite, fresh, mirror
from places import CACHE
from report import Failure, say, step

# Recorded numbers depend on the order of Eigen's additions (tests/geometry/bits_test.cpp).
EIGEN = (5, 0, 1)

# The suite whose versions CMake's own downloads are pinned to as well (cmake/Dependencies.cmake).
SUITE = "forky"
SOURCES = ("imgui", "catch2", "utf8proc")
PACKAGES = ("libeigen3-dev", "nlohmann-json3-dev")
FOLDER = CACHE / f"sources-{SUITE}-v2"
STAMP = FOLDER / "stamp"
MARKS = {
    "IMGUI": ("imgui", "imgui.h", r'IMGUI_VERSION\s+"(\d+)\.(\d+)', (1, 92)),
    "CATCH2": ("catch2", "catch_amalgamated.hpp", r"Catch v(\d+)\.(\d+)", (3, 7)),
    "EIGEN": ("eigen", "Eigen/Version", r"MAJOR_VERSION (\d+)\s+#define EIGEN_MINOR_VERSION (\d+)\s+#define EIGEN_PATCH_VERSION (\d+)", EIGEN),
    "JSON": ("json", "nlohmann/json.hpp", r"version (\d+)\.(\d+)", (3, 11)),
    "UTF8PROC": ("utf8proc", "utf8proc.h", r"VERSION_MAJOR (\d+)[^#]*#define UTF8PROC_VERSION_MINOR (\d+)", (2, 10)),
}


def cmake_arguments() -> list[str]:
    """The CMake settings that locate the libraries: Debian's, unpacked in the cache, or permission to download them."""
    with stamps.lock(CACHE / "sources.lock", "downloads libraries"):
        if not stamps.is_current(STAMP, SUITE):
            if mirror() is None:
                return ["-DHELIXSCOPE_FETCH=ON"]
            try:
                with step(f"downloading C++ libraries from Debian {SUITE}"):
                    download()
            except Failure as failure:
                say(f"{failure} CMake now downloads the libraries from their projects.")
                return ["-DHELIXSCOPE_FETCH=ON"]
    return [f"-D{name}_SOURCE_DIR={FOLDER / folder}" for name, (folder, *_) in MARKS.items()]


def download() -> None:
    fresh(FOLDER)
    suite = Suite(SUITE)
    suite.update()
    for package in SOURCES:
        suite.unpack_source(package, FOLDER / ("catch2-all" if package == "catch2" else package))
    suite.unpack(PACKAGES, FOLDER / "root")
    (FOLDER / "catch2-all" / "extras").rename(FOLDER / "catch2")
    (FOLDER / "root/usr/include/eigen3").rename(FOLDER / "eigen")
    (FOLDER / "root/usr/include").rename(FOLDER / "json")
    for name, (folder, file, pattern, least) in MARKS.items():
        check(name, FOLDER / folder / file, pattern, least)
    stamps.write(STAMP, SUITE)


def check(name: str, file: Path, pattern: str, least: tuple[int, ...]) -> None:
    """The suite changes over time: reports a library that is too old here, instead of by compiler errors."""
    text = file.read_text(errors="replace")
    found = re.search(pattern, text) if pattern else None
    if pattern and (not found or tuple(map(int, found.groups())) < least):
        raise Failure(f"{name} from Debian {SUITE} is older than {'.'.join(map(str, least))}.")
