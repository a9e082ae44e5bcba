"""The claims of lesson 12 that depend on chance. The lesson itself trains with seed 0."""

import functools
import itertools

import torch
from torch.nn.functional import cross_entropy

from evidence.claims.run_claims import at_least, below, between, each_seed, who_learns
from evidence.claims.train_on_another_seed import kept, of_lesson, share_right, train
from pe_lessons import arrays, toys
from pe_lessons.lessons.learned_positions import fill_in_task as task

lesson = of_lesson("learned_positions")


class Added(toys.Encoding):
    def add(self, x, positions):
        return x + torch.tensor(arrays.sinusoidal(128, 32))[positions]


class Scaled(Added):
    def add(self, x, positions):
        return super().add(x * 32**0.5, positions)


class Concatenated(toys.Encoding):
    """The word keeps 16 columns, and the position gets the other 16."""

    def add(self, x, positions):
        rows = torch.tensor(arrays.sinusoidal(128, 16))[positions]  # (seq_len, 16)
        return torch.cat([x[..., :16], rows.expand(len(x), -1, -1)], dim=-1)


def learned(std):
    """A learned table of 40 random rows."""
    return toys.Table(torch.randn(40, 32, dtype=torch.float64) * std, learned=True)


@kept
def filled(seed, word_std, table_std, steps=400):
    """A model that learned to fill gaps, the share it fills right, and the 32 rows that were trained."""
    encoding = functools.partial(learned, table_std)
    options = {"sizes": (9, 8), "num_heads": 2, "lr": 5e-3, "word_std": word_std, "steps": steps}
    model = train(seed, task.fill_in(1000 + seed), encoding, **options)
    share = toys.accuracy(model, *next(task.fill_in(2000 + seed, batch_size=512)))
    return model, share, model.encoding.table[:32].detach().numpy()


STARTS = {  # deviation of words and of table; of the share filled, of the neighbours' cosine, of loudness
    "quiet table": (0.3, 0.02, [at_least(0.75).at(1, 2)], at_least(0.5), between(1.4, 2.2).at(1)),
    "quieter table": (0.3, 0.0006, [at_least(0.75).at(1, 2)], at_least(0.5), between(1.4, 2.2).at(1)),
    "both loud": (1.0, 1.0, [at_least(0.75).at(1)], below(0.25), between(0.8, 1.3).at(1)),
    "loud table": (0.3, 1.0, [at_least(0.75)], below(0.25), below(1).at(1)),
    "loud words": (
        *(1.0, 0.02, [between(0.4, 0.6).at(0.5, 1), at_least(0.75).at(2)], at_least(0.5)),
        between(6, 14).at(1),
    ),
}


@who_learns
@each_seed
def three_starts(seed):
    """Three starts: gaps filled right, the same with shuffled rows, and the neighbours' mean cosine"""
    order = torch.randperm(32, generator=torch.Generator().manual_seed(2))
    test = next(task.fill_in(2000 + seed, batch_size=512))
    for name, (word_std, table_std, of_share, of_cosine, of_loudness) in STARTS.items():
        model, share, after = filled(seed, word_std, table_std)
        yield name, share, *of_share
        shuffled = toys.accuracy(model, *test, order)
        yield f"{name}, shuffled", shuffled, below(0.5)
        yield f"{name}, neighbours' mean cosine", lesson.neighbours(after), of_cosine
        words, rows = (
            one.detach().norm(dim=1).mean() for one in (model.embedding.weight, model.encoding.table[:32])
        )
        yield f"{name}, how many times as loud as rows words are", (words / rows).item(), of_loudness
    mirrored = toys.accuracy(filled(seed, 0.3, 0.02)[0], *test, torch.arange(31, -1, -1))
    yield "quiet table, reversed", mirrored, at_least(0.75).at(1, 2)
    torch.manual_seed(seed)  # the loud table, as it began and as it became
    turned = torch.cosine_similarity(learned(1.0).table[:32], torch.tensor(filled(seed, 0.3, 1.0)[2]))
    yield "loud table, a row's cosine with its start", turned.mean().item(), at_least(0.9).at(0.5, 1)


@each_seed
def first_pushes(seed):
    """The quiet table before training: similarity of its rows' gradients, mean of ten batches"""
    for name, word_std in (("quiet words", 0.3), ("loud words", 1.0)):
        torch.manual_seed(seed)
        model = toys.TinyTransformer(9, 8, num_heads=2, encoding=learned(0.02))
        torch.nn.init.normal_(model.embedding.weight, std=word_std)
        similar = 0
        for tokens, asked in itertools.islice(task.fill_in(2000 + seed), 10):
            model.zero_grad()
            logits = model(tokens).flatten(0, 1)
            cross_entropy(logits, asked.flatten(), ignore_index=toys.IGNORE_INDEX).backward()
            similar += lesson.cosines(model.encoding.table.grad[:32].numpy()) / 10
        yield f"{name}: neighbours", similar.diagonal(1).mean(), between(0.15, 0.4)
        yield f"{name}: 12 apart", similar.diagonal(12).mean(), below(0)


@each_seed
def loud_words(seed):
    """The table quiet (0.02), words loud (1)"""
    _, share, after = filled(seed, 1.0, 0.02, steps=1200)
    yield "with 1200 steps", share, at_least(0.75)
    yield "neighbours' mean cosine then", lesson.neighbours(after), at_least(0.8)


@who_learns
@each_seed
def word_and_position(seed):
    """The scale of the embeddings, and adding or concatenating (three back)"""
    quiet, as_in_torch = {"word_std": 32**-0.5}, {"word_std": 1.0}
    for name, encoding, options in (
        ("side by side", Concatenated, {}),
        ("paper", Scaled, quiet),
        ("paper, factor forgotten", Added, quiet),
        ("nn.Embedding", Added, as_in_torch),
    ):
        share = share_right(encoding, toys.k_back, seed, **options)
        yield name, share, at_least(0.85), at_least(0.98).at(1, 2)
    yield "nn.Embedding x root", share_right(Scaled, toys.k_back, seed, **as_in_torch), below(0.4)
    patient = share_right(Scaled, toys.k_back, seed, steps=600, **as_in_torch)
    by_rate = between(0.2, 0.35).at(0.5), between(0.43, 0.965).at(1), at_least(0.7).at(2)
    yield "nn.Embedding x root, 600 steps", patient, *by_rate
