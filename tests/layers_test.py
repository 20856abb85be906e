"""Checks which layer may include which, as in the table of src/README.md, the length of every source, and the tests' namespaces."""

import re
import unittest
from collections import Counter
from pathlib import Path
from typing import Iterator, NamedTuple, Optional

SRC = Path(__file__).resolve().parents[1] / "src"

# Each layer and the layers it may include besides itself. `compute` and `view` are the two halves of studies/;
# `studies` is what both share: the folder's own headers and each study's <id>.h.
LAYERS = {
    "base": "",
    "kernels": "base",
    "geometry": "base",
    "protocol": "base",
    "state": "base",
    "figure": "base",
    "checkpoint": "base kernels",
    "tokenizer": "base checkpoint",
    "model": "base kernels geometry checkpoint",
    "studies": "base protocol",
    "compute": "base checkpoint tokenizer model geometry protocol state studies",
    "view": "base protocol figure studies",
    "engine": "base kernels checkpoint tokenizer model geometry protocol state studies compute",
    "ui": "base figure",
    "app": "base figure ui protocol state studies view",
    "cli": "base kernels geometry protocol state figure checkpoint tokenizer model studies compute view"
           " engine",
}
# Third-party headers and the layers that may see them.
THIRD_PARTY = {
    r"Eigen/": "geometry compute",
    r"imgui|imgui_": "ui app",
    r"utf8proc": "tokenizer",
    r"nlohmann/": "protocol state checkpoint tokenizer app cli engine",
    r"GLFW/|GLES|EGL/": "ui app",
    r"catch": "",
}
EMSCRIPTEN_FILES = {"app/bridge.cpp", "engine/bridge.cpp"}
# Files that may hold conditional code for different targets.
CONDITIONAL = re.compile(r"^(kernels/.*|.*/bridge\.cpp|base/target\.h)$")
LONGEST = {".cpp": 400, ".h": 200}


class Include(NamedTuple):
    file: str
    line: int
    target: str


def sources() -> Iterator[Path]:
    return (path for path in sorted(SRC.rglob("*")) if path.suffix in LONGEST)


def layer_of(name: str) -> Optional[str]:
    """The layer of a file, named relative to src/; None when it is in no layer."""
    parts = name.split("/")
    if parts[0] != "studies":
        return parts[0] if parts[0] in LAYERS and len(parts) > 1 else None
    stem = parts[-1].rsplit(".", 1)[0]
    if len(parts) == 2:
        half = stem.rsplit("_", 1)[-1]
        return half if half in ("compute", "view") else "studies"
    if stem == parts[1]:
        return "studies"
    return "view" if stem.startswith("view") else "compute"


def includes(path: Path) -> Iterator[Include]:
    name = path.relative_to(SRC).as_posix()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if found:
            yield Include(name, number, found[1])


def problem_with(include: Include) -> Optional[str]:
    layer = layer_of(include.file)
    if layer is None:
        return "is in no layer"
    if include.target.startswith("emscripten"):
        return None if include.file in EMSCRIPTEN_FILES else "may not include <emscripten…>"
    for pattern, allowed in THIRD_PARTY.items():
        if re.match(pattern, include.target):
            return None if layer in allowed.split() else f"({layer}) may not include {include.target}"
    target = layer_of(include.target)
    if target is None:
        ours = (SRC / include.file).parent / include.target
        return f"includes {include.target} by a path that does not start at src/" if ours.is_file() else None
    if is_another_study(include):
        return f"may not include another study's {include.target}"
    allowed = target == layer or target in LAYERS[layer].split()
    return None if allowed else f"({layer}) may not include {include.target} ({target})"


def is_another_study(include: Include) -> bool:
    """Files outside a study's folder do not include it: shared code moves down into a layer or up into studies/*.h."""
    here, there = include.file.split("/"), include.target.split("/")
    return there[0] == "studies" and len(there) == 3 and here[:2] != there[:2]


# GCC 12 destroys twice what a braced list has awaited: a name of its own is safe.
AWAITED_IN_BRACES = re.compile(r"\b(?!(?:const|else|do|mutable)\b)\w+>?\s*\{[^{};]*\bco_await\b")


def listed_studies() -> set[str]:
    listed = SRC / "studies" / "studies.def"
    return set(re.findall(r"^STUDY\(\s*(\w+)", listed.read_text(), re.M)) if listed.exists() else set()


class LayersTest(unittest.TestCase):
    def fail_with(self, problems: list[str]) -> None:
        if problems:
            self.fail("\n" + "\n".join(problems))

    def test_includes_follow_the_table(self) -> None:
        found = (include for path in sources() for include in includes(path))
        checked = ((include, problem_with(include)) for include in found)
        self.fail_with([f"src/{i.file}:{i.line} {problem}" for i, problem in checked if problem])

    def test_the_map_says_the_same(self) -> None:
        halves = {"studies", "compute", "view"}
        told = dict(re.findall(r"^\| `(\w+)/` \|.*\| ([^|]+) \|$", (SRC / "README.md").read_text(encoding="utf-8"), re.M))
        self.assertEqual(set(told), set(LAYERS) - halves | {"studies"})
        for layer in set(told) - {"studies", "cli"}:
            expected = set(LAYERS[layer].split())
            if expected & halves:
                expected = expected - halves | {"studies"}
            self.assertEqual(set(told[layer].split()) - {"–"}, expected, layer)
        self.assertEqual(set(LAYERS["cli"].split()), set(LAYERS) - {"ui", "app", "cli"})

    def test_every_source_is_in_a_layer(self) -> None:
        names = (path.relative_to(SRC).as_posix() for path in sources())
        self.fail_with([f"src/{name} is in no layer's folder" for name in names if layer_of(name) is None])

    def test_studies_are_listed(self) -> None:
        folders = {path.parent.name for path in (SRC / "studies").glob("*/*.cpp")}
        self.fail_with([f"src/studies/{name} is not in studies.def" for name in sorted(folders - listed_studies())])

    def test_edits_are_listed(self) -> None:
        listed = set(re.findall(r"^EDIT\(\s*(\w+)", (SRC / "base" / "edits" / "edits.def").read_text(encoding="utf-8"), re.M))
        self.assertTrue(listed)
        for folder in ("base", "model"):
            self.assertEqual({path.stem for path in (SRC / folder / "edits").glob("*.cpp")}, listed)

    def test_conditional_code_is_in_its_places(self) -> None:
        problems = []
        for path in sources():
            name = path.relative_to(SRC).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", line) and not CONDITIONAL.match(name):
                    problems.append(f"src/{name}:{number} conditional code belongs in kernels, a bridge or base/target.h")
        self.fail_with(problems)

    def test_nothing_is_awaited_in_braces(self) -> None:
        for path in sources():
            text = path.read_text(encoding="utf-8")
            self.fail_with([f"src/{path.relative_to(SRC)}:{text.count(chr(10), 0, found.start()) + 1} awaits within braces"
                            for found in AWAITED_IN_BRACES.finditer(text)])

    def test_files_are_short(self) -> None:
        problems = []
        for path in sources():
            lines = path.read_text(encoding="utf-8").splitlines()
            excused = any(line.startswith("// Long because") for line in lines)
            if len(lines) > LONGEST[path.suffix] and not excused:
                problems.append(f"src/{path.relative_to(SRC)}: {len(lines)} lines, at most {LONGEST[path.suffix]}")
        self.fail_with(problems)

    def test_every_test_file_has_a_namespace(self) -> None:
        """Several are compiled as one (cmake/Join.cmake), so that what one file names must not clash with another's. Where two folders
        have a file of one name, the folder's belongs to it."""
        files = sorted(Path(__file__).parent.glob("*/*_test.cpp"))
        count = Counter(path.stem for path in files)
        named = {path: f"namespace {path.parent.name + '_' if count[path.stem] > 1 else ''}{path.stem} {{" for path in files}
        self.assertTrue(named)
        self.fail_with([f"{path} lacks `{name}`" for path, name in named.items()
                        if name not in path.read_text(encoding="utf-8").splitlines()])


class RulesTest(unittest.TestCase):
    """Tests of the checks above: each rule refuses what it is meant to refuse."""

    def refused(self, file: str, target: str) -> bool:
        return problem_with(Include(file, 1, target)) is not None

    def test_layers(self) -> None:
        self.assertTrue(self.refused("geometry/pca.cpp", "checkpoint/weights.h"))
        self.assertTrue(self.refused("base/text.h", "kernels/table.h"))
        self.assertTrue(self.refused("checkpoint/weights.cpp", "model/network.h"))
        self.assertTrue(self.refused("tokenizer/bpe.cpp", "model/network.h"))
        self.assertTrue(self.refused("ui/plot.cpp", "protocol/result.h"))
        self.assertFalse(self.refused("model/forward.cpp", "kernels/table.h"))
        self.assertFalse(self.refused("model/forward.cpp", "vector"))

    def test_halves_of_a_study(self) -> None:
        self.assertTrue(self.refused("studies/spectrum/view.cpp", "geometry/pca.h"))
        self.assertTrue(self.refused("studies/spectrum/compute.cpp", "figure/figure.h"))
        self.assertTrue(self.refused("studies/spectrum/spectrum.h", "checkpoint/weights.h"))
        self.assertTrue(self.refused("studies/spectrum/compute.cpp", "studies/rope/rope.h"))
        self.assertFalse(self.refused("studies/spectrum/view.cpp", "studies/spectrum/spectrum.h"))
        self.assertFalse(self.refused("studies/spectrum/compute.cpp", "studies/registry_compute.h"))
        self.assertTrue(self.refused("engine/engine.cpp", "studies/registry_view.h"))
        self.assertTrue(self.refused("engine/engine.cpp", "studies/spectrum/spectrum.h"))

    def test_third_party(self) -> None:
        self.assertTrue(self.refused("model/forward.cpp", "Eigen/Dense"))
        self.assertTrue(self.refused("figure/layout.cpp", "imgui.h"))
        self.assertTrue(self.refused("engine/engine.cpp", "emscripten.h"))
        self.assertTrue(self.refused("kernels/table.cpp", "nlohmann/json.hpp"))
        self.assertTrue(self.refused("base/text.cpp", "utf8proc.h"))
        self.assertFalse(self.refused("engine/bridge.cpp", "emscripten/html5.h"))

    def test_awaited_in_braces(self) -> None:
        self.assertTrue(AWAITED_IN_BRACES.search("co_return TextLoss{co_await losses(rows)};"))
        self.assertTrue(AWAITED_IN_BRACES.search("std::vector<int>{1,\n    co_await next()}"))
        self.assertFalse(AWAITED_IN_BRACES.search("if (there) {\n  x = 1;\n  co_await next();\n}"))
        self.assertFalse(AWAITED_IN_BRACES.search("Task<int> next() const {\n  auto x = co_await later();"))
        self.assertFalse(AWAITED_IN_BRACES.search("auto x = co_await next(); co_return Loss{std::move(x)};"))


if __name__ == "__main__":
    unittest.main()
