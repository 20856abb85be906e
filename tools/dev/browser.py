"""Programs that drive the built site in a real browser: the environment they get, and the benchmark."""

import os
import subprocess
from typing import Optional, Sequence

import build
import npm
import packages
import rival
import website
from places import CLI, ROOT, SITE
from report import Failure, environment


def settings(chromium: Optional[str] = None) -> dict[str, str]:
    """The environment variables that tell browser tests, reference tests and the benchmark about this machine. `chromium`: a
    browser other than the usual one."""
    shared = ROOT.parent / "shared" / "gpt2"
    chosen = {
        "HELIXSCOPE_SITE": str(SITE),
        "HELIXSCOPE_CLI": str(CLI),
        "HELIXSCOPE_CHROMIUM": chromium or packages.chromium() or "",
        "HELIXSCOPE_FIREFOX": packages.firefox() or "",
        "HELIXSCOPE_PYTHON": packages.python_with_numpy() or "",
    }
    if shared.is_dir():
        chosen["HELIXSCOPE_MODELS"] = str(shared)
    if os.environ.get("HELIXSCOPE_MODELS"):
        chosen["HELIXSCOPE_MODELS"] = os.environ["HELIXSCOPE_MODELS"]
    return chosen


def browsers(arguments: Sequence[str]) -> list[str]:
    """The benchmark's requirements; Firefox is measured only where it is installed."""
    if "--firefox" not in arguments:
        return ["chromium"]
    return ["firefox", "xvfb", *(["chromium"] if "--hour" in arguments else [])]


def bench(arguments: Sequence[str]) -> int:
    script = ROOT / "tests" / "browser" / "bench.mjs"
    if not script.is_file():
        raise Failure("The benchmark tests/browser/bench.mjs does not exist.")
    if "--help" in arguments:  # needs no build
        return subprocess.run([str(npm.node()), str(script), *arguments], cwd=ROOT, check=False).returncode
    command = [str(npm.node()), str(script), *arguments]
    if "--geometry" in arguments:
        packages.need(*packages.WEB, "numpy")
        for preset in ("native", "web-simd"):
            build.preset(preset, "geometry_bench")
        return subprocess.run(command, cwd=ROOT, env=environment(settings()), check=False).returncode
    packages.need(*packages.WEB, "numpy", *browsers(arguments))
    website.assemble(build.web())
    build.native()  # measures what 8 bits cost in quality, which is the same on every machine
    held_against = {} if {"--page", "--firefox", "--hour", "--views"} & set(arguments) else rival.settings()
    return subprocess.run(command, cwd=ROOT, env=environment({**settings(), **held_against}), check=False).returncode


def pictures(only_new: bool, only_documents: bool) -> int:
    """Takes the pictures for the studies' cards and for the documents."""
    packages.need(*packages.WEB, "chromium", *([] if only_new else ["webp"]))
    website.assemble(build.web())
    chosen = [*(["--new"] if only_new else []), *(["--documents"] if only_documents else [])]
    command = [str(npm.node()), str(ROOT / "tests" / "browser" / "card_pictures.mjs"), *chosen]
    return subprocess.run(command, cwd=ROOT, env=environment(settings()), check=False).returncode
