"""The code of the scripts that the page and the program export, assets/python/: it is the reference of the tests too, is in
numpy alone, and shares nothing with the engine. Needs numpy."""

import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "assets" / "python"
sys.path[:0] = [str(SCRIPTS / "parts"), str(SCRIPTS)]

from check import compare, ours_of  # noqa: E402
from edits import Edited, grouped, shuffled  # noqa: E402, F401
from gpt2 import Reference  # noqa: E402, F401
from heads import Heads  # noqa: E402, F401
from matrices import matrix_of  # noqa: E402, F401
from measures import log_softmax, positive, principal_axes, sinusoidal, steps_of, turns_of  # noqa: E402, F401
from random_numbers import in_order, noise, normals, splitmix, walk  # noqa: E402, F401
from studies import position_helix, spectrum  # noqa: E402, F401
from weights import Weights  # noqa: E402, F401


def recomputed(document, script, folder=None, bos=False):
    """The exported script's numbers of a study's view, by name. Undetermined entries are masked."""
    tokens = [token["id"] for token in document["tokens"]]
    weights = Weights(folder, document["provenance"]["model"]) if folder else None
    return script.numbers(weights, {**document["params"], "bos": bos}, tokens, document["edits"])


def disagreements(document, script, folder=None, bos=False, left_out=None, tolerance=None):
    """The study's numbers that are others than those of the exported script: a row of its table for each of them.
    `left_out`: the only numbers that the script may leave out; without it any. `tolerance`: of a test that asks for more
    precision than the script, which is for models of every size."""
    return differences(document, recomputed(document, script, folder, bos), {**script.TOLERANCE, **(tolerance or {})}, left_out)


def differences(document, here, tolerance, left_out=None):
    arrays = {name: {**array, "every": 1} for name, array in document["arrays"].items()}
    ours = ours_of({"scalars": {name: scalar["value"] for name, scalar in document["scalars"].items()}, "arrays": arrays})
    found = (compare(name, *ours[name], value, tolerance.get(name, tolerance["others"])) for name, value in here.items())
    missing = [] if left_out is None else [f"{name} is not recomputed" for name in ours if name not in here and name not in left_out]
    return [" ".join(row) for row, agree in found if not agree] + missing
