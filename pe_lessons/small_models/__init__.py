"""Five small language models of Python source, one for each way to be told about positions.

They were trained on 256 characters at a time by `evidence/train_small_models.py`; `card.md` says on what and
for how long, and what they are not for. Each is a `toys.TinyTransformer` in float32.
"""

import hashlib
import json
import math
import warnings
import zipfile
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from pe_lessons import _arguments as arguments
from pe_lessons import arrays, tensors, toys

FOLDER = Path(__file__).parent
# Number 0 stands for every character that is not in here: a letter with an accent, a tab.
CHARACTERS = "\ufffd\n" + "".join(map(chr, range(ord(" "), ord("~") + 1)))
TRAINED_LENGTH = 256
LONGEST = 2048  # rows of the sinusoidal table
NEEDLE_ASKED = 6  # characters of a name of ten that `needles` asks for
SIZES = {"d_model": 160, "num_heads": 4, "num_layers": 4, "causal": True}
LOUDNESS = 0.1  # what random characters and rows of tables are multiplied by, before training
ENCODINGS = {
    "rope": toys.Rotary,
    "alibi": lambda: toys.ALiBi(tensors.alibi_slopes(SIZES["num_heads"])),
    "sinusoidal": lambda: toys.Table(arrays.sinusoidal(LONGEST, SIZES["d_model"])),
    "none": toys.Encoding,
    "learned": lambda: toys.Table(torch.randn(TRAINED_LENGTH, SIZES["d_model"]), learned=True),
}


HELD_OUT_SHA256 = "76dd9f868c034847f479e224af1acc518503ac4ab74168cf52d215d719c1f696"


def load(name):
    """The trained model `name`: "rope", "alibi", "sinusoidal", "none" or "learned".

    >>> model = load("rope")
    >>> decode([model(encode("    retu")[None])[0, -1].argmax()])
    'r'
    """
    model = untrained(name)
    path = FOLDER / f"{name}.npz"
    try:
        with np.load(path) as stored:
            weights = {key: torch.from_numpy(stored[key]).float() for key in stored}
        model.load_state_dict(weights)
    except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile) as error:
        raise OSError(
            f"{path} is missing or damaged; `python course.py train-small --model {name} --store`, in a "
            "clone of the course, trains it again"
        ) from error
    return model.eval().requires_grad_(False)


def held_out():
    """64 kB of the course's own code, as it was on the day of the training, which no model has seen."""
    path = FOLDER / "held_out.txt"
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, ValueError):
        text = ""
    if hashlib.sha256(text.encode()).hexdigest() != HELD_OUT_SHA256:
        raise OSError(
            f"{path} is missing or damaged; `git checkout -- {path.name}` in its folder brings it back"
        )
    return text


def figures():
    """What the scripts in `evidence/` measured, and the texts that the models wrote, as stored."""
    return json.loads((FOLDER / "figures.json").read_text(encoding="utf-8"))


def untrained(name, loudness=LOUDNESS):
    """A model of the right shape with random weights.

    Beside loud characters what a block adds is little at first, and a model may not learn in the time it has
    to copy a name that it has read.
    """
    if name not in ENCODINGS:
        raise ValueError(f"name must be one of {', '.join(ENCODINGS)}; got {name!r}")
    vocab = len(CHARACTERS)
    model = toys.TinyTransformer(vocab, vocab, **SIZES, encoding=ENCODINGS[name]()).float()
    with torch.no_grad():
        for table in (model.embedding.weight, getattr(model.encoding, "table", torch.empty(0))):
            table *= loudness
    return model


def encode(text):
    """The numbers of the characters of `text`, int64 (len(text),).

    A character that no model knows becomes number 0, and a warning says how many did.

    >>> encode("if x:")
    tensor([75, 72,  2, 90, 28])
    """
    numbers = [CHARACTERS.find(character) for character in text]
    unknown = sorted({character for character, number in zip(text, numbers) if number < 1})
    if unknown:
        count = sum(number < 1 for number in numbers)
        shown = ", ".join(map(repr, unknown[:5])) + (", ..." if len(unknown) > 5 else "")
        warnings.warn(f"{count} of {len(text)} characters are unknown to the models: {shown}", stacklevel=2)
    return torch.tensor([max(number, 0) for number in numbers], dtype=torch.int64)


def decode(tokens):
    """The text of such numbers.

    >>> decode(encode("if x:"))
    'if x:'
    """
    return "".join(CHARACTERS[number] for number in tokens)


def windows(text_tokens, length):
    """A text cut into windows: what a model reads, and what it should say, (n_windows, length) each.

    What it reads lags by one, after a line break, so every character of a window is asked for once. What is
    left at the end, shorter than a window, is dropped.
    """
    length = arguments.whole_number("length", length, minimum=1)
    count = len(text_tokens) // length
    if not count:
        raise ValueError(
            f"length must be at most the {len(text_tokens)} characters of the text; got {length}"
        )
    read = torch.cat([encode("\n"), text_tokens[:-1]])
    return read[: count * length].view(count, length), text_tokens[: count * length].view(count, length)


def bits(model, text_tokens, length=TRAINED_LENGTH, positions=None):
    """How many bits each character costs under the model, (n_windows, length).

    `text_tokens`, from `encode`, are cut into `windows` of `length` characters, which the model sees at once.
    It may be told `positions` (length,) instead of 0, 1, 2, ...
    """
    return costs(model, *windows(text_tokens, length), positions)


def costs(model, read, asked, positions=None):
    """How many bits the characters `asked` cost, each after those of `read`; (n_texts, length) all."""
    at_once = max(1, 4096 // read.shape[1])  # the attention weights of long texts are large
    found = []
    with torch.no_grad():
        for some_read, some_asked in zip(read.split(at_once), asked.split(at_once)):
            scores = model(some_read, positions)
            found.append(F.cross_entropy(scores.transpose(1, 2), some_asked, reduction="none"))
    for block in model.blocks:
        block.weights = None
    return torch.cat(found) / math.log(2)


def needles(distance, count=64, seed=0):
    """Texts in which a function is defined, and called `distance` characters later; the first half of each.

    Each begins with the definition of a function whose name was made up, goes on with code of the held-out
    text, and ends with a call of the function: `distance` counts the characters from the name there to the
    name here. The second text of a pair calls another name, of the same length, which was not defined: what
    that costs more, the definition has saved. The lists `defined` and `undefined` hold `count` texts each.
    They end with the name; its last `NEEDLE_ASKED` characters are those to ask for.
    """
    generator = torch.Generator().manual_seed(seed)
    code = held_out()

    def drawn(letters, size=1):
        return "".join(letters[k] for k in torch.randint(len(letters), (size,), generator=generator))

    defined, undefined = [], []
    for _ in range(count):
        name, other = ("".join(drawn("bdfgklmnprstvz") + drawn("aeiou") for _ in range(5)) for _ in range(2))
        other = name[:-NEEDLE_ASKED] + other[-NEEDLE_ASKED:]
        beginning, end = f"{name}(value):\n    return value\n\n\n", "\n\nresult = "
        filler = distance - len(beginning) - len(end)
        if filler < 0:
            raise ValueError(f"distance must be at least {distance - filler}, got {distance}")
        start = torch.randint(len(code) - filler, (1,), generator=generator).item()
        body = f"def {beginning}{code[start : start + filler]}{end}"
        defined.append(body + name)
        undefined.append(body + other)
    return defined, undefined


def bits_of_end(model, texts, asked):
    """Bits per character of the last `asked` characters of each text, all of one length: (n_texts,)."""
    tokens = torch.stack([encode(text) for text in texts])
    return costs(model, tokens[:, :-1], tokens[:, 1:])[:, -asked:].mean(dim=1)
