"""A small model whose only layer has a state and no positions, and the task that asks what it keeps."""

import functools

import torch
from torch import nn

from pe_lessons import tensors, toys
from pe_lessons.toys import IGNORE_INDEX

KEYS, VALUES = 3, 3


def last_wins(tokens):
    """The task "what was written last?": of 12 words, 9 write one of 3 values under one of 3 keys, 3 ask.

    Word 3 * key + value writes; word 9 + key asks for the value that was written last under the key.

    >>> last_wins(torch.tensor([[4, 5, 10]]))  # 1 under key 1, then 2 under key 1: what is under key 1?
    tensor([[-100, -100,    2]])
    """
    targets, places = torch.full_like(tokens, IGNORE_INDEX), torch.arange(tokens.shape[-1])
    for key in range(KEYS):
        writes = torch.where(tokens // VALUES == key, places, -1)
        last = writes.cummax(dim=-1).values  # (batch, seq_len), -1 before the first
        value = tokens.gather(-1, last.clamp(min=0)) % VALUES
        asked = (tokens == KEYS * VALUES + key) & (last >= 0)
        targets = torch.where(asked, value, targets)
    return targets


class Memory(nn.Module):
    """One layer that updates a state, and one that thinks about what was read. There is no position anywhere.

    `fades` and `overwrites` are what the state does; with `width` above 1 a short convolution mixes the
    queries, keys and values first.
    """

    def __init__(self, num_words, num_answers, *, fades=False, overwrites=False, width=1, d_model=32):
        super().__init__()
        self.fades, self.overwrites = fades, overwrites
        self.embedding, self.norm = nn.Embedding(num_words, d_model), nn.LayerNorm(d_model)
        now = torch.eye(width)[-1]  # at first the convolution changes little
        self.mix = nn.Parameter(now + 0.1 * torch.randn(3 * d_model, width)) if width > 1 else None
        self.to_qkv, self.to_rates = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, 2)
        nn.init.constant_(self.to_rates.bias, 2.0)  # at first little is forgotten
        thinking = nn.LayerNorm(d_model), nn.Linear(d_model, 64), nn.ReLU(), nn.Linear(64, d_model)
        self.think, self.head = nn.Sequential(*thinking), nn.Linear(d_model, num_answers)
        self.blocks = ()

    def forward(self, tokens, positions=None):
        x = self.embedding(tokens)  # (batch, seq_len, d_model)
        normed = self.norm(x)
        qkv = self.to_qkv(normed)
        if self.mix is not None:
            qkv, _ = tensors.short_convolution(qkv, self.mix)
        q, k, v = qkv.chunk(3, dim=-1)
        q, k = (nn.functional.normalize(one, dim=-1) for one in (q, k))
        gates, beta = self.to_rates(normed).sigmoid().unbind(dim=-1)  # (batch, seq_len) each
        options = {"gates": gates if self.fades else None}
        if self.overwrites:
            read, _ = tensors.delta_rule(q, k, v, beta, **options)
        else:
            read, _ = tensors.linear_attention(q, k, v, **options)
        x = x + read
        return self.head(x + self.think(x))  # (batch, seq_len, num_answers)

    @torch.no_grad()
    def gates(self):
        """The gate that each word makes (num_words,)."""
        return self.to_rates(self.norm(self.embedding.weight))[:, 0].sigmoid()


def back(k):
    """The task "what stood k tokens ago"."""
    return functools.partial(toys.k_back, k=k)


def show(task):
    """Print a short text of a task, with the answers under the tokens that are asked for one.

    >>> show(back(3))
      text   1   6   6   7   0   2   7   1   4   7   5   6   3   7   8   7
    answer               1   6   6   7   0   2   7   1   4   7   5   6   3
    """
    words = [f"{key}={value}" for key in "ABC" for value in (1, 2, 3)] + ["A?", "B?", "C?"]
    vocab_size = len(words) if task is last_wins else 10
    tokens, answers = next(toys.batches(task, seed=23, vocab_size=vocab_size, batch_size=1))
    first, names = (1, words) if task is last_wins else (0, range(10))
    texts = [names[token] for token in tokens[0]]
    said = ["" if one == IGNORE_INDEX else one + first for one in answers[0].tolist()]
    for name, row in (("text", texts), ("answer", said)):
        print(f"{name:>6}", *(f"{one:>3}" for one in row))


def guess(task, *, seed=0):
    """Accuracy of a guess: the value written most often under the key, or the most frequent token.

    A tie is decided by lot.
    """
    words = 12 if task is last_wins else 10
    tokens, targets = next(toys.batches(task, seed=seed, vocab_size=words, batch_size=5000))
    asked = targets != IGNORE_INDEX
    counts = nn.functional.one_hot(tokens, words).cumsum(dim=-2)[asked]  # (asked, words)
    rows = torch.arange(len(counts))
    if task is last_wins:
        of_keys = counts[:, : KEYS * VALUES].unflatten(-1, (KEYS, VALUES))
        counts = of_keys[rows, tokens[asked] - KEYS * VALUES]  # (asked, values)
    most = counts == counts.amax(dim=-1, keepdim=True)
    return (most[rows, targets[asked]] / most.sum(dim=-1)).mean().item()


def accuracy(task, **how):
    """Accuracy on new texts of a `Memory` of this kind, trained for `steps` steps."""
    return trained(task, **how)[1]


def trained(task, *, seed=0, steps=80, **how):
    """A `Memory` of this kind after `steps` steps, and its accuracy on new texts."""
    words, answers = (12, VALUES) if task is last_wins else (10, 10)
    torch.manual_seed(seed)
    model = Memory(words, answers, **how)
    toys.train(model, toys.batches(task, seed=seed, vocab_size=words), steps=steps, lr=0.02, print_every=None)
    test = toys.batches(task, seed=seed + 1000, vocab_size=words, batch_size=512)
    return model, toys.accuracy(model, *next(test))
