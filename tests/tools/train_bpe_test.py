"""The vocabulary: trained, written, read, and compared with a reader that shares no code with it."""

import json
import tempfile
import unittest
from pathlib import Path

import train_support

train_support.need("numpy", "regex")

import bpe  # noqa: E402
import score_text  # noqa: E402

TEXTS = (
    "It's the captain's café — he’ll say “naïve”!\n\nChapter 12.  Two   spaces\tand a tab \n",
    " leading, trailing ",
    "日本語 and 😀 and ½ and Ⅷ and e\u0301",
    "\u00a0\u0085\u2028x\r\n\r\n",
    "I'm we'RE 'twas rock'n'roll ''s",
    "",
)


class BpeCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.counts = bpe.count_pieces([train_support.story(1, 300)])
        cls.tokenizer = bpe.Tokenizer(bpe.train(cls.counts, 43))


class Train(BpeCase):
    def test_the_most_frequent_pair_comes_first(self) -> None:
        self.assertEqual(bpe.train({"aab": 3, "ab": 2, "cd": 4}, 3), [("a", "b"), ("c", "d"), ("a", "ab")])

    def test_ties_go_to_the_smaller_pair(self) -> None:
        self.assertEqual(bpe.train({"zy": 1, "ab": 1}, 2), [("a", "b"), ("z", "y")])

    def test_a_pair_that_overlaps_itself_is_joined_from_the_left(self) -> None:
        self.assertEqual(bpe.joined(list("aaaaa"), ("a", "a")), ["aa", "aa", "a"])

    def test_counts_kept_up_to_date_are_those_counted_anew(self) -> None:
        words = [list(bpe.in_symbols(piece)) for piece in self.counts]
        for pair in self.tokenizer.merges:
            found = {}
            for word, count in zip(words, self.counts.values()):
                for other in zip(word, word[1:]):
                    found[other] = found.get(other, 0) + count
            self.assertEqual(found[pair], max(found.values()))
            words = [bpe.joined(word, pair) for word in words]


class Vocabulary(BpeCase):
    def test_gpt2s_first_ids_and_last(self) -> None:
        tokens = self.tokenizer.tokens
        self.assertEqual("".join(tokens[:3]) + tokens[187] + tokens[188] + tokens[220] + tokens[198], '!"#ÿĀĠĊ')
        self.assertEqual(len(tokens), 300)
        self.assertEqual(self.tokenizer.ids["<|endoftext|>"], 299)

    def test_every_merge_joins_tokens_that_there_are(self) -> None:
        for rank, (a, b) in enumerate(self.tokenizer.merges):
            self.assertLess(max(self.tokenizer.ids[a], self.tokenizer.ids[b]), 256 + rank)

    def test_texts_come_back(self) -> None:
        for text in TEXTS:
            self.assertEqual(self.tokenizer.decode(self.tokenizer.encode(text)), text)

    def test_files_come_back(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            self.tokenizer.save(Path(place))
            self.assertEqual(bpe.Tokenizer.load(Path(place)).ids, self.tokenizer.ids)
            lines = (Path(place) / "merges.txt").read_text(encoding="utf-8").split("\n")
            self.assertEqual(lines[0], "#version: 0.2")
            self.assertEqual(sorted(json.loads((Path(place) / "vocab.json").read_text()).values()), list(range(300)))

    def test_another_reader_makes_the_same_tokens(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            self.tokenizer.save(Path(place))
            other = score_text.Vocabulary(Path(place))
        for text in (*TEXTS, train_support.story(9, 30)):
            self.assertEqual(list(score_text.pretokens(text)), bpe.PATTERN.findall(text))
            self.assertEqual(list(other.encode(text)), list(self.tokenizer.encode(text)))


if __name__ == "__main__":
    unittest.main()
