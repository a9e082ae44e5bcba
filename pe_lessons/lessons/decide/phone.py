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
NEAR = 0.055  # percentage points: for one decimal, and a little
NEARER = 0.0055  # for two decimals
ASKED = "your reason", "a grade", "what would change your mind"
GRADES = "proved", "measured here", "reported by several", "reported once", "unknown"


def sheet(layers, words_on_layers, base, numbers, words_on_base):
    """The filled sheet, or what is missing in it.

    layers: what each of the 24 layers sees, 1,024 or 65,536 tokens
    base: of the layers that see everything
    numbers: what the learner computed for it, the percentage of negative distances and the fast pairs
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
    if all(said[1].strip().lower() == "proved" for said, *_ in lines.values()):
        filled.append("You grade both lines proved. Who has shown that such a model finds its needles?")
    return result("correct", [line.replace("..", ".") for line in filled])


def of_layers(layers):
    """The choice in words, and what is wrong with it or None."""
    if not isinstance(layers, list) or len(layers) != LAYERS:
        count = len(layers) if isinstance(layers, list) else "no"
        return "", f"Your `my_layers` has {count} layers. It should be a list of {LAYERS} numbers."
    for place, seen in enumerate(layers):
        if not isinstance(seen, Integral) or seen not in (WINDOW, TEXT):
            return "", f"Your layer {place} sees {seen!r} tokens. Choose {WINDOW:,} or {TEXT:,}."
    size = sum(layers) * 2 * HEADS * WIDTH * 2 / 1e9
    everything = layers.count(TEXT)
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
    return choice, None


def of_base(base, numbers):
    """The choice in words, and what is wrong with it or None."""
    if not isinstance(base, Real) or isinstance(base, bool) or not 1 < base < float("inf"):
        return "", f"Your base is {base!r}. It should be a number above 1."
    base = int(base) if base == int(base) else float(base)
    negative, fast = judge(base)
    choice = f"{base:,}, negative at {negative:.2f} % of the distances, with {fast} fast pairs"
    if complaint := of_numbers(base, numbers):
        return choice, complaint
    if negative >= 0.1:
        step = "Step 1 accepts less than 0.1 %, so try a larger base."
        return choice, f"Your base {base:,} is negative at {negative:.2f} % of the distances. {step}"
    best = max(judge(10**power)[1] for power in range(4, 9) if judge(10**power)[0] < 0.1)
    if fast < best:
        step = f"But a smaller power of ten passes, too, and has {best}. Step 2 takes that one."
        return choice, f"Your base {base:,} passes step 1 and has {fast} fast pairs. {step}"
    return choice, None


def of_numbers(base, numbers):
    """What is wrong with the learner's two numbers of this base, or None."""
    numbers = numbers.tolist() if isinstance(numbers, np.ndarray) else numbers
    if not isinstance(numbers, list | tuple) or len(numbers) != 2:
        return "Your `my_numbers` should be a list of two numbers, a percentage and a count."
    if any(number is ... for number in numbers):
        return f"Your base {base:,} still lacks its two numbers. Compute them, and put them in `my_numbers`."
    if not all(isinstance(number, Real) and not isinstance(number, bool) for number in numbers):
        return f"Your `my_numbers` are {numbers!r}. Both should be numbers."
    given, (negative, fast) = [float(number) for number in numbers], judge(base)
    fraction = given[0] > 0 and abs(100 * given[0] - negative) < 0.1 * negative  # of a small one, near both
    if near(given, (negative, fast)) and not fraction:
        if negative >= 0.1 or abs(given[0] - negative) < NEARER:
            return None
        return (
            f"Your first number for base {base:,} is {given[0]:g}, rounded. Give it with two decimals, "
            "because the limit of step 1 is as small as 0.1 %."
        )
    if (fraction or negative > NEAR) and near(given, (negative / 100, fast)):
        return f"Your first number for base {base:,} is a fraction. Multiply it by 100 to get a percentage."
    if near(given, judge(base, 2 * WIDTH)):
        return (
            f"Your numbers belong to heads with {2 * WIDTH} columns. The phone's heads have {WIDTH}, "
            f"so {WIDTH // 2} pairs."
        )
    if near(given, judge(base, WIDTH, 2 * TEXT)):
        return f"Your numbers belong to distances up to {2 * TEXT:,}. The phone reads {TEXT:,} tokens."
    if not near(given[:1], (negative,)):
        return (
            f"Your first number for base {base:,} is {given[0]:g}, but we get a different percentage. "
            f"Take the similarity at distances 0 to {TEXT - 1:,}, with {WIDTH} columns."
        )
    return (
        f"Your second number for base {base:,} is {given[1]:g}, but we get a different count. "
        f"Count the frequencies above 0.1, of all {WIDTH // 2} pairs."
    )


def near(numbers, truth):
    """Whether a percentage, and a count if there is one, agree with the true ones."""
    return abs(numbers[0] - truth[0]) <= NEAR and list(numbers[1:]) == list(truth[1:])


@functools.cache
def judge(base, width=WIDTH, text=TEXT):
    """At how many per cent of the distances the similarity is negative, and the number of fast pairs."""
    negative = np.mean(arrays.kernel(np.arange(text), width, base=base) < 0)
    return 100 * negative, int(np.sum(arrays.frequencies(width, base=base) > 0.1))


def missing(line, words):
    """What the words on a line leave out, or None."""
    if not isinstance(words, list | tuple) or len(words) != len(ASKED):
        return f"Your words on the {line} should be a list of three texts: {', '.join(ASKED)}."
    lacking = [ask for ask, word in zip(ASKED, words) if not isinstance(word, str) or not word.strip(" .")]
    if lacking:
        return f"Your words on the {line} still lack {' and '.join(lacking)}."
    if not any(grade in words[1].lower() for grade in GRADES):
        return f"Your grade for the {line} is {words[1]!r}. Choose from {', '.join(GRADES)}."
    return None


def untouched(words):
    return isinstance(words, list) and all(word is ... for word in words)


def result(status, lines):
    heading = "Nothing is missing" if status == "correct" else HEADINGS[status]
    return Result(status, f"Your sheet for the phone: {heading}.", "\n".join(lines))
