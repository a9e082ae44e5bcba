"""Train the small models of the course: Python source, character by character.

    python course.py train-small --model rope              train one, and compare it with what is stored
    python course.py train-small --model rope --seed 1     with other random numbers
    python course.py train-small --model rope --store      and store it in pe_lessons/small_models

The recipe. Text: the standard library of the Python that runs this, without tests, tables and bundled tools
(`LEFT_OUT`), 8.8 million characters in Python 3.11; none of it is kept. A step sees 8 windows of 256
characters, whose places are drawn from the seed and the number of the step. The model is
`small_models.untrained`: 4 blocks, width 160, 4 heads. AdamW with betas 0.9 and 0.95, weight decay 0.1 on
matrices, gradients clipped at 1; the learning rate climbs for 100 of 3000 steps and then falls as a cosine,
from 0.004 to a hundredth of it. Matrices are multiplied in bfloat16 where the processor is faster at it;
weights are kept in float32. The recipe is the same for all five, and nothing was tuned for one of them.

A run takes about ten minutes on one core with bfloat16 (AVX512_BF16). Runs on different machines differ by
hundredths of a bit.
"""

import argparse
import datetime
import hashlib
import json
import math
import platform
import sysconfig
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from pe_lessons import small_models

LEFT_OUT = {"site-packages", "dist-packages", "test", "tests", "idle_test", "idlelib", "lib2to3", "encodings"}
LEFT_OUT |= {"pydoc_data", "ensurepip", "turtledemo", "__pycache__"}
STEPS, WARM_UP, BATCH_SIZE, HIGHEST_LR = 3000, 100, 8, 4e-3
START = 2048  # characters of the held-out text that a test asks for
PROMPT = '''class Reader:
    """Read lines from a file."""

    def __init__(self, path):
        self.path = path
'''


def training_text():
    """The sources of the standard library, one after the other, in the order of their names."""
    library = Path(sysconfig.get_paths()["stdlib"])
    paths = [path for path in library.rglob("*.py") if not LEFT_OUT & set(path.relative_to(library).parts)]
    paths.sort(key=lambda path: path.relative_to(library).as_posix())
    return "".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)


def batch(tokens, seed, step, *, length, batch_size):
    """The windows of a step, and what follows each of their characters; (batch_size, length) each."""
    generator = torch.Generator().manual_seed(1_000_000 * seed + step)
    starts = torch.randint(len(tokens) - length, (batch_size, 1), generator=generator)
    windows = tokens[starts + torch.arange(length + 1)]
    return windows[:, :-1], windows[:, 1:]


def bfloat16_is_faster():
    """Whether this processor multiplies matrices faster in bfloat16 than in float32."""

    def seconds(dtype):
        one = torch.ones(1024, 1024, dtype=dtype)
        one @ one
        start = time.perf_counter()
        for _ in range(5):
            one @ one
        return time.perf_counter() - start

    return seconds(torch.bfloat16) < seconds(torch.float32)


def learning_rate(step, steps, highest, warm_up):
    """Of step 1, 2, ..., `steps`."""
    if step <= warm_up:
        return highest * step / warm_up
    return highest * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (step - warm_up) / (steps - warm_up))))


def optimizer_of(model):
    matrices = [one for one in model.parameters() if one.dim() == 2]
    vectors = [one for one in model.parameters() if one.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, betas=(0.9, 0.95), fused=True)


def train(
    model,
    tokens,
    *,
    seed,
    steps=STEPS,
    length=small_models.TRAINED_LENGTH,
    batch_size=BATCH_SIZE,
    highest_lr=HIGHEST_LR,
    warm_up=WARM_UP,
    bfloat16=False,
):
    """Train, and yield each step with its loss in bits."""
    optimizer = optimizer_of(model)
    model.train()
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps, highest_lr, warm_up)
        read, asked = batch(tokens, seed, step, length=length, batch_size=batch_size)
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            scores = model(read)
        loss = F.cross_entropy(scores.float().flatten(0, 1), asked.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        yield step, loss.item() / math.log(2)
    model.eval()


def in_half(model):
    """The weights as they are stored: float16, a good deal finer than training is."""
    return {name: values.numpy().astype(np.float16) for name, values in model.state_dict().items()}


def written(model, count, temperature=0.8):
    """Characters that the model puts after the prompt, drawn with seed 0.

    One near tie, decided otherwise on another processor, and the text goes another way.
    """
    generator, cache = torch.Generator().manual_seed(0), model.empty_cache()
    tokens = new = small_models.encode(PROMPT).tolist()
    for _ in range(count):
        with torch.no_grad():
            positions = torch.arange(len(tokens) - len(new), len(tokens))
            scores = model(torch.tensor([new]), positions, cache=cache)[0, -1]
        new = [torch.multinomial((scores / temperature).softmax(dim=-1), 1, generator=generator).item()]
        tokens = tokens + new
    return small_models.decode(tokens[-count:])


def update_figures(change):
    """Put `change` into `figures.json`; of two dicts with one name the entries are united."""

    def united(old, new):
        both = isinstance(old, dict) and isinstance(new, dict)
        return {**old, **{name: united(old.get(name), value) for name, value in new.items()}} if both else new

    path = small_models.FOLDER / "figures.json"
    found = united(small_models.figures(), change)
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, choices=small_models.ENCODINGS)
    parser.add_argument("--seed", type=int, default=0)
    stored = "write weights and figures into pe_lessons/small_models"
    parser.add_argument("--store", action="store_true", help=stored)
    wanted = parser.parse_args()

    torch.set_num_threads(1)  # two threads are slower for a model of this size
    text = training_text()
    bfloat16 = bfloat16_is_faster()
    print(f"{len(text):,} characters, matrices in {'bfloat16' if bfloat16 else 'float32'}")
    torch.manual_seed(wanted.seed)
    model = small_models.untrained(wanted.model)
    recent = []
    for step, loss in train(model, small_models.encode(text), seed=wanted.seed, bfloat16=bfloat16):
        recent = [*recent[-99:], loss]
        if step % 100 == 0:
            print(f"step {step} of {STEPS}: {sum(recent) / len(recent):.2f} bits", flush=True)

    model.load_state_dict({name: torch.from_numpy(half).float() for name, half in in_half(model).items()})
    found = small_models.bits(model, small_models.encode(small_models.held_out())).flatten()
    bits = found.mean().item()
    stored = small_models.figures()["models"].get(wanted.model, {}).get("bits_by_seed", {})
    print(f"held-out text, {small_models.TRAINED_LENGTH} characters at a time: {bits:.3f} bits a character")
    for seed, before in stored.items():
        print(f"  stored, seed {seed}: {before:.3f}")
    if wanted.store:
        store(model, wanted, found, text)


def store(model, wanted, bits, text):
    """Seed 0 with weights and a text that it writes, the others with their loss."""
    entry = {"bits_by_seed": {str(wanted.seed): round(bits.mean().item(), 4)}}
    if wanted.seed == 0:
        entry["bits_of_start"] = round(bits[:START].mean().item(), 4)
        np.savez_compressed(small_models.FOLDER / f"{wanted.model}.npz", **in_half(model))
        date = datetime.datetime.now(datetime.UTC).date().isoformat()
        entry["trained"] = {
            "date": date,
            "python": platform.python_version(),
            "torch": torch.__version__,
            "characters": len(text),
            "sha256": hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
        }
        # a learned table ends with the trained length
        longest = small_models.TRAINED_LENGTH if wanted.model == "learned" else 1024 + len(PROMPT)
        text = written(model, longest - len(PROMPT))
        entry["text"] = {"prompt": PROMPT, "written": text, "seed": 0, "temperature": 0.8, "date": date}
    update_figures({"models": {wanted.model: entry}})


if __name__ == "__main__":
    main()
