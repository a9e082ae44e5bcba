"""The lesson's last task: two lines of a sheet, for a model on a phone.

Many sheets are good. So this computes what can be computed and asks for the words that are missing. It gives
no points.
"""

import functools
from numbers import Integral, Real

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises.result import HEADINGS, Result

LAYERS, HEADS, WIDTH, TEXT, WINDOW, LIMIT = 24, 4, 64, 65_536, 1024, 1.0
WEIGHTS, SPEED, WISH = 1, 40, 25  # GB, GB read in a second, and tokens that the users want in a second
needles = {1: 93, 2: 92, 3: 86, 4: 84, 6: 78}  # per cent, if one layer in so many sees everything
NEAR = 0.0055  # for two decimals, and a little
ASKED = "your reason", "a grade", "what would change your mind"
GRADES = "computed", "measured here", "reported by several", "reported once", "used", "unknown"


def sheet(layers, words_on_layers, base, numbers, words_on_base):
    """The filled sheet, or what is missing in it.

    layers: what each of the 24 layers sees, 1,024 or 65,536 tokens
    base: of the layers that see everything
    numbers: what the learner computed for it, the copy at its worst and the best random word
    words_on_layers, words_on_base: the reason, its grade, and what would change the learner's mind
    """
    layers = np.asarray(layers, dtype=object).tolist() if isinstance(layers, tuple | np.ndarray) else layers
    lines = {"layers": (words_on_layers, *of_layers(layers))}
    lines["base"] = words_on_base, *of_base(base, numbers)
    wrong = [complaint for _, _, complaint in lines.values() if complaint]
    words = [complaint for line, (said, *_) in lines.items() if (complaint := missing(line, said))]
    if layers == [TEXT] * LAYERS and all(untouched(said) for said, *_ in lines.values()):
        message = ["Change the lines above, and run the cell again.", *wrong]
        return result("not attempted", message)
    if wrong or words:
        return result("not yet", [*wrong, *words])
    filled = [
        f"{line}: {choice}. Reason: {said[0]}. Grade: {said[1]}. What would change my mind: {said[2]}."
        for line, (said, choice, _) in lines.items()
    ]
    if all(said[1].strip().lower() == "computed" for said, *_ in lines.values()):
        filled.append("You grade both lines computed. Who has shown that such a model finds its needles?")
    grades = [said[1].lower() for said, *_ in lines.values()]
    if "reported" in grades[0]:
        filled.append("You grade the layers reported. Which paper compared such patterns in large models?")
    if "used" in grades[0]:
        filled.append("You grade the layers used. Which published model has your pattern on a phone?")
    if "measured" in grades[1]:
        filled.append("You grade the base measured here. But a simulated copy is only computed.")
    if speed(layers) < WISH:
        filled.append(f"Your users want {WISH} tokens a second. Does your reason say why they get fewer?")
    else:
        filled.append(
            f"Your cache has room for every second layer, which found {needles[2]} % of the needles. Does "
            "your reason say what your users get for the needles that they lose?"
        )
    return result("correct", [line.replace("..", ".") for line in filled])


def speed(layers):
    """How many tokens the phone writes in a second: for each one it reads its weights and the cache."""
    return SPEED / (WEIGHTS + cache(layers))


def cache(layers):
    """The cache in GB: a key and a value for each token that a layer sees, 2 bytes a number."""
    return sum(layers) * 2 * HEADS * WIDTH * 2 / 1e9


def of_layers(layers):
    """The choice in words, and what is wrong with it or None."""
    if not isinstance(layers, list) or len(layers) != LAYERS:
        count = len(layers) if isinstance(layers, list) else "no"
        return "", f"Your `my_layers` has {count} layers. It should be a list of {LAYERS} numbers."
    for place, seen in enumerate(layers):
        if not isinstance(seen, Integral) or seen not in (WINDOW, TEXT):
            return "", f"Your layer {place} sees {seen!r} tokens. Choose {WINDOW:,} or {TEXT:,}."
    size, everything = cache(layers), layers.count(TEXT)
    choice = f"{everything} of {LAYERS} layers see everything, and the cache takes {size:.1f} GB"
    if not everything:
        reach = LAYERS * (WINDOW - 1)
        return choice, (
            f"Your layers all have a window. Together, they look back at most {LAYERS} × {WINDOW - 1:,} = "
            f"{reach:,} tokens. So the model can't find a needle that is farther away."
        )
    if size > LIMIT:
        more = f"It may take {LIMIT:.0f} GB, so give more layers a window."
        return choice, f"In your model, {choice}. {more}"
    if not any(layers[step:] == layers[:-step] for step in range(1, LAYERS // 2 + 1)):
        return (
            choice,
            "Your cache fits, but your pattern doesn't repeat. Repeat a short pattern over all layers.",
        )
    return f"{choice}, so the phone writes {speed(layers):.0f} tokens a second", None


def of_base(base, numbers):
    """The choice in words, and what is wrong with it or None."""
    if not isinstance(base, Real) or isinstance(base, bool) or not 1 < base < float("inf"):
        return "", f"Your base is {base!r}. It should be a number above 1."
    base = int(base) if base == int(base) else float(base)
    copy, rival = judge(base)
    choice = f"{base:,}, the copy at its worst {copy:.2f}, and the best random word {rival:.2f}"
    if complaint := of_numbers(base, numbers):
        return choice, complaint
    if copy <= rival:
        word = f"the best random word has {rival:.2f}, which is more. So try a larger base."
        return choice, f"Your base {base:,} lets the copy fall to a similarity of {copy:.2f}, but {word}"
    smallest = min(10**power for power in range(4, 9) if np.greater(*judge(10**power)))
    if base > smallest:
        return (
            choice,
            f"Your base {base:,} passes, but so does {smallest:,}. Take the smallest one that passes.",
        )
    return choice, None


def of_numbers(base, numbers):
    """What is wrong with the learner's two numbers of this base, or None."""
    numbers = numbers.tolist() if isinstance(numbers, np.ndarray) else numbers
    if not isinstance(numbers, list | tuple) or len(numbers) != 2:
        return "Your `my_numbers` should be a list of two numbers, the copy and the best random word."
    if any(number is ... for number in numbers):
        return f"Your base {base:,} still lacks its two numbers. Compute them, and put them in `my_numbers`."
    if isinstance(numbers[0], np.ndarray) and numbers[0].ndim:
        return "Your first number is the copy at every distance. Take the smallest of these: `copy.min()`."
    if not all(isinstance(number, Real) and not isinstance(number, bool) for number in numbers):
        return f"Your `my_numbers` are {numbers!r}. Both should be numbers."
    given = [float(number) for number in numbers]
    if near(given, judge(base)):
        return None
    pairs, columns = WIDTH // 2, f"The phone's heads have {WIDTH} columns, so {WIDTH // 2} pairs."
    if near(given[::-1], judge(base)):
        return "Your two numbers are swapped. The copy comes first."
    if near(given, judge(base, 2 * pairs, 2 * TEXT)):
        model = f"the large model, with {2 * pairs} pairs and {2 * TEXT:,} tokens"
        return f"Your numbers belong to {model}. {columns} It reads {TEXT:,} tokens."
    if near(given, judge(base, 2 * pairs)):
        return f"Your numbers belong to heads with {2 * pairs} pairs. {columns}"
    if near(given, judge(base, pairs, 2 * TEXT)):
        return f"Your numbers belong to distances up to {2 * TEXT:,}. The phone reads {TEXT:,} tokens."
    which, got = ("first", given[0]) if not near(given[:1], judge(base)[:1]) else ("second", given[1])
    return (
        f"Your {which} number for base {base:,} is {got:g}, but we get a different one. Call `far_copy` with "
        f"your base, {pairs} pairs and {TEXT:,} tokens."
    )


def near(numbers, truth):
    """Whether these similarities agree with the true ones, with two decimals."""
    return all(abs(number - true) <= NEAR for number, true in zip(numbers, truth))


@functools.cache
def judge(base, pairs=WIDTH // 2, text=TEXT):
    """In the slowest quarter of the pairs, how similar a copy is at its worst, and the best random word."""
    slowest = arrays.frequencies(2 * pairs, base=base)[-pairs // 4 :]
    copy = np.cos(np.arange(text)[:, None] * slowest).mean(axis=1)
    angles = np.random.default_rng(seed=0).uniform(0, 2 * np.pi, (text - 1, pairs // 4))
    return copy.min(), np.cos(angles).mean(axis=1).max()


def missing(line, words):
    """What the words on a line leave out, or None."""
    if not isinstance(words, list | tuple) or len(words) != len(ASKED):
        return f"Your words on the {line} should be a list of three texts: {', '.join(ASKED)}."
    lacking = [ask for ask, word in zip(ASKED, words) if not isinstance(word, str) or not word.strip(" .")]
    if lacking:
        return f"Your words on the {line} still lack {' and '.join(lacking)}."
    if not any(grade in words[1].lower() for grade in GRADES):
        return f"Your grade for the {line} is {words[1]!r}. Choose from {', '.join(GRADES)}."
    if words[2].strip(" .").lower() in ("nothing", "none", "no"):
        return (
            f"Your words on the {line} leave nothing that would change your mind. Name a result that would."
        )
    return None


def untouched(words):
    return isinstance(words, list) and all(word is ... for word in words)


def result(status, lines):
    heading = "Nothing is missing" if status == "correct" else HEADINGS[status]
    return Result(status, f"Your sheet for the phone: {heading}.", "\n".join(lines))
