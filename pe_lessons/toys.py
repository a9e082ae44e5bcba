"""Toy languages, the tiny Transformer that learns them, and one training loop."""

import itertools
import math

import torch
from torch import nn
from torch.nn import functional as F

ANIMALS = ("cat", "mouse", "dog", "fox", "bird", "snake", "horse", "frog")
VERBS = ("chased", "saw", "heard", "followed")


def who_chased_whom():
    """Every sentence "the A v the B ." of eight animals and four verbs, and who did it.

    Sentences 2n and 2n + 1 hold the same words, with the two animals exchanged.

    Returns
    -------
    sentences : list of str
        224 of them.
    tokens : Tensor of int64, shape (224, 6)
        Word numbers; animal number a is word number a.
    subjects : Tensor of int64, shape (224,)
        The number of the animal that comes first.

    Examples
    --------
    >>> sentences, tokens, subjects = who_chased_whom()
    >>> sentences[0], sentences[1]
    ('the cat chased the mouse .', 'the mouse chased the cat .')
    >>> subjects[:2]
    tensor([0, 1])
    """
    words = (*ANIMALS, *VERBS, "the", ".")
    sentences = [
        f"the {first} {verb} the {second} ."
        for one, other in itertools.combinations(ANIMALS, 2)
        for verb in VERBS
        for first, second in ((one, other), (other, one))
    ]
    tokens = torch.tensor([[words.index(word) for word in sentence.split()] for sentence in sentences])
    return sentences, tokens, tokens[:, 1]


class Block(nn.Module):
    """One Transformer block: ``x + Attention(LN x)``, then ``x + MLP(LN x)``."""

    def __init__(self, d_model, num_heads, causal):
        super().__init__()
        self.num_heads, self.causal = num_heads, causal
        self.norm_attention, self.norm_mlp = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.to_qkv = nn.Linear(d_model, 3 * d_model)
        self.to_out = nn.Linear(d_model, d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.GELU(), nn.Linear(2 * d_model, d_model))

    def forward(self, x):  # (batch, seq_len, d_model)
        batch, seq_len, d_model = x.shape
        qkv = self.to_qkv(self.norm_attention(x)).view(batch, seq_len, 3, self.num_heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # each (batch, num_heads, seq_len, head_dim)
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.to_out(heads.transpose(1, 2).reshape(batch, seq_len, d_model))
        return x + self.mlp(self.norm_mlp(x))


class TinyTransformer(nn.Module):
    """A Transformer small enough to train on one core in seconds; float64, so that runs agree.

    Parameters
    ----------
    vocab_size, num_classes : int
    d_model, num_heads, num_layers : int
    table : array_like, shape (max_len, d_model), optional
        Row p is added to the embedding of the token at position p; None adds nothing.
    causal : bool
        True lets each token look only at itself and the tokens before it.
    pool : bool
        True answers once a sequence, from the mean over its tokens; False once a token.
    """

    def __init__(
        self,
        vocab_size,
        num_classes,
        *,
        d_model=32,
        num_heads=1,
        num_layers=1,
        table=None,
        causal=False,
        pool=False,
    ):
        super().__init__()
        self.pool = pool
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.register_buffer("table", None if table is None else torch.as_tensor(table), persistent=False)
        self.blocks = nn.Sequential(*(Block(d_model, num_heads, causal) for _ in range(num_layers)))
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, num_classes)
        self.double()

    def forward(self, tokens, positions=None):
        """Scores of the classes; `positions` (seq_len,) replaces 0, 1, 2, ..."""
        x = self.embedding(tokens)  # (batch, seq_len, d_model)
        if self.table is not None:
            x = x + self.table[torch.arange(tokens.shape[1]) if positions is None else positions]
        x = self.norm(self.blocks(x))
        return self.head(x.mean(dim=1) if self.pool else x)


def train(model, batches, *, steps, lr=1e-2, print_every=40):
    """Train with AdamW, 20 steps of warm-up, then a cosine down to 0; leave the model in eval mode.

    Parameters
    ----------
    model : nn.Module
    batches : iterable of (tokens, targets)
        One pair a step; ``itertools.repeat((tokens, targets))`` shows the same batch each time.
    steps : int
    lr : float
        The highest learning rate.
    print_every : int
        Steps between two printed lines; each tells the loss and the accuracy on that step's batch.
    """
    torch.set_num_threads(1)  # threads cost such small models more than they give
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.0)
    model.train()
    batches = iter(batches)
    for step in range(1, steps + 1):
        tokens, targets = next(batches)
        warm_up, cosine = min(1.0, step / 20), 0.5 * (1 + math.cos(math.pi * (step - 1) / steps))
        optimizer.param_groups[0]["lr"] = lr * warm_up * cosine
        scores = model(tokens)  # (batch, num_classes) or (batch, seq_len, num_classes)
        loss = F.cross_entropy(scores.flatten(0, -2), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % print_every == 0:
            right = (scores.argmax(-1) == targets).double().mean().item()
            print(f"step {step:4d}   loss {loss.item():.2f}   right {right:6.1%}")
    model.eval()
