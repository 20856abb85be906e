"""verification: the logits of two names, and a greedy generation. The other numbers are errors of helixscope's own products."""

import numpy as np
from gpt2 import Reference

TOLERANCE = {"others": 1e-3}
PAIRS = (
    ("When John and Mary went to the shops,", " gave the bag to", " John", " Mary"),
    ("When Tom and James went to the park,", " gave the ball to", " James", " Tom"),
    ("When Dan and Sid went to the shops,", " gave an apple to", " Sid", " Dan"),
    ("After Martin and Amy went to the park,", " gave a drink to", " Amy", " Martin"),
)
START, COUNT = "The dog", 18


def name_differences(model, encode, bos):
    """The logit of the name that is given something less the giver's, each of the two names giving; NaN where a name is several tokens."""
    found = []
    for before, after, *names in PAIRS:
        for giver, other in (names, names[::-1]):
            wrong, right = encode(giver), encode(other)
            if len(wrong) > 1 or len(right) > 1:
                found.append(np.nan)
                continue
            logits = model.run([bos, *encode(before), *wrong, *encode(after)])[1][-1]
            found.append(logits[right[0]] - logits[wrong[0]])
    return np.array(found)


def greedy(model, ids, count):
    """The likeliest token, again and again."""
    ids = list(ids)
    for _ in range(count):
        ids.append(int(model.run(ids)[1][-1].argmax()))
    return np.array(ids[-count:])


def numbers(weights, params, tokens, edits):
    assert weights.layers and (weights.folder / "vocab.json").exists(), "This script needs a model that can run a text, with its vocabulary beside it."
    model, encode = Reference(weights, weights.heads), weights.tokenizer.encode
    return {"name_difference": name_differences(model, encode, weights.bos), "greedy": greedy(model, encode(START), COUNT)}
