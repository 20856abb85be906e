"""System packages: what each verb needs, installed where that is possible, else named."""

import functools
import glob
import os
import platform
import re
import shutil
import subprocess
from typing import Callable, Iterable, NamedTuple, Optional, Sequence

from report import Failure, environment, output, run, say, step

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
HEADLESS_NAME = "chromium-headless-shell"
FIREFOX_NAMES = ("firefox-esr", "firefox")
FIREFOX_MAC = "/Applications/Firefox.app/Contents/MacOS/firefox"


class Need(NamedTuple):
    """A program or library that a verb needs: how to check for it, and which package installs it."""

    present: Callable[[], bool]
    apt: tuple[str, ...]
    brew: str


def on_path(*names: str) -> bool:
    return any(shutil.which(name) for name in names)


def has_cmake() -> bool:
    found = re.search(r"(\d+)\.(\d+)", output(["cmake", "--version"]))
    return bool(found) and (int(found[1]), int(found[2])) >= (3, 25)


def browser(variable: str, names: Sequence[str], mac: str) -> Optional[str]:
    """A browser for the tests: the one that the environment names, else the first that is installed."""
    given = os.environ.get(variable)
    if given:
        return given
    found = (shutil.which(name) for name in names)
    return next((path for path in found if path), mac if os.path.exists(mac) else None)


def chromium() -> Optional[str]:
    return browser("HELIXSCOPE_CHROMIUM", CHROMIUM_NAMES, CHROMIUM_MAC)


def has_headless_shell() -> bool:
    """Whether Debian's Chromium without windows is there, or would not be used: a visit takes half as long in it."""
    return not on_path("apt-get") or "HELIXSCOPE_CHROMIUM" in os.environ or on_path(HEADLESS_NAME)


def test_browser() -> Optional[str]:
    """The browser of the tests: the one that the environment names, else the headless shell, else Chromium."""
    return os.environ.get("HELIXSCOPE_CHROMIUM") or shutil.which(HEADLESS_NAME) or chromium()


def firefox() -> Optional[str]:
    return browser("HELIXSCOPE_FIREFOX", FIREFOX_NAMES, FIREFOX_MAC)


def has_xvfb() -> bool:
    """Whether Firefox can have a virtual screen; on a Mac it uses the real one."""
    return platform.system() == "Darwin" or on_path("Xvfb")


def python_with(module: str) -> Optional[str]:
    """The first Python interpreter that can import numpy or a similar module."""
    candidates = (os.environ.get("HELIXSCOPE_PYTHON"), "python3", "/usr/bin/python3")
    works = (name for name in candidates if name and output([name, "-c", f"import {module}; print(1)"]))
    return next(works, None)


def python_with_numpy() -> Optional[str]:
    """The interpreter of the reference tests."""
    return python_with("numpy")


def has_fast_blas() -> bool:
    """Whether numpy's products are fast; Debian's are three times as slow without this package."""
    return not on_path("apt-get") or bool(glob.glob("/usr/lib/*/openblas-*/libblas.so.3"))


NEEDS = {
    "compiler": Need(lambda: on_path("c++", "g++", "clang++"), ("g++",), "llvm"),
    "cmake": Need(has_cmake, ("cmake",), "cmake"),
    "ninja": Need(lambda: on_path("ninja", "ninja-build"), ("ninja-build",), "ninja"),
    "ccache": Need(lambda: on_path("ccache"), ("ccache",), "ccache"),
    "node": Need(lambda: on_path("node", "nodejs"), ("nodejs",), "node@24"),
    "npm": Need(lambda: on_path("npm"), ("npm",), "node@24"),
    "xz": Need(lambda: on_path("xz"), ("xz-utils",), "xz"),
    "certificates": Need(
        lambda: platform.system() == "Darwin" or os.path.exists("/etc/ssl/certs/ca-certificates.crt"),
        ("ca-certificates",),
        "ca-certificates",
    ),
    "chromium": Need(lambda: chromium() is not None, ("chromium",), "--cask google-chrome"),
    "headless shell": Need(has_headless_shell, (HEADLESS_NAME,), ""),
    "test browser": Need(lambda: test_browser() is not None, ("chromium",), "--cask google-chrome"),
    "firefox": Need(lambda: firefox() is not None, ("firefox-esr",), "--cask firefox"),
    "webkit": Need(lambda: on_path("WebKitWebDriver"), ("webkit2gtk-driver",), ""),
    "xvfb": Need(has_xvfb, ("xvfb",), ""),
    "numpy": Need(lambda: python_with_numpy() is not None, ("python3-numpy",), "numpy"),
    "openblas": Need(has_fast_blas, ("libopenblas0-serial",), ""),
    "webp": Need(lambda: on_path("img2webp"), ("webp",), "webp"),
    "onnx": Need(lambda: python_with("onnx") is not None, ("python3-onnx",), "onnx"),
}

NATIVE = ("compiler", "cmake", "ninja", "xz", "certificates")
NPM = ("node", "npm", "certificates")
WEB = (*NATIVE, *NPM)


def root_prefix() -> Optional[list[str]]:
    """How to become root without a prompt: already root, or sudo without a password."""
    if os.geteuid() == 0:
        return []
    if on_path("sudo") and output(["sudo", "-n", "echo", "yes"]):
        return ["sudo", "-n"]
    return None


def apt_install(names: list[str]) -> None:
    command = ["apt-get", "install", "--no-install-recommends", *names]
    prefix = root_prefix()
    if prefix is None or os.environ.get("HELIXSCOPE_INSTALL") == "no":
        raise Failure(f"System packages are missing. Run: sudo {' '.join(command)}")
    quiet = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive"]
    install = [*quiet, "apt-get", "install", "-qq", "-y", "--no-install-recommends", *names]
    plan = planned(names)
    if not plan:  # an old or empty package list is the usual reason
        say("reading the lists of packages that this system can install")
        run("apt-get update", [*quiet, "apt-get", "update", "-qq"], "apt-update")
        plan = planned(names)
    say(f"installs in this system: {' '.join(names)}{plan} (HELIXSCOPE_INSTALL=no: only says what is missing)")
    with step(f"installing {' '.join(names)}"):
        try:
            run("apt-get install", install, "apt")
        except Failure:
            # Lists that are not empty may still be too old.
            run("apt-get update", [*quiet, "apt-get", "update", "-qq"], "apt-update")
            run("apt-get install", install, "apt")


def planned(names: Sequence[str]) -> str:
    """How much apt would install for these packages: ": 31 packages, 85.3 MB to download, 320 MB on disk"; "" when it cannot tell."""
    question = ["apt-get", "install", "--no-install-recommends", "--assume-no", *names]
    try:
        # Answering "no" is a failure for apt, and its answer is what counts here.
        answer = subprocess.run(question, env=environment({"LC_ALL": "C"}), capture_output=True, text=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    count = re.search(r"(\d+) newly installed", answer)
    download = re.search(r"Need to get (?:[\d.,]+ ?[kMG]?B/)?([\d.,]+ ?[kMG]?B)", answer)
    disk = re.search(r"([\d.,]+ ?[kMG]?B) (?:of additional disk space will be used|disk space)", answer) or re.search(r"Space needed: ([\d.,]+ ?[kMG]?B)", answer)
    if not count:
        return ""
    parts = [f"{count[1]} packages", download and f"{download[1]} to download", disk and f"{disk[1]} on disk"]
    return ": " + ", ".join(part for part in parts if part)


def need(*names: str) -> None:
    """Ensures that the named needs are met; installs what is missing where permitted, or says what to run."""
    missing = [NEEDS[name] for name in dict.fromkeys(names) if not NEEDS[name].present()]
    if not missing:
        return
    if on_path("apt-get"):
        apt_install(list(unique(package for entry in missing for package in entry.apt)))
    elif platform.system() == "Darwin":
        raise Failure(f"Tools are missing. Run: brew install {' '.join(unique(e.brew for e in missing))}")
    still = [name for name in names if not NEEDS[name].present()]
    if still:
        raise Failure(f"Please install what this machine still lacks: {', '.join(still)} (cmake from 3.25 on).")


@functools.lru_cache(maxsize=None)
def wish(*names: str, without: str = "this takes longer") -> None:
    """Needs that one can do without: installed where that is possible, else reported once and skipped."""
    try:
        need(*names)
    except Failure as failure:
        say(f"without {' and '.join(names)} {without}. {failure}")


def need_test_browser() -> None:
    wish("headless shell")
    need("test browser")


def is_debian() -> bool:
    try:
        with open("/etc/os-release", encoding="utf-8") as lines:
            return "ID=debian" in (line.strip() for line in lines)
    except OSError:
        return False


def need_firefox() -> None:
    """Firefox and a screen for it: Debian packages both; Ubuntu's package is no browser, and a Mac installs none by itself."""
    if is_debian():
        need("firefox", "xvfb")
    else:
        wish("firefox", "xvfb", without="the tests in Firefox are skipped")


def wish_webkit() -> None:
    """WebKitGTK's small browser with its driver, and a screen for it; a Mac has neither."""
    if platform.system() != "Darwin":
        wish("webkit", "xvfb", without="the tests in WebKit are skipped")


def unique(items: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(items)
