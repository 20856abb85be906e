"""Wordings that visitors found hard to read stay out of the texts of the page and the program; other languages lack nothing."""

import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools" / "dev"))
import translations

# The old wordings, each as a pattern; comments are not checked.
OLD = [
    r"comes next, says", r"\bto every word\b", r"turn like a clock", r"Left out: ", r"Claims of the text", r"frayed end",
    r"in tens\b(?!\")", r"(?<!-)\brefit\b", r"was frequent when", r"Of a token the model", r"The model has no letters", r"part of a letter",
    r"are as much as a", r"What this does not show", r"token asking", r"it was sure", r"nats a token", r"moment \d+ of",
    r"Beside it", r"of the end\b", r"one and the same room", r"coin with", r"to the token before\b", r"which this model is not",
    r"the view is the link's", r"always run so", r"lies far off", r"bolder", r"wilder", r"loads anew", r"starts afresh",
    r"Hold it", r"says by which", r"for the real thing", r"goes on where it was cut", r"another hub than", r"one interferes",
    r"How it goes on", r"goes on: ", r"engine right", r"spreads its attention", r"lets go\b", r"0 of 0", r"90 % takes",
]
COMMENT = {".cpp": r"//.*", ".h": r"//.*", ".js": r"(?<!:)//.*|^\s*\*.*|^\s*/\*.*", ".html": r"<!--.*?-->", ".md": r"$^"}
TEXTS = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|>[^<>]+<')


def said():
    """(place, text) of everything that a visitor may read, as far as the sources show it."""
    files = [*ROOT.glob("web/**/*.js"), ROOT / "web/index.html", ROOT / "README.md", *ROOT.glob("assets/lessons/en/*.md")]
    for folder in ("studies", "app", "cli", "engine", "model", "figure", "checkpoint", "state", "protocol", "tokenizer"):
        files += [*ROOT.glob(f"src/{folder}/**/*.h"), *ROOT.glob(f"src/{folder}/**/*.cpp")]
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            text = re.sub(COMMENT[path.suffix], "", line)
            parts = [text] if path.suffix in (".html", ".md") else TEXTS.findall(text)
            for part in parts:
                yield f"{path.relative_to(ROOT)}:{number}", part


class Words(unittest.TestCase):
    def test_old_wordings_are_gone(self):
        found = [f"{place}: {old!r} in {text.strip()[:90]}" for place, text in said() for old in OLD if re.search(old, text)]
        self.assertEqual(found, [], "say it in plain words: " + "\n".join(found))

    def test_every_language_says_what_the_page_says(self):
        self.assertGreaterEqual(set(translations.languages()), {"it", "de"})
        for path in translations.languages().values():
            self.assertEqual(translations.problems(json.loads(path.read_text(encoding="utf-8"))), [], path.name)

    def test_texts_are_found(self):
        texts = [text for _, text in said()]
        self.assertTrue(any("prompt is empty" in text for text in texts))
        self.assertTrue(any("Skip to the figure" in text for text in texts))


if __name__ == "__main__":
    unittest.main()
