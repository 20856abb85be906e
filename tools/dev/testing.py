"""Runs every test, cheap ones first, or only the named ones, and prints a table of the steps at the end."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, NamedTuple, Optional, Sequence

import browser
import build
import choosing
import formatting
import linting
import npm
import packages
import website
from places import BUILD, LOGS, ROOT
from report import Failure, run, say, tail

TESTS = ROOT / "tests"
LONGEST_TEST = 180  # seconds for one browser test, so that a test that hangs does not stop the others
MEMORY_OF_BROWSER = 2 << 30  # bytes, with the server and the test beside it
LONG_FILES = ("webkit_test.mjs", "firefox_test.mjs")  # a minute or more each: started first, so that none runs alone at the end
CPP_PROGRAM = "helixscope_tests"
CATCH_ESCAPES = str.maketrans({letter: f"\\{letter}" for letter in '\\",['})  # otherwise they have a meaning in a name
FUZZ_SECONDS = {"full": "2", "quick": "1"}

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # for numpy, because several files run at once


class Outcome(NamedTuple):
    title: str
    seconds: float
    result: str  # "passed", "failed", "nothing to run"


class Nothing(Exception):
    """The step has no tests yet."""


def python_tests(
    folder: Path, interpreter: str = sys.executable, pattern: str = "*_test.py", only: Sequence[str] = ()
) -> None:
    """Runs a folder's test files, as many at once as there are cores, long ones first; prints each one's results at its end."""
    longest_first = sorted(folder.glob(pattern), key=lambda path: (-path.stat().st_size, path.name))
    files = [path.name for path in longest_first]
    chosen = [part for name in only for part in ("-k", name)]
    wanted = [name for name in files if not only or any(each.startswith(f"{Path(name).stem}.") for each in only)]
    if not wanted:
        raise Nothing
    command = [interpreter, "-m", "unittest", "discover", "-s", folder, "-t", folder, "-p"]
    where = folder.relative_to(ROOT)

    def one(name: str) -> Optional[Failure]:
        log = f"{folder.name}-{Path(name).stem}"
        try:
            run(f"{where}/{name}", [*command, name, *chosen], log, cwd=ROOT, env={**browser.settings(), **ONE_THREAD})
        except Failure as failure:
            say(f"{where}/{name} failed\n{failure.detail}")
            return failure
        ran, _, verdict = tail(LOGS / f"{log}.log", 3).split("\n")  # "Ran 8 tests in 0.2s", "", "OK (skipped=1)"
        say(f"{where}/{name}: {ran}, {verdict}")
        return None

    with ThreadPoolExecutor(build.jobs()) as pool:
        failed = [failure for failure in pool.map(one, wanted) if failure]
    if failed:
        raise Failure(f"{len(failed)} of the {len(wanted)} test files of {where} failed.")


def repository_checks(only: Sequence[str] = ()) -> None:
    python_tests(TESTS, only=only)


def tool_tests(only: Sequence[str] = ()) -> None:
    # The trainer's tests need numpy and torch, and are skipped without them.
    python_tests(TESTS / "tools", packages.python_with_numpy() or sys.executable, only=only)
    if not only:
        node_tests(list((TESTS / "tools").glob("*_test.mjs")), "Tool tests in JavaScript")


def web_tests() -> None:
    """The page's modules without a browser."""
    node_tests(list((TESTS / "web").glob("*_test.mjs")), "Web tests")


def reference_tests(only: Sequence[str] = ()) -> None:
    packages.need("numpy")
    packages.wish("openblas")
    build.native()
    python_tests(TESTS / "reference", packages.python_with_numpy() or sys.executable, only=only)


def fuzzing(seconds: str) -> dict[str, str]:
    return {**browser.settings(), "HELIXSCOPE_FUZZ_SECONDS": os.environ.get("HELIXSCOPE_FUZZ_SECONDS", seconds)}


def cpp_tests(preset: str, fuzz: str) -> None:
    build.preset(preset, CPP_PROGRAM)
    command = ["ctest", "--preset", preset, "-j", build.jobs()]
    run(f"ctest {preset}", command, f"{preset}-ctest", cwd=ROOT, env=fuzzing(fuzz), show=True)


def named_cpp_tests(titles: Sequence[str]) -> None:
    program = build.preset("asan", CPP_PROGRAM) / "tests" / CPP_PROGRAM
    names = BUILD / "asan" / "named_tests.txt"
    names.write_text("".join(f'"{title.translate(CATCH_ESCAPES)}"\n' for title in titles), encoding="utf-8")
    command = [program, "--input-file", names, "--rng-seed", "1"]
    run("The C++ tests", command, "asan-named", cwd=ROOT, env=fuzzing(FUZZ_SECONDS["quick"]), show=True)


def browsers_at_once() -> int:
    """Each test file drives a browser of its own, which keeps a core busy."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):  # not on every system
        memory = 2 * MEMORY_OF_BROWSER
    return max(1, min(build.jobs(), memory // MEMORY_OF_BROWSER))


def node_tests(files: Sequence[Path], title: str, pattern: Optional[str] = None) -> None:
    """Runs test files, as many at once as there are cores and room for browsers, those of LONG_FILES first."""
    if not files:
        raise Nothing
    limits = ["--at-once", browsers_at_once(), "--timeout", LONGEST_TEST * 1000]
    chosen = ["--pattern", pattern] if pattern else []
    names = sorted((path.name not in LONG_FILES, str(path.relative_to(ROOT))) for path in files)
    command = [npm.node(), ROOT / "tools" / "dev" / "node_tests.mjs", *limits, *chosen, *(name for _, name in names)]
    run(title, command, title.lower().replace(" ", "-"), cwd=ROOT, env=browser.settings(packages.test_browser()), show=True)


def tokenizer_tests() -> None:
    build.native()
    node_tests(list((TESTS / "reference").glob("*_test.mjs")), "Tokenizer tests")


def browser_tests() -> None:
    packages.need_test_browser()
    packages.need_firefox()
    packages.wish_webkit()
    node_tests(list((TESTS / "browser").glob("*_test.mjs")), "Browser tests")


def named_node_tests(chosen: choosing.Chosen, names: Sequence[str]) -> None:
    folders = {path.parent.name for path in (*chosen.whole, *chosen.parts)}
    if folders & {"browser", "reference"}:
        build.native()
    if "browser" in folders:
        packages.need_test_browser()
        used = "".join(path.read_text(encoding="utf-8") for path in (*chosen.whole, *chosen.parts) if path.parent.name == "browser")
        if "/firefox.mjs" in used:
            packages.need_firefox()
        if "/webkit.mjs" in used:
            packages.wish_webkit()
        site()
    if chosen.whole:
        node_tests(chosen.whole, "Named files")
    if chosen.parts:
        node_tests(chosen.parts, "Named titles", choosing.title_pattern(names))


def site() -> None:
    website.assemble(build.web())


def steps(quick: bool) -> list[tuple[str, Callable[[], object]]]:
    fuzz = FUZZ_SECONDS["quick" if quick else "full"]
    checks: list[tuple[str, Callable[[], object]]] = [
        ("format", formatting.check),
        ("lint", linting.check),
        ("repository checks", repository_checks),
        ("tool tests", tool_tests),
        ("web tests", web_tests),
        ("asan tests", lambda: cpp_tests("asan", fuzz)),
    ]
    if quick:
        return checks
    return checks + [
        ("native tests", lambda: cpp_tests("native", FUZZ_SECONDS["quick"])),
        ("reference tests", reference_tests),
        ("tokenizer tests", tokenizer_tests),
        ("web-simd tests", lambda: cpp_tests("web-simd", FUZZ_SECONDS["quick"])),
        ("web-relaxed tests", lambda: cpp_tests("web-relaxed", FUZZ_SECONDS["quick"])),
        ("web-relaxed-mt tests", lambda: cpp_tests("web-relaxed-mt", FUZZ_SECONDS["quick"])),
        ("site", site),
        ("browser tests", browser_tests),
    ]


def named_steps(names: Sequence[str]) -> list[tuple[str, Callable[[], object]]]:
    """The tests whose file or title contains a name; those in C++ under the sanitizers."""
    chosen = choosing.choose(names)
    checks: list[tuple[str, Callable[[], object]]] = []
    for title, folder, work in (
        ("repository checks", TESTS, repository_checks),
        ("tool tests", TESTS / "tools", tool_tests),
        ("reference tests", TESTS / "reference", reference_tests),
    ):
        only = [each for path, found in chosen.python.items() if path.parent == folder for each in found]
        if only:
            checks.append((title, lambda work=work, only=only: work(only)))
    if chosen.cpp:
        checks.append(("asan tests", lambda: named_cpp_tests(chosen.cpp)))
    if chosen.whole or chosen.parts:
        checks.append(("node tests", lambda: named_node_tests(chosen, names)))
    return checks


def run_step(title: str, work: Callable[[], object]) -> Outcome:
    say(f"== {title}")
    start = time.monotonic()
    result = "passed"
    try:
        work()
    except Nothing:
        result = "nothing to run"
        say(f"{title}: nothing to run")
    except Failure as failure:
        result = "failed"
        if failure.detail:
            print(failure.detail)
        say(f"{title}: {failure}")
    return Outcome(title, time.monotonic() - start, result)


def run_all(quick: bool, names: Sequence[str] = ()) -> int:
    """Runs every step, even after a failure, so that one run shows all failures. The exit status is 1 if any failed."""
    chosen = named_steps(names) if names else steps(quick)
    if not chosen:
        raise Failure(f"No test's file or title contains {' or '.join(map(repr, names))}.")
    packages.need(*packages.NATIVE)
    npm.install()
    outcomes = [run_step(title, work) for title, work in chosen]
    print()
    for outcome in outcomes:
        print(f"{outcome.title:20} {outcome.seconds:8.1f} s  {outcome.result}")
    print(f"{'all':20} {sum(outcome.seconds for outcome in outcomes):8.1f} s")
    failed = sum(outcome.result == "failed" for outcome in outcomes)
    passed = sum(outcome.result == "passed" for outcome in outcomes)
    print(f"\n{passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0
