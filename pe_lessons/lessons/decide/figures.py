"""The drawings of the lesson *Decide*."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


def diluted(lengths, weights, margin):
    """What a key with this margin gets of the weight, for longer and longer texts."""
    with plt.rc_context(plots.STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 3.2))
        ax.plot(lengths, weights, color=plots.COLOURS[0])
        for length, word in ((8192, "8k"), (131_072, "128k"), (1_048_576, "1M")):
            weight = np.exp(margin) / (np.exp(margin) + length - 1)
            ax.plot(length, weight, "o", color=plots.RED)
            ax.annotate(f"{word}: {weight:.3f}", (length, weight), (8, 6), textcoords="offset points")
        ax.text(
            9000,
            0.6,
            f"the same key, {margin} above all others,\nbut there are more and more others",
            color="0.3",
        )
        ax.set(xscale="log", xlabel="keys", ylabel="weight of the right key", ylim=(0, 1))
    plots.show(
        fig,
        alt="A curve that falls over a logarithmic axis of the number of keys, from 0.75 at 1,000 keys to "
        "0.27 at 8k, 0.02 at 128k and 0.003 at a million.",
        caption=f"The weight of a key whose score is {margin} above all others.",
    )


def bases(similarities, text_len):
    """The mean over all pairs of what a rotation leaves of a word's likeness to itself, by distance."""
    with plt.rc_context(plots.STYLE):
        fig, axes = plt.subplots(len(similarities), 1, figsize=(6.4, 5.4), sharex=True, sharey=True)
        for ax, (base, values) in zip(axes, similarities.items()):
            ax.plot(np.arange(1, text_len, 37), values[1::37], color=plots.OF_ENCODING["RoPE"], linewidth=0.5)
            ax.axhline(0, color="0.5", linewidth=1)
            ax.text(0.98, 0.8, f"base {base:,}", ha="right", transform=ax.transAxes)
        axes[0].annotate("here a word is less like itself\nthan like a random word", (9000, -0.05), (22_000, 0.42),
                         arrowprops={"arrowstyle": "->"})  # fmt: skip
        axes[-1].set(xlabel="distance", xlim=(0, text_len), ylim=(-0.2, 0.8))
        axes[1].set(ylabel="likeness of a word to itself")
    plots.show(
        fig,
        alt="Three noisy curves over distances up to 131,072. With base 10,000 the curve falls to 0 within a "
        "few thousand tokens and then swings around 0. With base 500,000 it falls slowly, and from about "
        "20,000 on it dips below 0 now and then. With base 10,000,000 it never goes below 0.",
        caption="The mean cosine over the 64 pairs of a head of 128 columns, for three bases.",
    )
