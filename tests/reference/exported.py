"""The code of the scripts that the page and the program export, assets/python/: it is the reference of the tests too, is in
numpy alone, and shares nothing with the engine. Needs numpy."""

import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "assets" / "python"
sys.path[:0] = [str(SCRIPTS / "parts"), str(SCRIPTS)]

from edits import Edited, grouped, shuffled  # noqa: E402, F401
from gpt2 import Reference  # noqa: E402, F401
from matrices import matrix_of  # noqa: E402, F401
from measures import log_softmax, positive, principal_axes, sinusoidal, steps_of, turns_of  # noqa: E402, F401
from random_numbers import in_order, noise, normals, splitmix, walk  # noqa: E402, F401
from studies import position_helix, spectrum  # noqa: E402, F401
from weights import Weights  # noqa: E402, F401
