"""The corpus and the sequences drawn from it: books, held-out books, starts, copies, and what carries no loss."""

import lzma
import tempfile
import unittest
from pathlib import Path

import train_support

train_support.need("numpy", "regex")

import numpy as np  # noqa: E402

import batches  # noqa: E402
import corpus  # noqa: E402
import schedule  # noqa: E402

N_CTX, END, NEW_LINE = 32, 999, 10
PLAIN = schedule.Moment(1e-3, 0.1, 16, (0.0, 0.0))


def sampler(**starts: float) -> batches.Sampler:
    """Over the stream 11, 12, … 510 and again, with a new line after every 50 tokens."""
    stream = (np.arange(2000) % 500 + 11).astype(np.uint16)
    stream[::50] = NEW_LINE
    shares = {"after_end_of_text": 0.0, "row_zero": 0.0, "last_rows": 0.0, **starts}
    return batches.Sampler(stream, END, NEW_LINE, N_CTX, shares)


class Books(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        train_support.quietly(cls)

    def test_headings_start_books_and_a_text_without_is_one(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            train_support.write_texts(Path(place))
            with lzma.open(Path(place) / "packed.txt.xz", "wt", encoding="utf-8") as file:
                file.write("=== C__Three ===\nOnce.\n\nTwice.\n")
            (Path(place) / "notes.md").write_text("not a text")
            books = corpus.read_books(Path(place))
        self.assertEqual([book.name for book in books], ["A_Writer__One", "A_Writer__Two", "C__Three", "alone"])
        self.assertEqual(books[2].text, "Once.\n\nTwice.\n")
        self.assertEqual(list(corpus.books_of(corpus.written(books), "")), books)

    def test_nothing_held_out_is_in_what_is_trained_on(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            texts, folder = train_support.write_texts(Path(place) / "texts"), Path(place) / "data"
            corpus.prepare(texts, folder, 300, train_support.TINY["data"], seed=3)
            made = corpus.load(folder)
            books = {book.name: book.text for book in corpus.read_books(texts)}
        (held_out,) = made.facts["held_out_names"]
        trained = [text for name, text in sorted(books.items()) if name != held_out]
        self.assertEqual(made.tokenizer.decode(made.train), "".join("<|endoftext|>" + text for text in trained))
        self.assertEqual(made.tokenizer.decode(made.held_out), "<|endoftext|>" + books[held_out])
        self.assertEqual(made.facts["train"]["characters"], sum(map(len, trained)))

    def test_an_empty_folder_is_said(self) -> None:
        with tempfile.TemporaryDirectory() as place, self.assertRaisesRegex(ValueError, "No .txt"):
            corpus.read_books(Path(place))


class Sequences(unittest.TestCase):
    def test_the_same_step_draws_the_same_and_another_step_another(self) -> None:
        one, again, other = (sampler().batch(1, step, PLAIN, 128) for step in (5, 5, 6))
        for a, b in zip(one, again):
            np.testing.assert_array_equal(a, b)
        self.assertFalse(np.array_equal(one.tokens, other.tokens))
        self.assertEqual(one.tokens.shape, (8, 16))

    def test_targets_are_the_tokens_that_follow(self) -> None:
        batch = sampler(after_end_of_text=0.5).batch(1, 1, PLAIN, 512)
        np.testing.assert_array_equal(batch.targets[:, :-1], batch.tokens[:, 1:])

    def test_after_the_end_of_text_a_paragraph_starts_at_row_zero(self) -> None:
        batch = sampler(after_end_of_text=1.0).batch(1, 1, PLAIN, 512)
        self.assertEqual(set(batch.tokens[:, 0]), {END})
        self.assertEqual(set(batch.first), {0})
        self.assertTrue(np.isin(batch.tokens[:, 1], sampler().stream[1::50]).all())

    def test_every_row_is_reached(self) -> None:
        first = sampler(last_rows=0.2).batch(1, 1, PLAIN, 16 * 600).first
        self.assertEqual(set(first), set(range(N_CTX - 16 + 1)))
        self.assertGreater((first == N_CTX - 16).mean(), 0.15)

    def test_a_copy_is_there_and_its_jumps_are_silent(self) -> None:
        text, silent = np.arange(100), np.zeros(100, bool)
        batches.repeat_part(np.random.default_rng(4), text, silent)
        (into, out) = np.flatnonzero(silent)
        size, source = out - into, text[into]
        self.assertGreaterEqual(size, 16)
        np.testing.assert_array_equal(text[into:out], np.arange(source, source + size))
        self.assertLessEqual(source + size, into)
        np.testing.assert_array_equal(text[out:], np.arange(out, 100))

    def test_random_tokens_are_silent_until_they_repeat(self) -> None:
        text, silent = batches.repeated_noise(np.random.default_rng(4), 64, 1000)
        size = int(silent.sum()) - 1
        np.testing.assert_array_equal(text[size:], text[: 64 - size])
        self.assertTrue(silent[: size + 1].all() and not silent[size + 1 :].any())


class Schedule(unittest.TestCase):
    def test_rate_rises_stays_and_falls(self) -> None:
        config = train_support.TINY
        rates = [schedule.rate(config, seen) for seen in range(0, 1537, 128)]
        self.assertEqual(rates[3:9], [3e-3] * 6)
        self.assertTrue(0 < rates[0] < rates[1] < rates[3] and rates[8] > rates[9] > rates[11])
        self.assertAlmostEqual(rates[12], 1e-4)

    def test_rate_rises_and_falls_a_second_time(self) -> None:
        again = {"from": 1536, "warm_up": 256, "rate": 2e-3, "fall_from": 2048, "last_rate": 5e-5}
        config = train_support.tiny(batch={"total_tokens": 2560}, optimiser={"again": [again]})
        rates = [schedule.rate(config, seen) for seen in range(0, 2561, 128)]
        self.assertEqual(rates[:12], [schedule.rate(train_support.TINY, seen) for seen in range(0, 1536, 128)])
        self.assertAlmostEqual(rates[12], 1e-4)  # where the first fall ended
        self.assertTrue(rates[12] < rates[13] < rates[14])
        self.assertEqual(rates[14:17], [2e-3] * 3)
        self.assertAlmostEqual(rates[18], (2e-3 + 5e-5) / 2)
        self.assertAlmostEqual(rates[20], 5e-5)

    def test_each_later_round_begins_where_the_one_before_fell_to(self) -> None:
        second = {"from": 1536, "warm_up": 256, "rate": 2e-3, "fall_from": 2048, "last_rate": 5e-5}
        third = {"from": 2560, "warm_up": 128, "rate": 1e-3, "fall_from": 2816, "last_rate": 1e-5}
        third.update({"copies": {"text": 0.5, "random": 0.25}, "weight_decay": 0.01})
        config = train_support.tiny(batch={"total_tokens": 3072}, optimiser={"again": [second, third]})
        rates = {seen: schedule.rate(config, seen) for seen in range(0, 3073, 128)}
        for seen, expected in {1536: 1e-4, 1792: 2e-3, 2048: 2e-3, 2560: 5e-5, 2688: 1e-3, 2816: 1e-3, 3072: 1e-5}.items():
            self.assertAlmostEqual(rates[seen], expected, msg=str(seen))
        late = tuple(config["sequences"]["copies_late"].values())
        self.assertEqual(schedule.moment(config, 2432).copies, late)
        self.assertEqual(schedule.moment(config, 2560).copies, (0.5, 0.25))
        self.assertEqual(schedule.moment(config, 2432).decay, config["optimiser"]["weight_decay"])
        self.assertEqual(schedule.moment(config, 2560).decay, 0.01)

    def test_a_second_rise_after_the_end_leaves_the_past_as_it_was(self) -> None:
        again = {"from": 1536, "warm_up": 256, "rate": 2e-3, "fall_from": 2048, "last_rate": 5e-5}
        longer = train_support.tiny(batch={"total_tokens": 2560}, optimiser={"again": [again]})
        self.assertTrue(schedule.same_past(train_support.TINY, longer, 12))
        sooner = train_support.tiny(batch={"total_tokens": 2560}, optimiser={"again": [{**again, "from": 1408}]})
        self.assertFalse(schedule.same_past(train_support.TINY, sooner, 12))  # its fall would have been steeper

    def test_what_is_ahead_may_be_moved_and_what_is_past_may_not(self) -> None:
        old = train_support.TINY
        new = train_support.tiny(batch={"total_tokens": 1280}, optimiser={"fall_from": 900})
        self.assertTrue(schedule.same_past(old, new, 7))
        self.assertFalse(schedule.same_past(old, new, 9))  # the rate had begun to fall
        self.assertFalse(schedule.same_past(old, new, 11))  # that end is past
        self.assertFalse(schedule.same_past(old, train_support.tiny(batch={"tokens": 64}), 0))


if __name__ == "__main__":
    unittest.main()
