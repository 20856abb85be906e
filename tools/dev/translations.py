"""The page's words in other languages, assets/words/LANGUAGE.json: checks each against the English ones, which stand in the page's
scripts (web/words/words.js) and in web/index.html, and makes the files that the page loads."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Iterator, Mapping

import lessons
import program_words
import stamps
from places import BUILD, ROOT
from report import Failure

SOURCES = ROOT / "assets" / "words"
WEB = ROOT / "web"
OUT = BUILD / "words"
CALL = re.compile(r"(?:(?<=\.\.\.)|(?<![\w.#]))(?:say|sayParts|marked)\(\s*(\"(?:[^\"\\]|\\.)*\"|['`])")
PLACEHOLDER = re.compile(r"\{(\w+)\}")
ATTRIBUTES = ("title", "aria-label", "aria-roledescription", "placeholder")
PARTS = {"name", "said", "groups", "labels"}


class Page(HTMLParser):
    """The texts of index.html's body, but for those in an element with translate="no"."""

    EMPTY = {"meta", "link", "input", "br", "img"}

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.open: list[tuple[str, bool]] = []  # the elements around, and whether they are translated

    def handle_starttag(self, tag: str, attrs: list[tuple[str, "str | None"]]) -> None:
        given = dict(attrs)
        own = (not self.open or self.open[-1][1]) and given.get("translate") != "no" and tag not in ("head", "script", "noscript")
        if own and tag != "html":
            self.found.update(value for name, value in given.items() if name in ATTRIBUTES and value)
        if tag not in self.EMPTY:
            self.open.append((tag, own))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        text = re.sub(r"\s+", " ", data.strip())
        if self.open and self.open[-1][1] and re.search(r"[^\W\d_]{2}", text):
            self.found.add(text)


def in_page() -> set[str]:
    page = Page()
    page.feed((WEB / "index.html").read_text(encoding="utf-8"))
    return page.found


def in_scripts() -> Iterator[str]:
    for path in sorted(WEB.rglob("*.js")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for literal in CALL.findall(line):
                if literal[0] != '"':
                    raise Failure(f"{path.relative_to(ROOT)}:{number}: say(…) needs a sentence in double quotes, so that it can be translated.")
                yield json.loads(literal)


def english() -> set[str]:
    """Every sentence that a language translates."""
    paths = json.loads((lessons.SOURCES / "paths.json").read_text(encoding="utf-8"))
    return {*in_page(), *in_scripts(), *(path[key] for path in paths for key in ("title", "summary"))}


def program() -> set[str]:
    """What the program says of edits, which every language translates."""
    one = r'"(?:[^"\\\n]|\\.)*"'
    literal = rf"({one}(?:\s*{one})*)"
    files = [path for ending in ("h", "cpp") for path in sorted((ROOT / "src" / "base" / "edits").rglob(f"*.{ending}"))]
    edits = "\n".join(re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.M) for path in files)
    found = re.findall(rf"\.(?:label|sentence|group) = {literal}", re.sub(r"=\s+", "= ", edits)) + re.findall(rf"\bk[A-Z]\w* = {literal}", edits)
    found += re.findall(rf"\{{EditValue::\w+, \"\w+\", {literal}", edits)
    texts = {"".join(json.loads(part) for part in re.findall(one, text)) for text in found}
    return {text for text in texts if re.search(r"[^\W\d_]{2}", text)}


def problems(words: Mapping[str, object], wanted: "set[str] | None" = None, told: "set[str] | None" = None) -> list[str]:
    """What is wrong with a language's words, as sentences."""
    wanted = wanted or english()
    told = program() if told is None else told
    if set(words) != PARTS:
        return [f"has the parts {', '.join(sorted(words))}, not {', '.join(sorted(PARTS))}"]
    said = words["said"]
    found = [f"lacks “{sentence}”" for sentence in sorted(wanted - said.keys())]
    found += [f"translates “{sentence}”, which the page does not say" for sentence in sorted(said.keys() - wanted)]
    for sentence, translation in said.items():
        if set(PLACEHOLDER.findall(sentence)) != set(PLACEHOLDER.findall(translation)):
            found.append(f"has other placeholders than “{sentence}” in “{translation}”")
        if not translation.strip():
            found.append(f"says nothing for “{sentence}”")
    found += [f"lacks “{text}”, which the program says" for text in sorted(told - words["labels"].keys())]
    found += [f"translates the label “{label}”, which the program does not say" for label in sorted(words["labels"].keys() - told)]
    return found


def languages() -> dict[str, Path]:
    return {path.stem: path for path in sorted(SOURCES.glob("*.json"))}


def read(path: Path) -> dict[str, object]:
    """A language's words; a Failure names everything that is wrong with them."""
    words = json.loads(path.read_text(encoding="utf-8"))
    wrong = problems(words)
    if wrong:
        raise Failure(f"{path.relative_to(ROOT)} does not fit the page.", "\n".join(f"It {problem}." for problem in wrong))
    return words


def names() -> str:
    """The languages besides English by their codes, as JSON."""
    return json.dumps({code: json.loads(path.read_text(encoding="utf-8"))["name"] for code, path in languages().items()}, ensure_ascii=False)


def made() -> dict[Path, Path]:
    """The files to serve, by their path in the site: a language's words with the entries of its lessons."""
    for code, path in languages().items():
        words = read(path)
        del words["name"]
        stamps.write(OUT / f"{code}.json", json.dumps({**words, "lessons": lessons.entries(code)}, ensure_ascii=False, separators=(",", ":")))
    return {**{Path("words") / f"{code}.json": OUT / f"{code}.json" for code in languages()}, **program_words.made(list(languages()))}
