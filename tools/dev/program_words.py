"""The sentences of the studies: src/studies/words.LANGUAGE.md and src/studies/<id>/words.LANGUAGE.md. Checks the English ones against the
code, and each other language against them, and makes the files that the page loads: build/words/program.LANGUAGE.txt. Short texts, which the
code has in English (in_words), are in src/studies/labels.LANGUAGE.md by that English."""

import re
from pathlib import Path
from typing import Iterable, Iterator, Mapping

import stamps
from places import BUILD, ROOT
from report import Failure

STUDIES = ROOT / "src" / "studies"
OUT = BUILD / "words"
SHARED = "studies"  # the words that several studies use
LABELS = "labels"
END = "# end"  # the last line of a file for the page, which tells a file that was cut
# What add_words (src/base/schema.h) looks up by itself, and what of it a language may leave out.
FROM_THE_SCHEMA = re.compile(r"(title|question|source|no_difference|without_model|(setting|choice|number|view|next|claim)\..+)$")
MAY_STAY_ENGLISH = re.compile(r"(source|(number|claim)\..+)$")
TOKEN = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'')

PLACE = re.compile(r"\{[^{}]*\}")

Words = dict[str, str]


def study_of(path: Path) -> str:
    if path.parent != STUDIES:
        return path.parent.name
    return LABELS if path.name.startswith(LABELS) else SHARED


def read(path: Path) -> Words:
    """The sentences of one file by their ids."""
    words: Words = {}
    at = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.relative_to(ROOT)}:{number}"
        if line.startswith("## "):
            at = line[3:]
            if at in words:
                raise Failure(f"{where}: the words have {at} twice.")
            words[at] = ""
        elif line.startswith("# "):
            if number > 1 or line[2:] != study_of(path):
                raise Failure(f"{where}: the words of a study begin with “# {study_of(path)}”, which stands there once.")
        elif line.strip() and not at:
            raise Failure(f"{where}: this sentence has no “## id”.")
        elif line.strip():
            words[at] = f"{words[at]} {line.strip()}".strip()
    empty = [key for key, text in words.items() if not text]
    if empty:
        raise Failure(f"{path.relative_to(ROOT)} says nothing for {', '.join(empty)}.")
    return words


def files(language: str) -> Iterator[Path]:
    yield STUDIES / f"words.{language}.md"
    yield STUDIES / f"{LABELS}.{language}.md"
    yield from sorted(STUDIES.glob(f"*/words.{language}.md"))


def in_language(language: str) -> dict[str, Words]:
    return {study_of(path): read(path) for path in files(language) if path.exists()}


def places_in(text: str) -> set[str]:
    """The names in {name} and {name|one|more}, those inside of the latter too."""
    return set(re.findall(r"\{(\w+)(?=[}|])", text))


def inside(code: str, start: int) -> str:
    """The code from an opening bracket to the one that closes it."""
    depth, at = 0, start
    while at < len(code):
        skipped = TOKEN.match(code, at)
        if skipped:
            at = skipped.end()
            continue
        depth += (code[at] in "({[") - (code[at] in ")}]")
        at += 1
        if depth == 0:
            break
    return code[start:at]


def calls(code: str) -> Iterator[tuple[str, set[str]]]:
    """Each say("id", {{"name", …}}) with the names that it fills in."""
    code = re.sub(r"^\s*//.*$", "", code, flags=re.M)
    for found in re.finditer(r'\bsay\(\s*"([^"]+)"\s*(?=[,)])', code):
        call = inside(code, code.index("(", found.start()))
        rest = call[call.index('"', 1) + len(found[1]) + 2 :].lstrip(" \n,")
        names: set[str] = set()
        if rest.startswith("{"):
            for slot in re.finditer(r'\{\s*"(\w+)",', rest):
                before = TOKEN.sub("", rest[: slot.start()])
                if before.count("{") - before.count("}") == 1 and before.count("(") == before.count(")"):
                    names.add(slot[1])
        yield found[1], names


def code_of(paths: Iterable[Path]) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(paths) if path.suffix in (".h", ".cpp"))


def sources(study: str) -> str:
    """The code that uses a study's words: its folder's. The shared ones are used everywhere else, and as shared_words."""
    if study != SHARED:
        return code_of((STUDIES / study).glob("*"))
    elsewhere = code_of(path for path in (ROOT / "src").rglob("*") if STUDIES not in path.parents or path.parent == STUDIES)
    folders = code_of(STUDIES.glob("*/*"))
    used = "\n".join(f"shared_words{inside(folders, found.end() - 1)}" for found in re.finditer(r"\bshared_words\(", folders))
    return f"{elsewhere}\n{used}".replace("shared_words(", "say(")


def problems_of_code(words: Mapping[str, str], code: str) -> list[str]:
    """What the code asks for and the words lack, and what they have in vain."""
    found = []
    for key, names in calls(code):
        if key not in words:
            found.append(f"lacks {key}, which the code says")
        elif names and names != places_in(words[key]):
            found.append(f"has the places {sorted(places_in(words[key]))} in {key}, and the code fills {sorted(names)}")
    for key in words:
        if not FROM_THE_SCHEMA.match(key) and f'"{key}"' not in code and not any(f'"{part}."' in code for part in prefixes(key)):
            found.append(f"has {key}, which no code says")
    return found


def prefixes(key: str) -> Iterator[str]:
    """"note" of "note.sink": code may put an id together from a first part and a name."""
    parts = key.split(".")
    for count in range(1, len(parts)):
        yield ".".join(parts[:count])


def problems_of_language(english: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    found = [f"lacks {key}: “{text}”" for key, text in english.items() if key not in other and not MAY_STAY_ENGLISH.match(key)]
    found += [f"has {key}, which the English words lack" for key in other if key not in english]
    found += [f"has other places than the English {key} in “{text}”" for key, text in other.items() if key in english and places_in(text) != places_in(english[key])]
    return found


def problems_of_labels(languages: Mapping[str, Words], code: str) -> list[str]:
    """Every language has the same ones, with the places of the English, which stands in the code but for its numbers."""
    found = []
    every = {label: language for language, labels in languages.items() for label in labels}
    for language, labels in languages.items():
        found += [f"labels.{language}.md lacks “{label}”, which labels.{other}.md has." for label, other in every.items() if label not in labels]
        for label, text in labels.items():
            if sorted(re.findall(PLACE, text)) != sorted(re.findall(PLACE, label)):
                found.append(f"labels.{language}.md has other places than “{label}” in “{text}”.")
    for label in every:
        if not all(part.strip() in code for part in re.split(r"\{\d\}|[→–]", label)):
            found.append(f"No code has the label “{label}”.")
    return found


def check(languages: Mapping[str, dict[str, Words]]) -> None:
    english = languages["en"]
    labels = {language: studies[LABELS] for language, studies in languages.items() if LABELS in studies}
    wrong = problems_of_labels(labels, code_of((ROOT / "src").rglob("*")))
    for study, words in english.items():
        wrong += [f"{study}: words.en.md {problem}." for problem in problems_of_code(words, sources(study))]
    for language, studies in languages.items():
        for study, words in english.items() if language != "en" else ():
            wrong += [f"{study}: words.{language}.md {problem}." for problem in problems_of_language(words, studies.get(study, {}))]
    if wrong:
        raise Failure("The studies' words do not fit.", "\n".join(wrong))


def text_of(english: dict[str, Words], other: dict[str, Words]) -> str:
    """One file for the modules: the sentences of a language, and English ones where it has none."""
    lines = []
    for study, words in {**english, **({LABELS: {}} if LABELS in other else {})}.items():
        lines.append(f"# {study}")
        for key, text in {**words, **other.get(study, {})}.items():
            lines += [f"## {key}", text]
    return "\n".join([*lines, END]) + "\n"


def made(codes: list[str]) -> dict[Path, Path]:
    """The files to serve, by their path in the site."""
    languages = {code: in_language(code) for code in ("en", *codes)}
    check(languages)
    for code, words in languages.items():
        stamps.write(OUT / f"program.{code}.txt", text_of(languages["en"], words))
    return {Path("words") / f"program.{code}.txt": OUT / f"program.{code}.txt" for code in languages}
