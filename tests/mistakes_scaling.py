"""Lesson 12 for test_exercises.py and test_styles.py: independent answers, and the mistakes in two styles."""

import math

import mpmath
import torch

# ntk_frequencies: one frequency at a time, and logarithms in PyTorch.


def precise_ntk(head_dim, factor):
    """The slowest pair is divided by the factor, the others in even steps from pair 0."""
    with mpmath.workdps(40):
        last = head_dim // 2 - 1
        return [
            float(mpmath.mpf(10_000) ** (mpmath.mpf(-2 * k) / head_dim) * mpmath.root(factor, last) ** -k)
            for k in range(last + 1)
        ]


def loop_ntk(
    power=lambda d: d / (d - 2),
    grow=lambda base, scale: base * scale,
    step=lambda pair, d: 2 * pair / d,
    base=10_000,
    entry=lambda frequency, factor: frequency,
    times=1,
):
    def ntk(head_dim, factor):
        found = []
        for pair in range(head_dim // 2):
            frequency = 1 / grow(base, factor ** power(head_dim)) ** step(pair, head_dim)
            for _ in range(times):
                found.append(entry(frequency, factor))
        return found

    return ntk


def torch_ntk(
    log_base=lambda log_factor, d: math.log(10_000) + log_factor * d / (d - 2),
    steps=lambda columns, d: columns / d,
    finish=lambda frequencies, factor: frequencies,
):
    def ntk(head_dim, factor):
        columns = torch.arange(0, head_dim, 2, dtype=torch.float64)
        exponents = steps(columns, head_dim) * log_base(math.log(factor), head_dim)
        return finish(torch.exp(-exponents), factor)

    return ntk


def loop_ntk_power_first(head_dim, factor):
    base = 10_000 * factor**head_dim / (head_dim - 2)
    return [1 / base ** (2 * pair / head_dim) for pair in range(head_dim // 2)]


LN = math.log(10_000)
NTK_STYLES = {
    "exponent forgotten": (
        loop_ntk(power=lambda d: 1),
        torch_ntk(lambda log_factor, d: LN + log_factor),
    ),
    "exponent inverted": (
        loop_ntk(power=lambda d: 1 - 2 / d),
        torch_ntk(lambda log_factor, d: LN + log_factor * (d - 2) / d),
    ),
    "d - 1 for d - 2": (
        loop_ntk(power=lambda d: d / (d - 1)),
        torch_ntk(lambda log_factor, d: LN + log_factor * d / (d - 1)),
    ),
    "divided instead of multiplied": (
        loop_ntk(grow=lambda base, scale: base / scale),
        torch_ntk(lambda log_factor, d: LN - log_factor * d / (d - 2)),
    ),
    "whole base raised": (
        lambda head_dim, factor: [
            math.pow((10_000 * factor) ** (head_dim / (head_dim - 2)), -2 * k / head_dim)
            for k in range(head_dim // 2)
        ],
        torch_ntk(lambda log_factor, d: (LN + log_factor) * d / (d - 2)),
    ),
    "power before division": (
        loop_ntk_power_first,
        torch_ntk(lambda log_factor, d: LN + log_factor * d - math.log(d - 2)),
    ),
    "scale applied twice": (
        loop_ntk(entry=lambda frequency, factor: frequency / factor),
        torch_ntk(finish=lambda frequencies, factor: frequencies / factor),
    ),
    "position interpolation": (
        loop_ntk(grow=lambda base, scale: base, entry=lambda frequency, factor: frequency / factor),
        torch_ntk(lambda log_factor, d: LN, finish=lambda frequencies, factor: frequencies / factor),
    ),
    "not scaled": (
        loop_ntk(grow=lambda base, scale: base),
        torch_ntk(lambda log_factor, d: LN),
    ),
    "doubled exponent": (
        loop_ntk(step=lambda pair, d: 4 * pair / d),
        torch_ntk(steps=lambda columns, d: 2 * columns / d),
    ),
    "exponent without the 2": (
        loop_ntk(step=lambda pair, d: pair / d),
        torch_ntk(steps=lambda columns, d: columns / 2 / d),
    ),
    "growing frequencies": (
        loop_ntk(step=lambda pair, d: -2 * pair / d),
        torch_ntk(finish=lambda frequencies, factor: 1 / frequencies),
    ),
    "base 1000": (
        loop_ntk(base=1_000),
        torch_ntk(lambda log_factor, d: math.log(1_000) + log_factor * d / (d - 2)),
    ),
    "wavelengths returned": (
        loop_ntk(entry=lambda frequency, factor: 2 * math.pi / frequency),
        torch_ntk(finish=lambda frequencies, factor: 2 * torch.pi / frequencies),
    ),
    "once per column": (
        loop_ntk(times=2),
        torch_ntk(finish=lambda frequencies, factor: frequencies.repeat_interleave(2)),
    ),
}

# llama3_frequencies: three cases of the wavelength as in Meta's code, and lerp in PyTorch.


def llama3_by_wavelengths(head_dim, rope_theta, factor, original_len, low, high):
    changed = []
    for column in range(0, head_dim, 2):
        frequency = rope_theta ** (-column / head_dim)
        wavelength = 2 * math.pi / frequency
        if wavelength < original_len / high:
            changed.append(frequency)
        elif wavelength > original_len / low:
            changed.append(frequency / factor)
        else:
            smooth = (original_len / wavelength - low) / (high - low)
            changed.append((1 - smooth) * frequency / factor + smooth * frequency)
    return changed


def straight(turns, low, high):
    return (turns - low) / (high - low)


def cut(share):
    return min(1.0, max(0.0, share))


def loop_llama3(
    base=lambda rope_theta: rope_theta,
    step=1,
    turns=lambda frequency, length, factor: length * frequency / math.tau,
    share=lambda turns, low, high: cut(straight(turns, low, high)),
    mix=lambda frequency, kept, factor: frequency * (kept + (1 - kept) / factor),
):
    def llama3(head_dim, rope_theta, factor, original_len, low, high):
        changed = []
        for pair in range(head_dim // 2):
            frequency = 1 / base(rope_theta) ** (2 * pair * step / head_dim)
            kept = share(turns(frequency, original_len, factor), low, high)
            changed.append(mix(frequency, kept, factor))
        return changed

    return llama3


def torch_llama3(
    base=lambda rope_theta: rope_theta,
    step=1,
    length=lambda original_len, factor: original_len,
    turns=lambda length, wavelengths: length / wavelengths,
    share=lambda turns, low, high: straight(turns, low, high).clamp(0, 1),
    mix=lambda frequencies, kept, factor: torch.lerp(frequencies / factor, frequencies, kept),
):
    def llama3(head_dim, rope_theta, factor, original_len, low, high):
        columns = torch.arange(0, head_dim, 2, dtype=torch.float64)
        frequencies = torch.exp(-columns * step * math.log(base(rope_theta)) / head_dim)
        made = turns(length(original_len, factor), 2 * torch.pi / frequencies)
        return mix(frequencies, share(made, low, high), factor)

    return llama3


LLAMA3_STYLES = {
    "base 10 000": (loop_llama3(base=lambda theta: 10_000), torch_llama3(base=lambda theta: 1e4)),
    "doubled exponent": (loop_llama3(step=2), torch_llama3(step=2)),
    "turns in the new window": (
        loop_llama3(turns=lambda frequency, length, factor: length * factor * frequency / math.tau),
        torch_llama3(length=lambda original_len, factor: original_len * factor),
    ),
    "radians for turns": (
        loop_llama3(turns=lambda frequency, length, factor: length * frequency),
        torch_llama3(turns=lambda length, wavelengths: 2 * torch.pi * length / wavelengths),
    ),
    "turns upside down": (
        loop_llama3(turns=lambda frequency, length, factor: math.tau / frequency / length),
        torch_llama3(turns=lambda length, wavelengths: wavelengths / length),
    ),
    "ramp the wrong way round": (
        loop_llama3(share=lambda turns, low, high: cut(straight(turns, high, low))),
        torch_llama3(mix=lambda frequencies, kept, s: torch.lerp(frequencies, frequencies / s, kept)),
    ),
    "not cut": (loop_llama3(share=straight), torch_llama3(share=straight)),
    "not cut at 0": (
        loop_llama3(share=lambda turns, low, high: min(1.0, straight(turns, low, high))),
        torch_llama3(share=lambda turns, low, high: straight(turns, low, high).clamp(max=1)),
    ),
    "not cut at 1": (
        loop_llama3(share=lambda turns, low, high: max(0.0, straight(turns, low, high))),
        torch_llama3(share=lambda turns, low, high: straight(turns, low, high).relu()),
    ),
    "low bound not subtracted": (
        loop_llama3(share=lambda turns, low, high: cut(turns / (high - low))),
        torch_llama3(share=lambda turns, low, high: (turns / (high - low)).clamp(0, 1)),
    ),
    "divided by the high bound": (
        loop_llama3(share=lambda turns, low, high: cut((turns - low) / high)),
        torch_llama3(share=lambda turns, low, high: (turns / high - low / high).clamp(0, 1)),
    ),
    "no mixture": (
        loop_llama3(share=lambda turns, low, high: 0 if turns < low else 1),
        torch_llama3(share=lambda turns, low, high: (turns >= low).double()),
    ),
    "no mixture below the high bound": (
        loop_llama3(share=lambda turns, low, high: 0 if turns < high else 1),
        torch_llama3(share=lambda turns, low, high: (turns >= high).double()),
    ),
    "straight in the wavelength": (
        loop_llama3(share=lambda turns, low, high: cut(straight(1 / turns, 1 / low, 1 / high))),
        torch_llama3(share=lambda turns, low, high: straight(1 / turns, 1 / low, 1 / high).clamp(0, 1)),
    ),
    "position interpolation": (
        loop_llama3(mix=lambda frequency, kept, factor: frequency / factor),
        torch_llama3(share=lambda turns, low, high: torch.zeros_like(turns)),
    ),
    "not scaled": (
        loop_llama3(mix=lambda frequency, kept, factor: frequency),
        torch_llama3(share=lambda turns, low, high: torch.ones_like(turns)),
    ),
    "multiplied instead of divided": (
        loop_llama3(mix=lambda frequency, kept, factor: frequency * (kept + (1 - kept) * factor)),
        torch_llama3(mix=lambda frequencies, kept, s: torch.lerp(frequencies * s, frequencies, kept)),
    ),
    "scale applied twice": (
        loop_llama3(mix=lambda frequency, kept, s: frequency / s * (kept + (1 - kept) / s)),
        torch_llama3(mix=lambda frequencies, kept, s: torch.lerp(frequencies / s, frequencies, kept) / s),
    ),
    "wavelengths mixed": (
        loop_llama3(mix=lambda frequency, kept, s: 1 / (kept / frequency + (1 - kept) * s / frequency)),
        torch_llama3(mix=lambda frequencies, kept, s: 1 / torch.lerp(s / frequencies, 1 / frequencies, kept)),
    ),
    "kept part forgotten": (
        loop_llama3(mix=lambda frequency, kept, factor: frequency / factor - kept * frequency / factor),
        torch_llama3(mix=lambda frequencies, kept, factor: frequencies / factor * (1 - kept)),
    ),
    "shares returned": (
        loop_llama3(mix=lambda frequency, kept, factor: kept),
        torch_llama3(mix=lambda frequencies, kept, factor: kept),
    ),
}

ORACLES = {"ntk_frequencies": precise_ntk, "llama3_frequencies": llama3_by_wavelengths}
CATALOGUE = {
    "ntk_frequencies": (
        "exponent forgotten", "scale applied twice", "divided instead of multiplied", "exponent inverted",
        "position interpolation", "doubled exponent", "power before division",
    ),
    "llama3_frequencies": (
        "ramp the wrong way round", "turns upside down", "radians for turns", "not cut",
        "scale applied twice", "multiplied instead of divided",
    ),
}  # fmt: skip
STYLES = {"ntk_frequencies": NTK_STYLES, "llama3_frequencies": LLAMA3_STYLES}
