"""Writes NOTICE.txt of the site: every work whose code, letters or numbers the page ships, with its licence and where its source is.

The licences' texts come from the packages that were compiled. What was linked is known from the records that the linker leaves beside
each module (cmake/Modules.cmake) and from the headers' folders in the compiler's commands: a library without an entry here stops the
build of the site."""

import json
import re
from pathlib import Path
from typing import Callable, Iterator, Mapping, NamedTuple

import deps
import emscripten
from places import BUILD, ROOT
from report import Failure

FILE = BUILD / "notice" / "NOTICE.txt"
LINE = "=" * 78
RECORDING = "--why-extract="  # the linker's option, in cmake/Modules.cmake


class Entry(NamedTuple):
    """One work. `archives`: the static libraries that hold it, without "lib" and ".a"; `header`: the file by which the folder of a
    library is recognised. `version` and `text` read the package's files."""

    name: str
    licence: str
    source: str
    version: Callable[["Packages"], str]
    text: Callable[["Packages"], str]
    archives: str = ""
    header: str = ""


class Packages(NamedTuple):
    """Where the packages are: a folder for each C++ library, and Emscripten's."""

    libraries: Mapping[str, Path]
    emscripten: Path

    def read(self, name: str, *paths: str) -> str:
        """The first of these files, below a library's folder or, for "", Emscripten's."""
        folder = self.libraries[name] if name else self.emscripten
        for path in paths:
            if (folder / path).is_file():
                return (folder / path).read_text(encoding="utf-8", errors="replace")
        raise Failure(f"{folder} holds no {' or '.join(paths)}, which NOTICE.txt needs.")

    def found(self, name: str, pattern: str, *paths: str) -> str:
        """What a pattern finds in one of these files: its groups, joined with points."""
        found = re.search(pattern, self.read(name, *paths), re.DOTALL)
        if not found:
            raise Failure(f"{paths[0]} does not say what NOTICE.txt needs.")
        return ".".join(found.groups())


def mit(*owners: str) -> str:
    """The MIT licence, for works that name it without its text."""
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    return "\n".join(f"Copyright (c) {owner}" for owner in owners) + "\n\n" + text[text.index("Permission is hereby"):]


def comment(text: str, first: str, last: str) -> str:
    """The part of a comment from the line with `first` to the one with `last`, without the marks at the beginning of lines."""
    lines = text[text.index(first):].split(last)[0].splitlines()
    return "\n".join(re.sub(r"^\s*(\*|//)? ?", "", line) for line in [*lines, last])


def npm_version(package: str) -> str:
    return json.loads((ROOT / "node_modules" / package / "package.json").read_text(encoding="utf-8"))["version"]


def json_owners(packages: Packages) -> str:
    header = next(p for p in ("nlohmann/json.hpp", "single_include/nlohmann/json.hpp") if (packages.libraries["JSON"] / p).is_file())
    folder = (packages.libraries["JSON"] / header).parent
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.rglob("*.hpp")))
    owners = {owner for text in texts for owner in re.findall(r"SPDX-FileCopyrightText: (.+)", text)}
    return mit(*sorted(owners))


def model(name: str) -> Callable[[Packages], str]:
    return lambda _: (ROOT / "assets" / "models" / name / "LICENSE").read_text(encoding="utf-8")


def no_version(_: Packages) -> str:
    return ""


def emscripten_version(packages: Packages) -> str:
    return ".".join(map(str, emscripten.version(packages.emscripten)))


def project_version(_: Packages) -> str:
    found = re.search(r"project\(helixscope VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    return found[1] if found else ""


LLVM = """\
Part of the LLVM Project, under the Apache License v2.0 with LLVM Exceptions. The exception reads:

As an exception, if, as a result of your compiling your source code, portions of this Software are embedded into an Object form of such
source code, you may redistribute such embedded portions in such Object form without complying with the conditions of Sections 4(a),
4(b) and 4(d) of the License.

The licence: https://llvm.org/LICENSE.txt
"""
EIGEN = """\
Eigen is used unchanged. It is subject to the terms of the Mozilla Public License, v. 2.0. A copy of the licence is at
https://mozilla.org/MPL/2.0/, and Eigen's source code at the address above, under the tag of this version.
"""
DLMALLOC = """\
Written by Doug Lea and released to the public domain, as explained at http://creativecommons.org/publicdomain/zero/1.0/.
"""
MUSL = ("system/lib/libc/musl/COPYRIGHT",)

ENTRIES = (
    Entry("helixscope", "MIT", "see the About sheet of the page", project_version,
          lambda _: (ROOT / "LICENSE").read_text(encoding="utf-8"),
          "helix_base helix_kernels helix_geometry helix_checkpoint helix_tokenizer helix_model helix_protocol helix_state "
          "helix_figure helix_studies_compute helix_studies_view helix_engine helix_ui helix_app"),
    Entry("Dear ImGui", "MIT", "https://github.com/ocornut/imgui",
          lambda p: p.found("IMGUI", r'IMGUI_VERSION\s+"([^"]+)', "imgui.h"), lambda p: p.read("IMGUI", "LICENSE.txt"),
          "helix_imgui", "imgui.h"),
    Entry("stb_truetype, stb_rect_pack and stb_textedit (in Dear ImGui)", "MIT or public domain", "https://github.com/nothings/stb",
          no_version,
          lambda p: comment(p.read("IMGUI", "imstb_truetype.h"), "This software is available under 2 licenses", "WITH THE SOFTWARE OR THE "
                            "USE OR OTHER DEALINGS IN THE SOFTWARE.")),
    Entry("ProggyClean (in Dear ImGui)", "MIT", "https://github.com/bluescan/proggyfonts", no_version,
          lambda _: mit("2004, 2005 Tristan Grimmer")),
    Entry("Eigen", "MPL-2.0", "https://gitlab.com/libeigen/eigen",
          lambda p: p.found("EIGEN", r"MAJOR_VERSION (\d+).*MINOR_VERSION (\d+).*PATCH_VERSION (\d+)", "Eigen/Version", "Eigen/src/Core/util/Macros.h"),
          lambda _: EIGEN, header="Eigen/Dense"),
    Entry("JSON for Modern C++ (nlohmann/json)", "MIT", "https://github.com/nlohmann/json",
          lambda p: p.found("JSON", r"version (\d+\.\d+\.\d+)", "nlohmann/json.hpp", "single_include/nlohmann/json.hpp"), json_owners,
          header="nlohmann/json.hpp"),
    Entry("utf8proc, with data of the Unicode Character Database", "MIT and Unicode", "https://github.com/JuliaStrings/utf8proc",
          lambda p: p.found("UTF8PROC", r"VERSION_MAJOR (\d+).*?VERSION_MINOR (\d+).*?VERSION_PATCH (\d+)", "utf8proc.h"),
          lambda p: p.read("UTF8PROC", "LICENSE.md"), "helix_utf8proc", "utf8proc.h"),
    Entry("Emscripten: its system libraries and the JavaScript around both modules", "MIT",
          "https://github.com/emscripten-core/emscripten", emscripten_version, lambda _: mit("2010 The Emscripten Authors"),
          "GL GL-getprocaddr GL-webgl2 html5 noexit stubs al sockets jsmath"),
    Entry("musl (the C library in Emscripten)", "MIT", "https://musl.libc.org", lambda p: p.read("", "system/lib/libc/musl/VERSION").strip(),
          lambda p: p.read("", *MUSL), "c c_optz m"),
    Entry("libc++, libc++abi and compiler-rt", "Apache-2.0 with LLVM exception", "https://github.com/llvm/llvm-project", no_version,
          lambda _: LLVM, "c++ c++abi compiler_rt clang_rt.builtins unwind"),
    Entry("dlmalloc", "public domain (CC0)", "https://gee.cs.oswego.edu/pub/misc/", no_version,
          lambda p: p.read("", "system/lib/dlmalloc.c") and DLMALLOC, "dlmalloc"),
    Entry("GLFW (its interface; Emscripten has an implementation of its own)", "zlib", "https://www.glfw.org",
          lambda p: p.found("", r"\* GLFW (\d+\.\d+)", "system/include/GLFW/glfw3.h"),
          lambda p: comment(p.read("", "system/include/GLFW/glfw3.h"), "Copyright (c) 2002", "distribution.")),
    Entry("Helixscope Sans and Helixscope Mono: subsets of IBM Plex Sans and IBM Plex Mono", "OFL-1.1", "https://github.com/IBM/plex",
          lambda _: npm_version("@expo-google-fonts/ibm-plex-sans"),
          lambda _: (ROOT / "node_modules" / "@expo-google-fonts" / "ibm-plex-sans" / "LICENSE_FONT").read_text(encoding="utf-8")),
    Entry("uqr, which makes QR codes", "MIT", "https://github.com/unjs/uqr", lambda _: npm_version("uqr"),
          lambda _: (ROOT / "node_modules" / "uqr" / "LICENSE").read_text(encoding="utf-8")),
    Entry("GPT-2 small's position embeddings", "Modified MIT", "https://github.com/openai/gpt-2", no_version, model("gpt2-positions")),
    Entry("minihelix, a model trained for this page", "MIT", "assets/models/minihelix/README.md of the site", no_version, model("minihelix")),
)
# Flavours of one system library: without exceptions, with threads, for little code, and so on.
FLAVOURS = re.compile(r"-(mt|noexcept|except|legacyexcept|wasmexcept|webgl2|full_es3|emu|ofb|enhanced|debug|asan|ww|optz|nothrow|getprocaddr)\b")


def packages() -> Packages:
    """The folders that ./dev gives to CMake, or those into which CMake itself downloaded."""
    given = dict(re.findall(r"-D([A-Z0-9]+)_SOURCE_DIR=(.+)", "\n".join(deps.cmake_arguments())))
    libraries = {}
    for name in ("IMGUI", "EIGEN", "JSON", "UTF8PROC"):
        folder = Path(given[name]) if name in given else BUILD / "web-simd" / "_deps" / f"helix_{name.lower()}-src"
        libraries[name] = folder
    return Packages(libraries, emscripten.find())


def linked(folder: Path) -> Iterator[str]:
    """The static libraries of which a build's modules hold a part, from the linker's records."""
    for record in sorted(folder.glob("*.linked")):
        # reference, tab, member that was taken because of it, tab, symbol
        for line in record.read_text(encoding="utf-8").splitlines():
            found = re.search(r"([^/]+)\.a\([^()]*\)$", (line.split("\t") + [""])[1])
            if found:
                yield FLAVOURS.sub("", found[1].removeprefix("lib"))


def header_folders(folder: Path) -> set[Path]:
    """The folders of third-party headers of everything that was compiled for a build."""
    commands = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    found = {path for entry in commands for path in re.findall(r"-isystem (\S+)", entry["command"])}
    return {Path(entry["directory"], path) for entry in commands[:1] for path in found}


def check(folder: Path) -> None:
    """Fails with a sentence when a build's modules hold something that has no entry."""
    ninja = folder / "build.ninja"
    if not ninja.is_file() or RECORDING not in ninja.read_text(encoding="utf-8"):
        return  # modules from elsewhere, or from before records were kept
    if not list(folder.glob("*.linked")):
        raise Failure(f"{folder} has no record of what was linked (*.linked). ./dev build web makes it.")
    known = {name for entry in ENTRIES for name in entry.archives.split()}
    unknown = sorted(set(linked(folder)) - known)
    if unknown:
        raise Failure(f"The modules hold {', '.join(unknown)}, for which tools/dev/notice.py has no entry.")
    marks = [entry.header for entry in ENTRIES if entry.header] + ["imgui_impl_opengl3.h", "catch_amalgamated.hpp"]  # the last is of the tests
    for headers in header_folders(folder):
        if not any((headers / mark).is_file() for mark in marks):
            raise Failure(f"The headers in {headers} are used, for which tools/dev/notice.py has no entry.")


def text(where: Packages) -> str:
    parts = ["helixscope ships the works below. Each is used under the licence that follows it.\n"]
    for entry in ENTRIES:
        version = entry.version(where)
        title = f"{entry.name}{f', version {version}' if version else ''}"
        parts.append(f"{LINE}\n{title}\nLicence: {entry.licence}\nSource: {entry.source}\n{LINE}\n\n{entry.text(where).strip()}\n")
    return "\n".join(parts)


def make(folders: Mapping[str, Path]) -> Path:
    """Writes NOTICE.txt for the site with these builds of the modules."""
    for folder in folders.values():
        check(folder)
    written = text(packages())
    if not (FILE.is_file() and FILE.read_text(encoding="utf-8") == written):
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(written, encoding="utf-8")
    return FILE
