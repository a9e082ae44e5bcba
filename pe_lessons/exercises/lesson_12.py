"""Exercises of lesson 12, longer than trained."""

import numpy as np

from pe_lessons.exercises.engine import Exercise, Question, Slip


def ntk_aware(head_dim, factor):
    base = 10_000 * factor ** (head_dim / (head_dim - 2))
    return base ** (-np.arange(0, head_dim, 2) / head_dim)  # (n_pairs,)


def _growing(steps):
    return -steps


def _ntk_with(
    base=10_000.0,
    power=lambda number, head_dim: number ** (head_dim / (head_dim - 2)),
    rule=(lambda base, factor, power: base * power(factor), lambda frequencies, factor: frequencies),
    steps=lambda steps: steps,
    finish=lambda frequencies: frequencies,
):
    new_base, divide = rule

    def ntk_frequencies(head_dim, factor):
        changed = new_base(base, factor, lambda number: power(number, head_dim))
        frequencies = changed ** -steps(np.arange(0, head_dim, 2) / head_dim)
        return finish(divide(frequencies, factor))

    return ntk_frequencies


def _unchanged(frequencies, factor):
    return frequencies


def _divided(frequencies, factor):
    return frequencies / factor


def _old_base(base, factor, power):
    return base


ntk_frequencies = Exercise(
    name="ntk_frequencies",
    reference=ntk_aware,
    probes=((8, 4.0), (6, 2.0), (4, 8.0)),
    edge_probes=((4, 1.0), (16, 4.0)),
    slips=(
        Slip(
            "exponent forgotten",
            "The base is multiplied by the factor itself. Then the slowest pair is divided by less than the "
            "factor: it needs the exponent d / (d - 2).",
            "power",
            lambda number, head_dim: number,
        ),
        Slip(
            "exponent inverted",
            "The exponent of the factor is upside down. The slowest pair has the base to the power "
            "-(d - 2) / d; the exponent has to undo that.",
            "power",
            lambda number, head_dim: number ** ((head_dim - 2) / head_dim),
        ),
        Slip(
            "d - 1 for d - 2",
            "The exponent is d / (d - 1). The last pair is number d / 2 - 1, and twice that is d - 2.",
            "power",
            lambda number, head_dim: number ** (head_dim / (head_dim - 1)),
        ),
        Slip(
            "divided instead of multiplied",
            "The base is divided by the power of the factor, so the pairs rotate faster. To slow them down, "
            "the base must grow.",
            "rule",
            (lambda base, factor, power: base / power(factor), _unchanged),
        ),
        Slip(
            "whole base raised",
            "Base and factor are raised together. Only the factor gets the exponent d / (d - 2); the base "
            "stays 10,000: where are the brackets?",
            "rule",
            (lambda base, factor, power: power(base * factor), _unchanged),
        ),
        Slip(
            "power before division",
            "The factor is raised to the power d, and the result divided by d - 2: ** binds more tightly "
            "than /. Put brackets round d / (d - 2).",
            "power",
            lambda number, head_dim: number**head_dim / (head_dim - 2),
        ),
        Slip(
            "scale applied twice",
            "The factor acts twice: in the base, and again as a divisor of all frequencies. The base alone "
            "does it all; pair 0 keeps its frequency 1.",
            "rule",
            (lambda base, factor, power: base * power(factor), _divided),
        ),
        Slip(
            "position interpolation",
            "All frequencies are divided by the factor. That is position interpolation; NTK-aware leaves "
            "pair 0 alone and changes the base.",
            "rule",
            (_old_base, _divided),
        ),
        Slip(
            "not scaled",
            "These are the frequencies before any scaling: the factor has no effect. Is the new base used?",
            "rule",
            (_old_base, _unchanged),
        ),
        Slip(
            "doubled exponent",
            "The exponent of the frequencies is doubled. The first pair is right and all the others rotate "
            "too slowly: does your index already step by two?",
            "steps",
            lambda steps: 2 * steps,
        ),
        Slip(
            "exponent without the 2",
            "The frequencies fall too slowly: the exponent is k / d. It is 2k / d, with k the number of the "
            "pair.",
            "steps",
            lambda steps: steps / 2,
        ),
        Slip(
            "growing frequencies",
            "The frequencies grow from pair to pair. The exponent of the base needs a minus.",
            "steps",
            _growing,
        ),
        Slip(
            "base 1000",
            "The base is 1000 where 10,000 was asked for. Count the zeros.",
            "base",
            1_000.0,
        ),
        Slip(
            "wavelengths returned",
            "These are wavelengths, tokens per turn. Frequencies are asked for, radians per token.",
            "finish",
            lambda frequencies: 2 * np.pi / frequencies,
        ),
        Slip(
            "once per column",
            "There is one number per column. A pair of columns is rotated together: one frequency for each "
            "pair.",
            "finish",
            lambda frequencies: np.repeat(frequencies, 2),
        ),
    ),
    build=_ntk_with,
    hints=(
        "Only the base changes; then the frequencies are made as always. By how much must the base grow?",
        "The new base is 10,000 times the factor to the power head_dim / (head_dim - 2), with brackets; "
        "then base ** (-2k / head_dim) for k = 0, 1, ..., head_dim / 2 - 1.",
        "Test it on head_dim = 4: the first number stays 1, the second, 0.01, is divided by the factor.",
    ),
)


def rule_of_llama3(head_dim, rope_theta, factor, original_len, low_freq_factor, high_freq_factor):
    frequencies = rope_theta ** (-np.arange(0, head_dim, 2) / head_dim)  # (n_pairs,)
    turns = original_len * frequencies / (2 * np.pi)
    kept = ((turns - low_freq_factor) / (high_freq_factor - low_freq_factor)).clip(0, 1)
    return kept * frequencies + (1 - kept) * frequencies / factor


def _llama3_with(
    base=lambda rope_theta: rope_theta,
    steps=lambda steps: steps,
    window=lambda original_len, factor: original_len,
    turns=lambda frequencies, window: window * frequencies / (2 * np.pi),
    ramp=lambda turns, low, high: ((turns - low) / (high - low)).clip(0, 1),
    blend=lambda frequencies, kept, factor: kept * frequencies + (1 - kept) * frequencies / factor,
):
    def llama3_frequencies(head_dim, rope_theta, factor, original_len, low_freq_factor, high_freq_factor):
        frequencies = base(rope_theta) ** -steps(np.arange(0, head_dim, 2) / head_dim)
        made = turns(frequencies, window(original_len, factor))
        return blend(frequencies, ramp(made, low_freq_factor, high_freq_factor), factor)

    return llama3_frequencies


llama3_frequencies = Exercise(
    name="llama3_frequencies",
    reference=rule_of_llama3,
    probes=(
        (16, 10_000.0, 4.0, 64, 1.0, 4.0),
        (12, 500.0, 8.0, 100, 0.5, 2.0),
        (10, 2_000.0, 2.0, 300, 1.0, 32.0),
    ),
    edge_probes=((2, 10_000.0, 4.0, 10, 1.0, 4.0), (128, 500_000.0, 8.0, 8192, 1.0, 4.0)),
    slips=(
        Slip(
            "base 10 000",
            "The base is always 10,000. A model says its own, here rope_theta.",
            "base",
            lambda rope_theta: 10_000.0,
        ),
        Slip(
            "doubled exponent",
            "The exponent of the frequencies is doubled. The first pair is right and all the others rotate "
            "too slowly: does your index already step by two?",
            "steps",
            lambda steps: 2 * steps,
        ),
        Slip(
            "turns in the new window",
            "The turns are counted in the new, longer length. What matters is what the model saw: "
            "original_len.",
            "window",
            lambda original_len, factor: original_len * factor,
        ),
        Slip(
            "radians for turns",
            "The angle at the end of the trained length is compared with the bounds, in radians. The bounds "
            "are in turns, 2π radians each.",
            "turns",
            lambda frequencies, window: window * frequencies,
        ),
        Slip(
            "turns upside down",
            "Wavelength over length is compared with the bounds. That is how many trained lengths a turn "
            "takes; the bounds say how many turns the trained length takes.",
            "turns",
            lambda frequencies, window: 2 * np.pi / (frequencies * window),
        ),
        Slip(
            "ramp the wrong way round",
            "The fast pairs are treated as slow ones, and the slow as fast. It is to be the other way round: "
            "which pairs have seen their whole circle? Perhaps the two bounds have changed places.",
            "ramp",
            lambda turns, low, high: 1 - ((turns - low) / (high - low)).clip(0, 1),
        ),
        Slip(
            "not cut",
            "The share that is kept leaves the range from 0 to 1, so that some pairs rotate faster than "
            "before, and some backwards. Cut it at both ends.",
            "ramp",
            lambda turns, low, high: (turns - low) / (high - low),
        ),
        Slip(
            "not cut at 0",
            "The share that is kept falls below 0 for the slow pairs, and they are slowed down by more than "
            "the factor. Cut it at 0 too.",
            "ramp",
            lambda turns, low, high: np.minimum((turns - low) / (high - low), 1),
        ),
        Slip(
            "not cut at 1",
            "The share that is kept rises above 1 for the fast pairs, and they rotate faster than before. "
            "Cut it at 1 too.",
            "ramp",
            lambda turns, low, high: np.maximum((turns - low) / (high - low), 0),
        ),
        Slip(
            "low bound not subtracted",
            "The ramp begins at 0 turns instead of at the low bound: subtract low_freq_factor from the "
            "turns before dividing.",
            "ramp",
            lambda turns, low, high: (turns / (high - low)).clip(0, 1),
        ),
        Slip(
            "divided by the high bound",
            "The ramp is not as wide as it should be: divide by the distance of the bounds, "
            "high_freq_factor - low_freq_factor.",
            "ramp",
            lambda turns, low, high: ((turns - low) / high).clip(0, 1),
        ),
        Slip(
            "no mixture",
            "Every pair is kept or divided, with nothing between. Pairs that make more turns than the low "
            "bound and fewer than the high one are blended.",
            "ramp",
            lambda turns, low, high: (turns >= low) * 1.0,
        ),
        Slip(
            "no mixture below the high bound",
            "Every pair below the high bound is divided in full. Only those below the low bound are; "
            "between the two bounds they are blended.",
            "ramp",
            lambda turns, low, high: (turns >= high) * 1.0,
        ),
        Slip(
            "straight in the wavelength",
            "The share falls in a straight line with the wavelength. It is to grow in a straight line with "
            "the turns, length over wavelength: same ends, another curve between.",
            "ramp",
            lambda turns, low, high: ((1 / low - 1 / turns) / (1 / low - 1 / high)).clip(0, 1),
        ),
        Slip(
            "position interpolation",
            "All frequencies are divided by the factor. That is position interpolation; here the pairs with "
            "many turns are left alone.",
            "blend",
            lambda frequencies, kept, factor: frequencies / factor,
        ),
        Slip(
            "not scaled",
            "These are the frequencies before any scaling. Which pairs did not complete their turn?",
            "blend",
            lambda frequencies, kept, factor: frequencies,
        ),
        Slip(
            "multiplied instead of divided",
            "Some pairs rotate faster than before: there is a multiplication by the factor. For longer "
            "texts they have to be slowed down, so divide.",
            "blend",
            lambda frequencies, kept, factor: kept * frequencies + (1 - kept) * frequencies * factor,
        ),
        Slip(
            "scale applied twice",
            "The factor acts twice: the blend is divided by it once more. Pairs that made many turns are to "
            "keep their frequency.",
            "blend",
            lambda frequencies, kept, factor: (
                (kept * frequencies + (1 - kept) * frequencies / factor) / factor
            ),
        ),
        Slip(
            "wavelengths mixed",
            "The pairs at both ends are right, those between are not: the wavelengths are blended there. "
            "Here the frequencies are blended.",
            "blend",
            lambda frequencies, kept, factor: frequencies / (kept + (1 - kept) * factor),
        ),
        Slip(
            "kept part forgotten",
            "Pairs with many turns come out as 0: only the divided part of the blend is there. Add the kept "
            "share of the frequency itself.",
            "blend",
            lambda frequencies, kept, factor: (1 - kept) * frequencies / factor,
        ),
        Slip(
            "shares returned",
            "These are the shares that are kept. One step is left: blend the frequencies with them.",
            "blend",
            lambda frequencies, kept, factor: kept,
        ),
    ),
    build=_llama3_with,
    hints=(
        "Three steps: the frequencies before, rope_theta ** (-2k / head_dim); the turns each makes in "
        "original_len tokens; the blend.",
        "turns = original_len * frequencies / (2 * np.pi). The share that is kept is 0 at low_freq_factor "
        "turns, 1 at high_freq_factor turns, straight between, and cut to 0 ... 1.",
        "kept * frequencies + (1 - kept) * frequencies / factor.",
    ),
)

longer_question = Question(
    name="longer_question",
    prompt="What did this lesson show?",
    choices={
        "a": (
            "an encoding that can be computed for every position lets the model work at every position",
            False,
            "Sinusoidal and rotary can be computed anywhere, and both models fell at twice their length: the "
            "table continues, the model does not.",
        ),
        "b": (
            "beyond its length the rotary model fails because of the far words, not of the near ones",
            True,
            "With the far words out of sight, the same rotary weights were right at every length.",
        ),
        "c": (
            "a pair that made many turns in training need not be slowed down",
            True,
            "A pair with many turns has pointed in every direction already; slowing it down only blurs "
            "neighbours.",
        ),
        "d": (
            "ALiBi can use a word that is 200 tokens back",
            False,
            "No cell tested that. The task is local: two words decide, and ALiBi holds because it lets the "
            "others fade.",
        ),
        "e": (
            "a causal model without any encoding can know where a word is",
            True,
            "Even attention on a start token is 1 / (number of tokens so far): the mask counts.",
        ),
        "f": (
            "position interpolation costs nothing, since no angle is new",
            False,
            "It moves neighbours closer together, and the model has to learn that anew.",
        ),
    },
    hints=(
        "For each statement, find the cell that tests it. Three hold; two were tested and failed; one was "
        "never tested.",
        "The sliding window, the circles of the four pairs, and the head that brings home 1 / (m + 1).",
    ),
)
