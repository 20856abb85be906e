"""The benchmark's comparison: onnxruntime-web, the engine under transformers.js, and its models in ONNX."""

import packages
import stamps
from places import BUILD, ROOT
from report import Failure, run, say, step

SOURCE = ROOT / "tools" / "bench"
FOLDER = BUILD / "rival"


def install() -> None:
    """`npm ci` into build/rival, unless it is already what the lock file says."""
    packages.need("numpy", "onnx", *packages.NPM)
    lock, manifest, settings = (SOURCE / name for name in ("package-lock.json", "package.json", ".npmrc"))
    with stamps.lock(BUILD / "rival.lock", "installs onnxruntime-web"):
        stamp, value = FOLDER / ".helixscope", stamps.digest(manifest, lock)
        if stamps.is_current(stamp, value):
            return
        FOLDER.mkdir(parents=True, exist_ok=True)
        for path in (lock, manifest, settings):
            (FOLDER / path.name).write_bytes(path.read_bytes())
        with step("installing onnxruntime-web, to compare with"):
            run("npm ci", ["npm", "ci"], "npm-rival", cwd=FOLDER)
        stamps.write(stamp, value)


def settings() -> dict[str, str]:
    """The environment that locates onnxruntime-web for the benchmark; empty, with a message, where it is not available."""
    try:
        install()
    except Failure as failure:
        say(f"no rows of onnxruntime-web: {failure}")
        return {}
    return {"HELIXSCOPE_RIVAL": str(FOLDER / "node_modules"), "HELIXSCOPE_ONNX_PYTHON": packages.python_with("onnx") or ""}
