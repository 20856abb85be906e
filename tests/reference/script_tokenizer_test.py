"""The tokenizer of the exported scripts against the program's, which tokenizer_test.mjs compares with tiktoken's."""

import json
import tempfile
import unittest
from pathlib import Path

try:
    import numpy
except ImportError:
    numpy = None
else:
    from exported import Weights
    from forward_test import helixscope
    from minihelix_test import FOLDER

TEXTS = [
    "It's what they'll say: 'tis he'd've, IT'S, rock'n'roll, o''clock",
    "  two spaces,   three \t\n\n a line  \r\n at the end   ",
    "1,000 of ½ and Ⅻ; x²+y²=z² (…) <|endoftext|> snake_case ==> $100",
    "naïve Übermut, Ελλάδα, Привет, 你好世界, 한국어, e\u0301, 👩\u200d🔬👍🏽 \u00a0\u2003\u3000\u0085\ufeff\x1c.",
    "'", " ", "\n ", " 'll",
]


@unittest.skipIf(numpy is None, "numpy is not installed")
class ScriptTokenizerTest(unittest.TestCase):
    def of_program(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "text"
            file.write_bytes(text.encode())
            return [token["id"] for token in json.loads(helixscope("tokenize", "--model", FOLDER, "--text-file", file, "--json"))["tokens"]]

    def test_texts(self):
        tokenizer = Weights(FOLDER).tokenizer
        for text in TEXTS:
            with self.subTest(text=text):
                self.assertEqual(tokenizer.encode(text), self.of_program(text))

    def test_texts_of_tokens(self):
        texts = Weights(FOLDER).tokenizer.texts()
        for token in (0, 17, 300, 2000, 4000):
            shown = json.loads(helixscope("tokenize", "--model", FOLDER, "--decode", token, "--json"))["tokens"][0]
            try:
                self.assertEqual(texts[token], bytes.fromhex(shown["bytes"]).decode())
            except UnicodeDecodeError:
                self.assertIsNone(texts[token])


if __name__ == "__main__":
    unittest.main()
