"""attention: the pattern of a head, and what its queries attend to on average."""

import numpy as np
from edits import Edited
from patterns import even_pattern, followers_of, means_of

TOLERANCE = {"others": 2e-5, "pattern": 1e-3}
STAGES = {"pattern": "pattern", "scores": "scores_raw", "masked": "attn_scores"}
WHOLE = 48  # tokens up to which every entry of all patterns is given


def numbers(weights, params, tokens, edits):
    model = Edited(weights, weights.heads, edits)
    hooks, _ = model.run(tokens)
    layer, head, n = params["layer"], params["head"], len(tokens)
    patterns = np.array([hooks[f"blocks.{i}.attn.hook_pattern"] for i in range(model.layers)])
    stage = hooks[f"blocks.{layer}.attn.hook_{STAGES[params['stage']]}"][head]
    found = means_of(patterns[layer, head], tokens)
    if model.causal:
        found.update({"even_" + name: value for name, value in means_of(even_pattern(n), tokens).items()})
    found["repeats"] = sum(bool(keys) for keys in followers_of(tokens))
    found["previous_by_head"] = patterns[:, :, np.arange(1, n), np.arange(n - 1)].mean(-1)
    if n <= WHOLE:
        found["pattern"] = stage
    return found
