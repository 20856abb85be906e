"""Debian's Emscripten in a private prefix: for machines that can only reach a package mirror.

The compilers come from a newer suite than the machine's, so they bring their own C library along: each program is
told (by patchelf) to start with the prefix's dynamic linker and libraries. A prefix cannot be moved.
"""

import re
from pathlib import Path
from typing import Iterator

from debian import Suite, fresh
from report import Failure, run, say

# Dependencies of `emscripten` that a WebAssembly build never runs: the machine's own python and node are
# used, and the native C and C++ development files are only for native compiling.
UNUSED = (
    "python3 libpython3 nodejs libnode node-undici node-corepack node-minimatch node-brace node-balanced node-cjs "
    "node-llhttp node-lru node-semver node-debug node-ms ccache binutils libbinutils libgprofng libctf libsframe "
    "libc6-dev libc-dev-bin libc-gconv linux-libc-dev libasan liblsan libtsan libubsan libhwasan libitm libquadmath "
    "libgomp libatomic libobjc libgc1 libcrypt libclang1- tzdata debconf dpkg media-types netbase openssl libssl "
    "readline libreadline libsqlite libdb5 rpcsvc perl"
).split()
LLVM_TOOLS = (
    "clang clang-[0-9]* lld llvm-ar llvm-nm llvm-objcopy llvm-strip llvm-ranlib llvm-dwarfdump llvm-dwp "
    "llvm-symbolizer llvm-objdump clang-scan-deps"
).split()
# These have a search path of their own, which would override the prefix's.
LIBRARIES = ("libLLVM*.so.*", "libclang-cpp.so.*", "libbinaryen.so", "libxml2.so.*")


def is_wanted(package: str) -> bool:
    native_compiler = package.startswith(("libgcc-", "libstdc++-")) and package.endswith("-dev")
    return not (native_compiler or package == "tar" or package.startswith(tuple(UNUSED)))


def decides(package: str) -> bool:
    """Whether the bytes of a module depend on the package's version."""
    return bool(re.match(r"(emscripten|binaryen|(clang|lld|llvm)-\d+|libllvm\d+|libclang-cpp\d+|libclang-common-\d+-dev)$", package))


def is_program(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def only(found: Iterator[Path], what: str) -> Path:
    """The newest of the paths found (by name); fails with a sentence when there is none."""
    paths = sorted(found, key=lambda path: (len(path.name), path.name))
    if not paths:
        raise Failure(f"Debian's Emscripten packages hold no {what}.")
    return paths[-1]


class Prefix:
    """The unpacked tree and the places in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.emscripten = self.root / "usr/share/emscripten"

    def locate(self) -> None:
        self.llvm = only(self.root.glob("usr/lib/llvm-*"), "LLVM")
        self.loader = only((p for p in self.root.glob("usr/lib/*/ld-linux-*.so.*")), "dynamic linker")
        self.libraries = self.loader.parent

    def patch(self) -> None:
        def patchelf(*arguments: object) -> None:
            command = [self.loader, "--library-path", self.libraries, self.root / "usr/bin/patchelf", *arguments]
            run("patchelf", command, "patchelf")

        for pattern in LIBRARIES:
            for library in filter(is_program, self.libraries.glob(pattern)):
                patchelf("--force-rpath", "--set-rpath", "$ORIGIN", library)
        tools = [path for name in LLVM_TOOLS for path in (self.llvm / "bin").glob(name)]
        for tool in filter(is_program, [*tools, *(self.root / "usr/bin").glob("wasm*")]):
            start = ("--set-interpreter", self.loader, "--force-rpath", "--set-rpath", self.libraries)
            patchelf(*start, tool)

    def configure(self, node: Path) -> None:
        # Debian's copy looks for its JavaScript helpers in places that only Debian's own node searches.
        modules = self.root / "usr/share/node_modules"
        if not modules.is_symlink():
            modules.symlink_to("nodejs")
        lines = [
            f"LLVM_ROOT = {str(self.llvm / 'bin')!r}",
            f"BINARYEN_ROOT = {str(self.root / 'usr')!r}",
            f"NODE_JS = {str(node)!r}",
        ]
        if (self.emscripten / "cache/sysroot/lib").is_dir():
            lines.append("FROZEN_CACHE = True")  # this suite ships its system libraries compiled
        else:
            lines.append(f"CACHE = {str(self.folder / 'cache')!r}")
        (self.emscripten / ".emscripten").write_text("\n".join(lines) + "\n")


def build(folder: Path, suite_name: str, node: Path) -> Path:
    """Makes a fresh prefix; returns the folder that holds emcc."""
    fresh(folder)
    suite = Suite(suite_name)
    suite.update()
    downloads = [download for download in suite.closure("emscripten", "patchelf") if is_wanted(download.package)]
    wanted = [download.package for download in downloads]
    if "emscripten" not in wanted:
        raise Failure(f"Debian {suite_name} offers no Emscripten for this machine.")
    size = sum(download.size for download in downloads)
    say(f"{len(wanted)} packages of Debian {suite_name} for {folder}: {size / 1e6:.0f} MB to download, "
        f"{suite.on_disk(wanted) / 1e6:.0f} MB on disk; nothing of it is installed in the system")
    prefix = Prefix(folder)
    suite.unpack(wanted, prefix.root)
    prefix.locate()
    prefix.patch()
    prefix.configure(node)
    return prefix.emscripten
