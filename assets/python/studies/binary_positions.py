"""binary_positions: positions in binary digits, and the sinusoids that do the same smoothly."""

import numpy as np

TOLERANCE = {"others": 1e-10}


def numbers(weights, params, tokens, edits):
    bits = params["bits"]
    shown = 2 ** max(bits, 4)
    positions = np.arange(2 * shown)
    digits = positions[None, :] >> np.arange(bits)[:, None] & 1
    periods = 2.0 ** np.arange(1, bits + 1)[:, None]
    waves, slower = (-np.sin(2 * np.pi * (positions + 0.5) / (factor * periods)) for factor in (1, 2))
    agreement, chance = (((other > 0) == (digits == 1)).mean(1) for other in (waves, slower))
    correlation = np.array([np.corrcoef(digit, wave)[0, 1] for digit, wave in zip(digits, waves)])
    signs = 2 * digits[:, :shown].T - 1
    angle = 2 * np.pi * positions[:, None] / periods[:, 0]
    steps = np.linalg.norm(np.diff(np.hstack([np.sin(angle), np.cos(angle)]), axis=0), axis=1)
    return {
        "bit": digits[:, :shown],
        "sinusoid": waves[:, :shown],
        "period": periods[:, 0],
        "agreement_by_bit": agreement,
        "chance_by_bit": chance,
        "correlation_by_bit": correlation,
        "agreement": agreement.mean(),
        "chance": chance.mean(),
        "correlation": correlation.mean(),
        "largest_jump": np.linalg.norm(np.diff(signs, axis=0), axis=1).max(),
        "sinusoid_step": steps.mean(),
    }
