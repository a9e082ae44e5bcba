"""The one claim of lesson 14 that depends on chance. All else there is arithmetic."""

import torch

from evidence.claims.runner import between, each_seed, equal_to
from evidence.claims.training import of_lesson, test_set, trained
from pe_lessons import arrays

lesson = of_lesson("14")


def masked():
    return lesson.Masked(arrays.sinusoidal(32, 32))


def write(model, tokens, real, count, steps=6):
    for _ in range(steps):
        model.encoding.real = real.bool()
        scores = model(tokens, count(real))
        tokens = torch.cat([tokens, scores[:, -1:].argmax(dim=-1)], dim=1)
        real = torch.cat([real, torch.ones_like(real[:, :1])], dim=1)
    return tokens[:, -steps:]


@each_seed
def padded_prompts(seed):
    """Half of the way back, a prompt padded on the left, six tokens written"""
    model = trained(masked, lesson.halfway, seed, causal=True)
    prompts = test_set(lesson.halfway, seed)[0][:, :6]
    real, padding = torch.ones_like(prompts), torch.zeros(512, 4, dtype=torch.long)
    alone = write(model, prompts, real, lesson.from_the_mask)
    padded = torch.cat([padding, prompts], dim=1), torch.cat([padding, real], dim=1)
    equal = torch.equal(write(model, *padded, lesson.from_the_mask), alone)
    yield "padded as alone, positions from the mask", equal, equal_to(True)
    alike = (write(model, *padded, lesson.from_the_left_edge) == alone).double().mean().item()
    yield "padded as alone, counted from the left edge", alike, between(0.05, 0.15)  # printed as 0.1
