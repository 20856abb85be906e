"""Byte ranges and conditions, as the HTTP standard words them."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))

import ranges  # noqa: E402


class RequestedRange(unittest.TestCase):
    def test_first_and_last(self) -> None:
        self.assertEqual(ranges.requested_range("bytes=0-0", 10), (0, 0))
        self.assertEqual(ranges.requested_range("bytes=2-5", 10), (2, 5))
        self.assertEqual(ranges.requested_range("BYTES = 2 - 5", 10), (2, 5))

    def test_end_is_cut_to_the_size(self) -> None:
        self.assertEqual(ranges.requested_range("bytes=2-99", 10), (2, 9))
        self.assertEqual(ranges.requested_range("bytes=9-", 10), (9, 9))

    def test_suffix(self) -> None:
        self.assertEqual(ranges.requested_range("bytes=-3", 10), (7, 9))
        self.assertEqual(ranges.requested_range("bytes=-99", 10), (0, 9))
        self.assertEqual(ranges.requested_range("bytes=-0", 10), ranges.UNSATISFIABLE)

    def test_beyond_the_end(self) -> None:
        self.assertEqual(ranges.requested_range("bytes=10-", 10), ranges.UNSATISFIABLE)
        self.assertEqual(ranges.requested_range("bytes=10-12", 10), ranges.UNSATISFIABLE)
        self.assertEqual(ranges.requested_range("bytes=0-", 0), ranges.UNSATISFIABLE)
        self.assertEqual(ranges.requested_range("bytes=-1", 0), ranges.UNSATISFIABLE)

    def test_numbers_of_any_length(self) -> None:
        long = "9" * 4300
        self.assertEqual(ranges.requested_range(f"bytes={long}-", 10), ranges.UNSATISFIABLE)
        self.assertEqual(ranges.requested_range(f"bytes=2-{long}", 10), (2, 9))
        self.assertEqual(ranges.requested_range(f"bytes=-{long}", 10), (0, 9))
        self.assertEqual(ranges.requested_range(f"bytes={'0' * 4300}2-3", 10), (2, 3))

    def test_what_is_ignored(self) -> None:
        for header in (None, "", "bytes=", "bytes=-", "bytes=5-2", "bytes=a-b", "bytes=0-1,3-4", "items=0-1", "0-1", "bytes=٣-"):
            self.assertEqual(ranges.requested_range(header, 10), ranges.WHOLE, header)


class Conditions(unittest.TestCase):
    def test_if_range(self) -> None:
        self.assertTrue(ranges.range_still_applies(None, '"a"'))
        self.assertTrue(ranges.range_still_applies('"a"', '"a"'))
        self.assertFalse(ranges.range_still_applies('"b"', '"a"'))
        self.assertFalse(ranges.range_still_applies('W/"a"', '"a"'))
        self.assertFalse(ranges.range_still_applies("Sat, 01 Jan 2022 00:00:00 GMT", '"a"'))

    def test_if_none_match(self) -> None:
        self.assertFalse(ranges.is_known(None, '"a"'))
        self.assertTrue(ranges.is_known('"a"', '"a"'))
        self.assertTrue(ranges.is_known('"b", W/"a"', '"a"'))
        self.assertTrue(ranges.is_known("*", '"a"'))
        self.assertFalse(ranges.is_known('"b"', '"a"'))


if __name__ == "__main__":
    unittest.main()
