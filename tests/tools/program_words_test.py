"""tools/dev/program_words.py: what is wrong with the studies' words, in English and in other languages."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))
import program_words
from report import Failure

CODE = """
std::string title(const Scene& s) {
  if (s.none()) return say("title.none");
  return say("title.some", {{"n", count_text(s.rows("a, {b}"))}, {"kind", say(std::string("kind.") + s.kind())}});
}
"""
ENGLISH = {"title": "Rows", "title.none": "No rows", "title.some": "{n|one {kind} row|{n} {kind} rows}", "kind.long": "long"}


class ProgramWords(unittest.TestCase):
    def test_the_words_of_the_code_are_found_with_what_they_fill_in(self) -> None:
        self.assertEqual(list(program_words.calls(CODE)), [("title.none", set()), ("title.some", {"n", "kind"})])
        self.assertEqual(program_words.problems_of_code(ENGLISH, CODE), [])

    def test_words_that_are_missing_or_said_by_no_code_are_named(self) -> None:
        self.assertEqual(program_words.problems_of_code({**ENGLISH, "note": "Old."}, CODE), ["has note, which no code says"])
        self.assertEqual(program_words.problems_of_code({**ENGLISH, "setting.layer.help": "A layer."}, CODE), [])
        less = {key: text for key, text in ENGLISH.items() if key != "title.none"}
        self.assertEqual(program_words.problems_of_code(less, CODE), ["lacks title.none, which the code says"])

    def test_places_must_be_those_that_the_code_fills(self) -> None:
        self.assertEqual(program_words.problems_of_code({**ENGLISH, "title.some": "{n} rows"}, CODE), ["has the places ['n'] in title.some, and the code fills ['kind', 'n']"])
        self.assertEqual(program_words.problems_of_language(ENGLISH, {**ENGLISH, "title.some": "{n|eine|{n}} Zeilen"}), ["has other places than the English title.some in “{n|eine|{n}} Zeilen”"])

    def test_a_language_has_every_sentence_but_claims_sources_and_names_of_numbers(self) -> None:
        english = {**ENGLISH, "source": "A paper", "number.mean": "mean norm", "claim.T1": "It holds."}
        self.assertEqual(program_words.problems_of_language(english, ENGLISH), [])
        self.assertEqual(program_words.problems_of_language(english, {**ENGLISH, "old": "x"}), ["has old, which the English words lack"])
        self.assertEqual(program_words.problems_of_language(english, {}), [f"lacks {key}: “{text}”" for key, text in ENGLISH.items()])

    def test_a_file_is_read_by_its_headings(self) -> None:
        self.assertEqual(self.read("# rows\n\n## a\nOne\ntwo.\n\n## b\nThree."), {"a": "One two.", "b": "Three."})
        for text, why in (("# other\n## a\nx", "begin with"), ("# rows\nx", "no “## id”"), ("# rows\n## a\nx\n## a\ny", "twice"), ("# rows\n## a\n## b\ny", "says nothing for a")):
            with self.assertRaisesRegex(Failure, why):
                self.read(text)

    def test_what_a_language_lacks_is_in_english(self) -> None:
        self.assertEqual(program_words.text_of({"rows": {"a": "One", "b": "Two"}}, {"rows": {"b": "Zwei"}}), "# rows\n## a\nOne\n## b\nZwei\n# end\n")

    def test_labels_are_the_same_in_each_language_and_stand_in_the_code(self) -> None:
        code = 'over("layer"), name = "row " + text_of(n)'
        self.assertEqual(program_words.problems_of_labels({"de": {"layer": "Schicht", "row {1}": "Zeile {1}"}}, code), [])
        self.assertEqual(program_words.problems_of_labels({"de": {"row {1}": "Zeile"}}, code), ["labels.de.md has other places than “row {1}” in “Zeile”."])
        self.assertEqual(program_words.problems_of_labels({"de": {"head": "Kopf"}}, code), ["No code has the label “head”."])
        self.assertEqual(program_words.problems_of_labels({"de": {"layer": "Schicht"}, "it": {}}, code), ["labels.it.md lacks “layer”, which labels.de.md has."])
        self.assertEqual(program_words.text_of({}, {"labels": {"layer": "Schicht"}}), "# labels\n## layer\nSchicht\n# end\n")

    def test_all_words_fit(self) -> None:
        program_words.check({code: program_words.in_language(code) for code in ("en", "it", "de")})

    def read(self, text: str) -> dict[str, str]:
        with tempfile.TemporaryDirectory(dir=program_words.ROOT) as folder:
            path = Path(folder) / "rows" / "words.en.md"
            path.parent.mkdir()
            path.write_text(text, encoding="utf-8")
            return program_words.read(path)


if __name__ == "__main__":
    unittest.main()
