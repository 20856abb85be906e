"""The tools that come from npm (node 24, the browser driver, fonts, the formatter), exactly as the lock file says."""

import os
import platform
import re
import shutil
from pathlib import Path

import packages
import stamps
from places import CACHE, ROOT
from report import Failure, output, run, step

MODULES = ROOT / "node_modules"
STAMP = MODULES / ".helixscope"
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def install() -> None:
    """`npm ci`, unless node_modules is already what the lock file says."""
    with stamps.lock(CACHE / "npm.lock", "installs npm packages"):
        value = stamps.digest(ROOT / "package.json", ROOT / "package-lock.json")
        if stamps.is_current(STAMP, value):
            return
        packages.need(*packages.NPM)
        with step("installing npm packages"):
            run("npm ci", ["npm", "ci"], "npm", cwd=ROOT)
        stamps.write(STAMP, value)


def is_new_enough(node: str) -> bool:
    found = re.match(r"v(\d+)\.", output([node, "--version"]))
    return bool(found) and int(found[1]) >= 24


def node() -> Path:
    """node 24: npm's on Linux, the machine's own elsewhere. Older ones miscompile relaxed SIMD."""
    install()
    machine = MACHINES.get(platform.machine().lower(), "")
    packaged = MODULES / f"node-linux-{machine}" / "bin" / "node"
    if packaged.exists():
        return packaged
    own = shutil.which("node")
    if own and is_new_enough(own):
        return Path(own)
    raise Failure("node 24 or newer is needed: on macOS, brew install node@24.")


def lasting_node() -> Path:
    """node 24 at a path that outlives this clone, because the compiler's configuration names it."""
    here = node()
    if MODULES not in here.parents:
        return here
    there = CACHE / f"node-{output([here, '--version']).strip()}" / "node"
    if not there.exists():
        there.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(here, there)
        except OSError:
            shutil.copy2(here, there)
    return there
