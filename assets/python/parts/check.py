"""Compares what is computed here with helixscope's numbers, and prints both."""

import re
import sys

import numpy as np
from weights import Weights


def ours_of(view):
    """helixscope's numbers by name: those that were kept, the shape of the whole, and the step between the kept ones."""
    found = {name: (np.array(float(value)), (), 1) for name, value in view["scalars"].items()}
    for name, array in view["arrays"].items():
        found[name] = (np.array([float(x) for x in array["data"]]), tuple(array["shape"]), array["every"])
    return found


def compare(name, ours, shape, step, here, tolerance):
    """A row of the table, and whether the two agree. Entries that numpy's mask hides are undetermined:
    among equal singular values, for example, every rotation of the directions is as valid."""
    here = np.ma.asarray(here)
    if here.dtype.kind in "biu":
        tolerance = 0.0  # whole numbers agree exactly
    here = here.astype(float)
    if here.shape != shape:
        return (name, f"shape {shape}", f"shape {here.shape}", "", ""), False
    if shape:
        here = here.ravel()[::step]
    hidden, here = np.ma.getmaskarray(here), np.ma.getdata(here)
    same = hidden | (ours == here) | (np.isnan(ours) & np.isnan(here))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, np.abs(ours - here))
    finite = np.abs(ours[np.isfinite(ours)])
    allowed = tolerance * max(1.0, finite.max() if finite.size else 0.0)
    label = name + (f" ({here.size:,} of {int(np.prod(shape)):,} numbers)" if shape else "")
    if difference.size and hidden.all():
        return (label, f"{ours.flat[0]:.9g}" if not shape else "", "undetermined", "", ""), True
    if not difference.size:
        return (label, "", "", "0", f"{allowed:.1e}"), True
    worst = np.argmax(np.where(np.isnan(difference), np.inf, difference))
    row = (label, f"{ours.flat[worst]:.9g}", f"{here.flat[worst]:.9g}", f"{difference.flat[worst]:.1e}", f"{allowed:.1e}")
    return row, bool((difference <= allowed).all())


def check(numbers, tolerance, view, path):
    """Computes the view's numbers from the model at `path` and asserts that they are helixscope's."""
    if len(sys.argv) == 2 and not sys.argv[1].startswith("-"):  # a notebook's arguments are its own
        path = sys.argv[1]
    provenance = view["provenance"]
    weights = None
    if provenance["model"]:
        weights = Weights(path, provenance["model"])
        sha256 = weights.sha256()
        if sha256 and provenance["sha256"]:
            assert sha256.startswith(provenance["sha256"]), f"{path} is another model than {provenance['model']} of the view."
    print(f"{view['study']} on {provenance['model'] or 'no model'}, sha256 {provenance['sha256'] or 'unknown'}, {provenance['convention']}")
    params = {**view["params"], "bos": bool(re.search(r"[#&]bos=1(&|$)", view["link"]))}  # whether texts begin with <|endoftext|>
    here, ours = numbers(weights, params, view["tokens"], view["edits"]), ours_of(view)
    assert here, "This script does not cover the settings of the view."
    rows, wrong = [("", "helixscope", "here", "difference", "allowed")], []
    for name, value in here.items():
        row, agree = compare(name, *ours[name], value, tolerance.get(name, tolerance["others"]))
        rows.append(row)
        if not agree:
            wrong.append(name)
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
    left = [name for name in ours if name not in here]
    if left:
        print("Not recomputed here: " + ", ".join(left) + ".")
    assert not wrong, "These numbers differ by more than is allowed: " + ", ".join(wrong) + "."
    print("All numbers agree. Of each array the entry with the largest difference is shown.")
