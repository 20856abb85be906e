"""Configures and builds CMake presets, with what they need set up first."""

import os
import shutil
from pathlib import Path

import deps
import emscripten
import npm
import packages
import stamps
from places import BUILD, ROOT
from report import run, step

PRESETS = ROOT / "CMakePresets.json"
WEB_PRESETS = ("web-simd", "web-relaxed", "web-relaxed-mt")


def arguments(preset: str) -> list[str]:
    """The settings that the preset does not have: where this machine's libraries and compilers are."""
    chosen = [*deps.cmake_arguments(), f"-DHELIXSCOPE_CCACHE={shutil.which('ccache') or ''}"]
    if preset in WEB_PRESETS:
        chosen += [f"-DHELIXSCOPE_EMSCRIPTEN={emscripten.find()}", f"-DHELIXSCOPE_NODE={npm.node()}"]
    return chosen


def configure(preset: str) -> None:
    folder = BUILD / preset
    chosen = arguments(preset)
    stamp = folder / ".helixscope"
    value = "\n".join([*chosen, stamps.digest(PRESETS)])
    if stamps.is_current(stamp, value) and (folder / "build.ninja").exists():
        return  # ninja itself reconfigures when a CMake file changes
    # --fresh, because a toolchain cannot be changed under a configured folder.
    again = ["--fresh"] if (folder / "CMakeCache.txt").exists() else []
    with step(f"configuring {preset}"):
        run(f"Configuring {preset}", ["cmake", "--preset", preset, *again, *chosen], f"{preset}-configure", cwd=ROOT)
    stamps.write(stamp, value)


def jobs() -> int:
    return int(os.environ.get("HELIXSCOPE_JOBS") or os.cpu_count() or 2)


def preset(name: str, target: str = "all") -> Path:
    """Builds one target of a preset; returns its build folder."""
    packages.need(*(packages.WEB if name in WEB_PRESETS else packages.NATIVE))
    packages.wish("ccache")
    folder = BUILD / name
    with stamps.lock(BUILD / f"{name}.lock", f"builds {name}"):
        configure(name)
        command = ["cmake", "--build", "--preset", name, "-j", jobs(), "--target", target]
        with step(f"building {name}"):
            run(f"Building {name}", command, f"{name}-build", cwd=ROOT)
    return folder


def native() -> Path:
    """The program helixscope."""
    return preset("native", "program") / "helixscope"


def web() -> dict[str, Path]:
    """The page's modules; maps each flavour of the engine to its build folder."""
    return {name.removeprefix("web-"): preset(name, "modules") for name in WEB_PRESETS}
