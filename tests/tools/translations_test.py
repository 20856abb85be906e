"""tools/dev/translations.py: what of the page is translated, and what is wrong with a language's words."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))
import translations

WANTED = {"Copy link", "{count} tokens"}
WORDS = {"name": "Italiano", "said": {"Copy link": "Copia link", "{count} tokens": "{count} token"}, "groups": {}, "labels": {"Seed": "Seme"}}


def problems(**changed: object) -> list[str]:
    return translations.problems({**WORDS, **changed}, WANTED, {"Seed"})


class Translations(unittest.TestCase):
    def test_the_sentences_of_the_page_and_of_its_scripts_are_found(self) -> None:
        english = translations.english()
        for sentence in ("Copy link", "Next steps", "Skip to the figure", "Type a text for the model to read", "Needs weights, no text", "Show the answer", "{count} tokens", "Size {width} × {height} pixels"):
            self.assertIn(sentence, english)
        self.assertNotIn("The helix in GPT-2's positions", english, "the page without its program is in English")

    def test_sentences_that_are_missing_surplus_or_empty_are_named(self) -> None:
        self.assertEqual(problems(), [])
        said = WORDS["said"]
        self.assertEqual(problems(said={"Copy link": "Copia link"}), ["lacks “{count} tokens”"])
        self.assertEqual(problems(said={**said, "Old": "Vecchio"}), ["translates “Old”, which the page does not say"])
        self.assertEqual(problems(said={**said, "Copy link": " "}), ["says nothing for “Copy link”"])

    def test_what_the_program_says_of_edits_is_found(self) -> None:
        told = translations.program()
        for text in ("Switch a head off", "Seed", "MLPs, biases and norms"):
            self.assertIn(text, told)
        self.assertNotIn("Counted from 0.", told, "the studies' words have files of their own")
        self.assertEqual(problems(labels={}), ["lacks “Seed”, which the program says"])

    def test_placeholders_must_be_the_same(self) -> None:
        for translation in ("token", "{number} token", "{count} token di {all}"):
            self.assertEqual(problems(said={**WORDS["said"], "{count} tokens": translation}), [f"has other placeholders than “{{count}} tokens” in “{translation}”"])

    def test_labels_must_be_said_and_all_parts_be_there(self) -> None:
        self.assertEqual(problems(labels={"Seed": "Seme", "Row 0": "Riga 0"}), ["translates the label “Row 0”, which the program does not say"])
        self.assertEqual(translations.problems({"said": {}}, WANTED, set()), ["has the parts said, not groups, labels, name, said"])


if __name__ == "__main__":
    unittest.main()
