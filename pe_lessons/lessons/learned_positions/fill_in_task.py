"""The task of the lesson: strings in which the token seldom changes, half of it hidden."""

import torch

from pe_lessons import toys

HIDDEN = 8  # tokens are 0 to 7
SEQ_LEN = 32


def fill_in(seed, batch_size=32):
    """Strings with gaps, and what is in the gaps, for ever; the same for the same seed.

    At each place a new token is drawn with probability 0.15 and kept until the next change. Half of the
    places are hidden, and only they are asked for.

    Yields
    ------
    seen, asked : Tensors of int64, shape (batch_size, 32)
    """
    generator = torch.Generator().manual_seed(seed)
    while True:
        changes = torch.rand(batch_size, SEQ_LEN, generator=generator) < 0.15
        fresh = torch.randint(8, (batch_size, SEQ_LEN), generator=generator)
        last_change = torch.where(changes, torch.arange(SEQ_LEN), 0).cummax(dim=1).values
        tokens = fresh.gather(1, last_change)
        hidden = torch.rand(tokens.shape, generator=generator) < 0.5
        yield tokens.where(~hidden, HIDDEN), tokens.where(hidden, toys.IGNORE_INDEX)


def nearest_visible(seen, asked):
    """The fraction of the gaps that the nearest visible token fills right; of two, the one before."""
    places = torch.arange(seen.shape[1])
    distances = (places[:, None] - places).abs()  # (seq_len, seq_len)
    in_sight = (seen != HIDDEN)[:, None]  # (batch, 1, seq_len)
    nearest = distances.where(in_sight, 2 * seen.shape[1]).argmin(dim=-1)  # (batch, seq_len)
    gaps = asked != toys.IGNORE_INDEX
    return (seen.gather(1, nearest) == asked)[gaps].double().mean().item()
