"""What the small models do: longer texts, rules that stretch, needles.

    python course.py measure-small              all of it, about half an hour on one core
    python course.py measure-small needle       one group

Each function in `GROUPS` measures one thing with the stored weights, and its numbers go into
`pe_lessons/small_models/figures.json` under its name. `stretched_200_steps` trains.
"""

import copy
import functools
import math
import sys

import torch

from evidence import train_small_models as train_small
from evidence.claims.train_on_another_seed import of_lesson
from pe_lessons import small_models, tensors, toys

LENGTHS = (256, 512, 1024, 2048)
TRAINED = small_models.TRAINED_LENGTH


class Clipped(toys.Rotary):
    """Rotary, but a key further back than `farthest` is rotated as if it were that far back (ReRoPE)."""

    def __init__(self, farthest=TRAINED // 2):
        super().__init__()
        self.farthest = farthest

    def scores(self, queries, keys, positions):
        asking = positions[-queries.shape[-2] :]
        as_far = self.turn(queries, self.farthest - asking), self.turn(keys, -positions)
        near, far = super().scores(queries, keys, positions), super().scores(*as_far, positions)
        return torch.where(asking[:, None] - positions < self.farthest, near, far)


def rules(factor):
    """The rules of the lesson on longer texts, for a text `factor` times as long as those in training."""
    by_parts = {"rope_type": "ntk_by_parts", "factor": factor, "alpha": 1, "beta": 4}
    by_parts["original_max_position_embeddings"] = TRAINED
    return {
        "as trained": toys.Rotary(),
        "sliding window": of_lesson("longer_than_trained").Window(),
        "from pair 9 on": Slowed(9, factor),
        "by parts, 1 to 4 turns": toys.Rotary(scaling=by_parts),
        "clipped at 128": Clipped(),
    }


def rope_with(encoding):
    """The rotary model's weights with another encoding in its place."""
    model = small_models.load("rope")
    model.encoding = encoding
    return model


@functools.cache
def loaded(name):
    return small_models.load(name)


@functools.cache
def text():
    return small_models.encode(small_models.held_out())


def mean_bits(model, length):
    """Over the held-out text, and over the second half of its windows only."""
    return means(small_models.bits(model, text(), length))


def means(bits):
    return {"all": bits.mean().item(), "second half": bits[:, bits.shape[1] // 2 :].mean().item()}


def longer():
    """Bits per character at 1, 2, 4 and 8 times the trained length; and by position, 64 at a time."""
    found = {}
    for name in small_models.ENCODINGS:
        lengths = LENGTHS if name != "learned" else (TRAINED,)
        bits = {length: small_models.bits(loaded(name), text(), length) for length in lengths}
        found[name] = {str(length): means(bits[length]) for length in lengths}
        found[name]["by 64"] = bits[lengths[-1]].mean(dim=0).view(-1, 64).mean(dim=1).tolist()
    return found


def stretched():
    """The rotary model under each rule for four times its length, without training."""
    found = {rule: {} for rule in rules(4)}
    for length in (TRAINED, 4 * TRAINED):
        for rule, encoding in rules(4).items():
            found[rule][str(length)] = mean_bits(rope_with(encoding), length)
    return found


@functools.cache
def tuned():
    """The rotary model after 200 more steps, as it is, at four times the length."""
    model = copy.deepcopy(loaded("rope")).requires_grad_(True)
    tokens = small_models.encode(train_small.training_text())
    options = {"length": 1024, "batch_size": 2, "highest_lr": 5e-4, "warm_up": 20, "bfloat16": True}
    for _ in train_small.train(model, tokens, seed=100, steps=200, **options):
        pass
    return model.eval().requires_grad_(False)


def stretched_200_steps():
    """The same after 200 steps at 1024 characters, two texts a step, without a rule."""
    return {"as trained": {str(length): mean_bits(tuned(), length) for length in (TRAINED, 1024, 2048)}}


def turned(rows, angles):
    """Pairs of neighbouring columns, each turned by its angle."""
    pairs = torch.view_as_complex(rows.contiguous().unflatten(-1, (-1, 2)))
    hands = torch.polar(torch.ones_like(angles), angles).to(pairs.dtype)
    return torch.view_as_real(pairs * hands).flatten(-2)


class Slowed(toys.Rotary):
    """Rotary whose pairs from number `first` on, before `end`, are slowed down by a factor."""

    def __init__(self, first, factor, end=None):
        super().__init__()
        self.pairs, self.factor = slice(first, end), factor

    def turn(self, rows, positions):
        frequencies = tensors.frequencies(rows.shape[-1])
        frequencies[self.pairs] /= self.factor
        return turned(rows, positions[:, None] * frequencies)


def slowed():
    """The rotary model at once, its pairs from a number on slowed down by 4; 6 kB of text.

    "1024" is the second half of texts of four times the length, "256" what that costs at the old length.
    """
    found = {str(length): [] for length in (TRAINED, 4 * TRAINED)}
    for first in range(21):  # of 20 pairs; from 20 on: none
        model = rope_with(Slowed(first, 4))
        for length, by_first in found.items():
            bits = small_models.bits(model, text()[:6144], int(length))
            by_first.append(means(bits)["second half"])
    return found


class Sharper(toys.Rotary):
    """A rule, with queries and keys multiplied as in YaRN: the same angles, greater scores."""

    def __init__(self, factor, rule="by parts, 1 to 4 turns"):
        super().__init__(**rules(factor)[rule].options)
        self.loudness = 0.1 * math.log(factor) + 1

    def turn(self, rows, positions):
        return self.loudness * super().turn(rows, positions)


def needle():
    """What a definition 100 and 600 characters ago saves of the bits of a name, per character."""
    long = 1024 // TRAINED
    models = {name: loaded(name) for name in small_models.ENCODINGS if name != "learned"}
    models |= {f"rope, {rule}": rope_with(encoding) for rule, encoding in rules(long).items()}
    models["rope, as trained, 200 steps"] = tuned()
    far = {"100": 100, "600": 600}
    return {name: {key: needles_paid(one, far[key]) for key in far} for name, one in models.items()}


def needles_paid(model, distance):
    texts = small_models.needles(distance, count=128)
    costs = [small_models.bits_of_end(model, some, small_models.NEEDLE_ASKED) for some in texts]
    defined, undefined = (cost.mean().item() for cost in costs)
    saved = costs[1] - costs[0]  # (names,)
    error = (saved.std() / len(saved) ** 0.5).item()
    return {"defined": defined, "undefined": undefined, "error": error}


def permutation(head_dim, num_heads):
    """Rows of queries, or of keys, made for pairs of neighbours in the order that halves ask for."""
    of_head = torch.arange(head_dim).view(-1, 2).T.flatten()  # 0, 2, 4, ..., 1, 3, 5, ...
    return torch.cat([of_head + head_dim * head for head in range(num_heads)])


@torch.no_grad()
def repaired(model):
    """A copy whose queries and keys are permuted for the layout "half"."""
    model = copy.deepcopy(model)
    for block in model.blocks:
        d_model = block.to_out.in_features
        order = permutation(d_model // block.num_heads, block.num_heads)
        rows = torch.cat([order, d_model + order, torch.arange(2 * d_model, 3 * d_model)])
        for one in block.to_qkv.parameters():
            one.copy_(one[rows])
    return model


GROUPS = (longer, stretched, slowed, stretched_200_steps, needle)


def rounded(found):
    if isinstance(found, dict):
        return {name: rounded(value) for name, value in found.items()}
    return [rounded(one) for one in found] if isinstance(found, list) else round(found, 3)


def main(wanted):
    torch.set_num_threads(1)
    for group in GROUPS:
        if not wanted or group.__name__ in wanted:
            print(f"\n{group.__doc__}")
            found = {group.__name__: rounded(group())}
            for name, value in found[group.__name__].items():
                print(f"  {name}: {value}")
            train_small.update_figures(found)


if __name__ == "__main__":
    main(sys.argv[1:])
