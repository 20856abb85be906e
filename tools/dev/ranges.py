"""HTTP's conditions and byte ranges, as pure functions of the request's header lines."""

import re
from typing import Optional, Tuple, Union

WHOLE = "whole"
UNSATISFIABLE = "unsatisfiable"
BEYOND = 1 << 63  # no file is as large


def number(digits: str) -> int:
    """A number of any length: Python refuses to read very long ones, and none of them is inside a file."""
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) < 20 else BEYOND


def requested_range(header: Optional[str], size: int) -> Union[str, Tuple[int, int]]:
    """The range that a Range header requests of `size` bytes: (first, last) inclusive, WHOLE to ignore it, or UNSATISFIABLE."""
    found = re.fullmatch(r"\s*bytes\s*=\s*([0-9]*)\s*-\s*([0-9]*)\s*", header or "", re.IGNORECASE)
    if not found or not (found[1] or found[2]):
        return WHOLE  # none, several at once, or not understood: the standard permits the whole file
    if not found[1]:
        count = number(found[2])
        return (max(0, size - count), size - 1) if count and size else UNSATISFIABLE
    first = number(found[1])
    last = number(found[2]) if found[2] else size - 1
    if found[2] and last < first:
        return WHOLE
    return (first, min(last, size - 1)) if first < size else UNSATISFIABLE


def range_still_applies(if_range: Optional[str], etag: str) -> bool:
    """If-Range: the client wants the part only of the version it already has."""
    return if_range is None or if_range.strip() == etag


def is_known(if_none_match: Optional[str], etag: str) -> bool:
    """If-None-Match: the client already has this version."""
    if if_none_match is None:
        return False
    known = [tag.strip() for tag in if_none_match.split(",")]
    return "*" in known or any(tag.removeprefix("W/") == etag for tag in known)
