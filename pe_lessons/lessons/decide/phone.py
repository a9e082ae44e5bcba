"""The lesson's last task: a plan for a model on a phone.

Many plans are good. So this computes what can be computed and asks for the words that are missing. It gives
no points.
"""

from numbers import Integral

import numpy as np

from pe_lessons.exercises.result import HEADINGS, Result

LAYERS, HEADS, WIDTH, TEXT, WINDOW, LIMIT = 24, 4, 64, 65_536, 1024, 1.0
WEIGHTS, SPEED, WISH = 1, 40, 25  # GB, GB read in a second, and tokens that the users want in a second
needles = {1: 93, 2: 92, 3: 86, 4: 84, 6: 78}  # per cent, if one layer in so many sees everything
ASKED = "your reason", "a grade", "what would change your mind"
GRADES = "computed", "measured here", "reported by several", "reported once", "used", "unknown"
UNFIT = {
    "used": "Which published model with this pattern did we show on a phone?",
    "reported": "Which paper compared such patterns in large models?",
}


def sheet(layers, words):
    """The filled sheet, or what is missing in it.

    layers: what each of the 24 layers sees, 1,024 or 65,536 tokens
    words: the reason, its grade, and what would change the learner's mind
    """
    layers = np.asarray(layers, dtype=object).tolist() if isinstance(layers, tuple | np.ndarray) else layers
    choice, wrong = of_layers(layers)
    if layers == [TEXT] * LAYERS and isinstance(words, list) and all(word is ... for word in words):
        return result("not attempted", ["Change the lines above, and run the cell again.", wrong])
    complaints = [complaint for complaint in (wrong, missing(words)) if complaint]
    if complaints:
        return result("not yet", complaints)
    reason, grade, change = words
    filled = [f"layers: {choice}. Reason: {reason}. Grade: {grade}. What would change my mind: {change}."]
    if "measured" not in grade.lower():
        filled.append(
            "Your grade leaves out that the needles were measured, with one small model of each pattern."
        )
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


def missing(words):
    """What the words leave out, or None."""
    if not isinstance(words, list | tuple) or len(words) != len(ASKED):
        return f"Your words should be a list of three texts: {', '.join(ASKED)}."
    lacking = [ask for ask, word in zip(ASKED, words) if not isinstance(word, str) or not word.strip(" .")]
    if lacking:
        return f"Your words still lack {' and '.join(lacking)}."
    grade = words[1].lower()
    if not any(one in grade for one in GRADES):
        return f"Your grade is {words[1]!r}. Choose from {', '.join(GRADES)}."
    if unfit := [question for one, question in UNFIT.items() if one in grade]:
        return f"Your grade is {words[1]!r}. {unfit[0]}"
    if words[2].strip(" .").lower() in ("nothing", "none", "no"):
        return "Your words leave nothing that would change your mind. Name a result that would."
    return None


def result(status, lines):
    heading = "Nothing is missing" if status == "correct" else HEADINGS[status]
    return Result(status, f"Your sheet for the phone: {heading}.", "\n".join(lines))
