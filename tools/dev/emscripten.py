"""Finds an Emscripten that works, or sets one up: an active one, the pinned emsdk, Debian's packages in a prefix."""

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Optional

import debian
import emscripten_debian
import npm
import packages
import stamps
from places import CACHE
from report import Failure, output, run, say, step

# The one version with which the page is developed, tested and published.
VERSION = "6.0.5"
OLDEST = (3, 1, 60)  # that may be used at all, with $HELIXSCOPE_ANY_VERSION
EMSDK_REPOSITORY = "https://github.com/emscripten-core/emsdk.git"
EMSDK = CACHE / f"emsdk-{VERSION}"
DEBIAN_SUITES = ("forky", "trixie")  # the newest first
SELF_TEST = Path(__file__).with_name("relaxed_simd.c")
# Read by cmake/wasm.cmake when CMake is run by hand.
CHOSEN = CACHE / "emscripten-root"


class Route(NamedTuple):
    """One way to get Emscripten: where it will be, and what installs it."""

    name: str
    emscripten: Path
    folder: Path
    build: Callable[[Path], object]


def active() -> Iterator[Path]:
    """The Emscripten that the user has activated, if any."""
    if os.environ.get("EMSCRIPTEN_ROOT"):
        yield Path(os.environ["EMSCRIPTEN_ROOT"])
    if os.environ.get("EMSDK"):
        yield Path(os.environ["EMSDK"]) / "upstream" / "emscripten"
    emcc = shutil.which("emcc")
    if emcc:
        yield Path(emcc).resolve().parent


def version(root: Path) -> tuple[int, ...]:
    """Emscripten's version from its own file: asking emcc takes a second."""
    try:
        text = (root / "emscripten-version.txt").read_text()
    except OSError:
        text = output([root / "emcc", "--version"])
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", text)
    return tuple(int(part) for part in found.groups()) if found else (0, 0, 0)


def refusal(root: Path) -> Optional[str]:
    """Why an Emscripten is not used, by its version; None when it is."""
    found = version(root)
    name = ".".join(map(str, found))
    if is_pinned(root):
        return None
    if found < OLDEST:
        return f"it is {name}, which is older than {'.'.join(map(str, OLDEST))}"
    if debian.any_version():
        say(f"{root} is Emscripten {name}; helixscope is tested with {VERSION}. It is used, because {debian.OVERRIDE} is set")
        return None
    return f"it is {name}, and helixscope is tested with {VERSION} ({debian.OVERRIDE}=1 uses it nevertheless)"


def self_test(root: Path, node: Path) -> Optional[str]:
    """Compiles and runs relaxed SIMD; None when the answers are right, else what went wrong. Done once a version."""
    key = stamps.digest(str(root), version(root), node.stat().st_size, SELF_TEST)
    stamp = CACHE / "self-tests" / key
    if stamp.exists():
        return None
    with tempfile.TemporaryDirectory() as folder, step("checking that the compiler's SIMD code is right"):
        program = Path(folder) / "test.js"
        flags = ["-O2", "-msimd128", "-mrelaxed-simd", "-sENVIRONMENT=node"]
        try:
            run("The compiler", [root / "emcc", *flags, SELF_TEST, "-o", program], "emscripten-self-test")
        except (Failure, OSError) as failure:
            return f"it does not compile the self-test ({failure})"
        if output([node, program]).strip() != "right":
            return "its relaxed SIMD gives wrong results"
    stamps.write(stamp, f"{root}\n")
    return None


def build_emsdk(node: Path) -> None:
    """Clones and installs the pinned emsdk; gives up within seconds where the network does not provide it."""
    if not packages.on_path("git"):
        raise Failure("git is not installed.")
    quiet = {"GIT_TERMINAL_PROMPT": "0"}
    question = ["git", "ls-remote", EMSDK_REPOSITORY, f"refs/tags/{VERSION}"]
    if not output(question, env=quiet, timeout=8):
        raise Failure("Its repository is out of reach.")
    clone = ["git", "clone", "--quiet", "--depth", "1", "--branch", VERSION, EMSDK_REPOSITORY, EMSDK]
    run("Cloning emsdk", clone, "emsdk", env=quiet)
    for verb in ("install", "activate"):
        run(f"emsdk {verb}", [EMSDK / "emsdk", verb, VERSION], "emsdk", cwd=EMSDK)


def routes() -> Iterator[Route]:
    yield Route(f"emsdk {VERSION}", EMSDK / "upstream/emscripten", EMSDK, build_emsdk)
    for suite in DEBIAN_SUITES:
        folder = CACHE / f"emscripten-{suite}-v1"

        def build(node: Path, folder: Path = folder, suite: str = suite) -> object:
            return emscripten_debian.build(folder, suite, node)

        yield Route(f"Debian {suite}'s Emscripten", folder / "root/usr/share/emscripten", folder, build)


def set_up(node: Path) -> Path:
    """The result of an earlier run, else the first route that gives a compiler that passes the check."""
    for route in routes():
        if stamps.is_current(route.folder / "stamp", route.name) and (debian.any_version() or refusal(route.emscripten) is None):
            return route.emscripten
    for route in routes():
        shutil.rmtree(route.folder, ignore_errors=True)
        try:
            with step(f"setting up {route.name} in {route.folder}"):
                route.build(node)
                wrong = refusal(route.emscripten) or self_test(route.emscripten, node)
                if wrong:
                    raise Failure(f"After set-up {wrong}.")
        except Failure as failure:
            say(f"no {route.name}: {failure}")
            shutil.rmtree(route.folder, ignore_errors=True)
            continue
        stamps.write(route.folder / "stamp", route.name)
        return route.emscripten
    raise Failure(f"No Emscripten could be set up; activate an emsdk {VERSION} (emsdk install {VERSION}; emsdk activate {VERSION}) and run this again.")


def is_pinned(root: Path) -> bool:
    """Whether it is the version with which the page is tested."""
    return version(root) == tuple(map(int, VERSION.split(".")))


def find() -> Path:
    """The folder of an Emscripten that works."""
    node = npm.lasting_node()
    for root in active():
        wrong = refusal(root) or self_test(root, node)
        if wrong is None:
            return root
        say(f"{root} is not used: {wrong}")
    with stamps.lock(CACHE / "emscripten.lock", "sets up Emscripten"):
        root = set_up(node)
    if not stamps.is_current(CHOSEN, f"{root}\n"):
        stamps.write(CHOSEN, f"{root}\n")
    return root
