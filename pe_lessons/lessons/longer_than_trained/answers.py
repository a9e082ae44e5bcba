"""Right answers of lesson 13."""

import math

import numpy as np


def ntk_frequencies_arrays(head_dim, factor):
    base = 10_000.0
    growth = factor ** (head_dim / (head_dim - 2))
    new_base = base * growth
    exponents = np.arange(0, head_dim, 2) / head_dim  # (n_pairs,)
    frequencies = new_base**-exponents
    return frequencies


def ntk_frequencies_loop(head_dim, factor):
    log_base = math.log(10_000)
    log_growth = math.log(factor) * head_dim / (head_dim - 2)
    frequencies = []
    for pair in range(head_dim // 2):
        exponent = 2 * pair / head_dim
        frequency = math.exp(-exponent * (log_base + log_growth))
        frequencies.append(frequency)
    return frequencies


def llama3_frequencies_arrays(head_dim, rope_theta, factor, original_len, low_freq_factor, high_freq_factor):
    exponents = np.arange(0, head_dim, 2) / head_dim  # (n_pairs,)
    frequencies = rope_theta**-exponents
    turns = original_len * frequencies / (2 * np.pi)
    ramp = (turns - low_freq_factor) / (high_freq_factor - low_freq_factor)
    kept = ramp.clip(0, 1)
    return kept * frequencies + (1 - kept) * frequencies / factor


def llama3_frequencies_loop(head_dim, rope_theta, factor, original_len, low_freq_factor, high_freq_factor):
    changed = []
    for pair in range(head_dim // 2):
        frequency = 1 / rope_theta ** (2 * pair / head_dim)
        wavelength = 2 * math.pi / frequency  # tokens per turn
        turns = original_len / wavelength
        ramp = (turns - low_freq_factor) / (high_freq_factor - low_freq_factor)
        kept = min(1, max(0, ramp))
        slowed = frequency / factor
        changed.append(slowed + kept * (frequency - slowed))
    return changed
