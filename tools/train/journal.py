"""The trainer's output: lines with the time of day."""

import time


def say(text: str) -> None:
    print(time.strftime("%H:%M:%S"), text, flush=True)
