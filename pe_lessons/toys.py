"""Toy tasks, the tiny Transformer that learns them, and one training loop."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from pe_lessons import _arguments as arguments
from pe_lessons import tensors

IGNORE_INDEX = -100  # the target of a token that no answer is asked of; cross_entropy skips it


def reverse(tokens):
    """The task "read it backwards": token p is asked for token seq_len - 1 - p.

    >>> reverse(torch.tensor([[3, 1, 4, 5]]))
    tensor([[5, 4, 1, 3]])
    """
    return tokens.flip(-1)


def k_back(tokens, k=3):
    """The task "what stood k tokens ago": token p is asked for token p - k, the first k for nothing.

    >>> k_back(torch.tensor([[3, 1, 4, 5]]), k=1)
    tensor([[-100,    3,    1,    4]])
    """
    seq_len = tokens.shape[-1]
    k = arguments.whole_number("k", k, minimum=0)
    if k >= seq_len:
        raise ValueError(f"k must be below seq_len = {seq_len}, or no token is asked anything; got {k}")
    nothing = torch.full_like(tokens[..., :k], IGNORE_INDEX)
    return torch.cat([nothing, tokens[..., : seq_len - k]], dim=-1)


def batches(task, *, seed, seq_len=16, vocab_size=10, batch_size=32):
    """Random tokens and what `task` asks of them, for ever; the same for the same seed.

    Yields tokens and targets, Tensors of int64 (batch_size, seq_len).

    >>> tokens, targets = next(batches(reverse, seed=0, seq_len=5, batch_size=1))
    >>> tokens, targets
    (tensor([[4, 9, 3, 0, 3]]), tensor([[3, 0, 3, 9, 4]]))
    """
    generator = torch.Generator().manual_seed(seed)
    while True:
        tokens = torch.randint(vocab_size, (batch_size, seq_len), generator=generator)
        yield tokens, task(tokens)


def pad_left(texts, padding=0):
    """Texts as one batch: the shorter ones are filled up on the left.

    Returns the tokens, whether each is one of its text, and its place in that text, 0 for padding: three
    Tensors (batch, longest).

    >>> tokens, real, positions = pad_left([torch.tensor([7, 8, 9]), torch.tensor([5])])
    >>> tokens, positions
    (tensor([[7, 8, 9],
            [0, 0, 5]]), tensor([[0, 1, 2],
            [0, 0, 0]]))
    """
    longest = max(map(len, texts))
    gaps = torch.tensor([longest - len(text) for text in texts])[:, None]  # (batch, 1)
    places = torch.arange(longest) - gaps  # (batch, longest), below 0 for padding
    real = places >= 0
    tokens = torch.full(real.shape, padding)
    tokens[real] = torch.cat(texts)
    return tokens, real, places.clamp(min=0)


class Encoding(nn.Module):
    """The three places where a Transformer can be told about positions; this one tells it nothing.

    A kind of encoding overrides one of the methods. `positions` has the shape (seq_len,); `Table`,
    `Rotary` and `ALiBi` also take a row for each text, (batch, seq_len).
    """

    lr_factor = 1.0  # how much faster than the model its own parameters learn

    def add(self, x, positions):
        """To the embeddings `x` (batch, seq_len, d_model), once, before the first block."""
        return x

    def turn(self, rows, positions):
        """To the queries, and to the keys, (batch, num_heads, seq_len, head_dim) of each block."""
        return rows

    def bias(self, queries, positions):
        """To the scores of each block: (num_heads, n_q, n_k), for query m and key n at [head, m, n].

        `positions` are those of the keys. The last n_q of them are those of the queries, and a bias for
        all keys as queries will do.
        `queries` (batch, num_heads, seq_len, head_dim), should it depend on them, puts a batch axis first.
        """
        return 0.0

    def scores(self, queries, keys, positions):
        """What the softmax gets, (batch, num_heads, n_q, n_k), of queries and keys that are turned.

        `positions` are those of the keys; the queries are the last of them.
        """
        products = queries @ keys.transpose(-1, -2) / math.sqrt(queries.shape[-1])
        bias = torch.as_tensor(self.bias(queries, positions))
        return products + (bias[..., -queries.shape[-2] :, :] if bias.ndim else bias)


class Table(Encoding):
    """Row p of a table is added to the embedding of the token at position p.

    Of shape (max_len, d_model); `learned` lets training change the rows, which begin as given.
    """

    def __init__(self, table, learned=False):
        super().__init__()
        table = torch.as_tensor(table, dtype=torch.float64)
        if learned:
            self.table = nn.Parameter(table.clone())
        else:
            self.register_buffer("table", table, persistent=False)

    def add(self, x, positions):
        return x + self.table[positions]


class Rotary(Encoding):
    """Queries and keys are turned by an angle that grows with their position."""

    def __init__(self, *, base=10_000.0, layout="interleaved", scaling=None):
        super().__init__()
        self.options = {"base": base, "layout": layout, "scaling": scaling}

    def turn(self, rows, positions):
        return tensors.rotary(rows, positions, **self.options)


class Shaw(Encoding):
    """A score grows by what its query is told about the distance to its key, up to `max_distance`.

    The same learned table for all heads, as in the paper.
    """

    lr_factor = 10.0  # its rows begin at 0

    def __init__(self, head_dim, max_distance):
        super().__init__()
        max_distance = arguments.whole_number("max_distance", max_distance, minimum=0)
        self.table = nn.Parameter(torch.zeros(2 * max_distance + 1, head_dim, dtype=torch.float64))

    def bias(self, queries, positions):
        return tensors.shaw_bias(queries, self.table, positions=positions)


class ALiBi(Encoding):
    """A score loses in proportion to the distance between its query and its key.

    `slopes`, (num_heads,), are what each head takes off per token: ``tensors.alibi_slopes(num_heads)`` in the
    paper.
    """

    def __init__(self, slopes):
        super().__init__()
        self.register_buffer("slopes", torch.as_tensor(slopes, dtype=torch.float64), persistent=False)

    def bias(self, queries, positions):
        distances = (positions[..., :, None] - positions[..., None, :]).abs()  # (n_q, n_k)
        return -self.slopes[:, None, None] * distances[..., None, :, :]  # (num_heads, n_q, n_k)


class T5(Encoding):
    """Each head learns one number for each of 32 buckets of distances, and adds it to the scores."""

    lr_factor = 10.0  # they begin at 0 and have to grow to 10 or so

    def __init__(self, num_heads=1):
        super().__init__()
        self.per_bucket = nn.Parameter(torch.zeros(num_heads, 32, dtype=torch.float64))

    def bias(self, queries, positions):
        return tensors.t5_bias(len(positions), self.per_bucket.T, positions=positions)


class Block(nn.Module):
    """One Transformer block: ``x + Attention(LN x)``, then ``x + MLP(LN x)``.

    After each call `weights` holds the attention weights, (batch, num_heads, n_q, n_k).
    """

    def __init__(self, d_model, num_heads=1, causal=False):
        super().__init__()
        self.num_heads, self.causal = num_heads, causal
        self.norm_attention, self.norm_mlp = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.to_qkv = nn.Linear(d_model, 3 * d_model)
        self.to_out = nn.Linear(d_model, d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.GELU(), nn.Linear(2 * d_model, d_model))

    def forward(self, x, encoding, positions, mask=None, cache=None):  # x: (batch, seq_len, d_model)
        batch, seq_len, d_model = x.shape
        qkv = self.to_qkv(self.norm_attention(x)).view(batch, seq_len, 3, self.num_heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # each (batch, num_heads, seq_len, head_dim)
        q, k = encoding.turn(q, positions), encoding.turn(k, positions)
        if cache is not None:
            new = {"keys": (k, -2), "values": (v, -2), "positions": (positions, -1)}
            for name, (rows, axis) in new.items():
                cache[name] = torch.cat([cache[name], rows], axis) if name in cache else rows
            k, v, positions = cache["keys"], cache["values"], cache["positions"]
        scores = encoding.scores(q, k, positions)  # (batch, num_heads, n_q, n_k)
        if mask is not None:  # not -inf: a query that is padding may see nothing, and its row would be NaN
            scores = scores.masked_fill(~mask.bool().unsqueeze(-3), -1e9)
        if self.causal:
            n_k = k.shape[-2]
            future = torch.ones(seq_len, n_k, dtype=torch.bool).triu(1 + n_k - seq_len)
            scores = scores.masked_fill(future, -math.inf)
        weights = scores.softmax(dim=-1)
        self.weights = weights.detach()
        x = x + self.to_out((weights @ v).transpose(1, 2).reshape(batch, seq_len, d_model))
        return x + self.mlp(self.norm_mlp(x))


class TinyTransformer(nn.Module):
    """A Transformer small enough to train on one core in seconds; float64, so that runs agree.

    `encoding` is what it is told about positions, nothing if left out; a `table` (max_len, d_model) is short
    for ``encoding=Table(table)``. With `causal`, each token looks only at itself and the tokens before it.
    With `pool`, it answers once a sequence, from the mean over its tokens, and else once a token.
    """

    def __init__(
        self,
        vocab_size,
        num_classes,
        *,
        d_model=32,
        num_heads=1,
        num_layers=1,
        encoding=None,
        table=None,
        causal=False,
        pool=False,
    ):
        super().__init__()
        if encoding is not None and table is not None:
            raise ValueError("encoding and table are two ways to say the same: give one of them")
        self.pool = pool
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.blocks = nn.ModuleList(Block(d_model, num_heads, causal) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, num_classes)
        self.encoding = encoding or (Encoding() if table is None else Table(table))
        self.double()

    def empty_cache(self):
        """A dict for each block; `forward` puts its ``keys``, ``values`` and ``positions`` there."""
        return [{} for _ in self.blocks]

    def forward(self, tokens, positions=None, mask=None, cache=None):
        """Scores of the classes for new tokens (batch, n_q), an int64 Tensor.

        `positions`, (n_q,) or (batch, n_q), are what the model is told instead of 0, 1, 2, ... The `mask`,
        bool or 0 and 1, (n_q, n_k) or (batch, n_q, n_k), says where query m may look at key n, besides
        `causal`; an axis may be 1 long. The keys are those in the `cache`, from `empty_cache`, then the new
        ones: these are put behind those that are in it, keys as they are turned.
        """
        if positions is None:
            positions = torch.arange(tokens.shape[1])
        x = self.encoding.add(self.embedding(tokens), positions)  # (batch, n_q, d_model)
        for block, kept in zip(self.blocks, cache or [None] * len(self.blocks)):
            x = block(x, self.encoding, positions, mask, kept)
        x = self.norm(x)
        return self.head(x.mean(dim=1) if self.pool else x)


def train(model, batches, *, steps, lr=1e-2, print_every=40):
    """Train with Adam, 20 steps of warm-up, then a cosine down to 0; leave the model in eval mode.

    `model.history` then holds the share of right answers of every step, on its batch before learning
    from it. `batches` hold a pair (tokens, targets) for every step; ``itertools.repeat((tokens, targets))``
    shows the same batch each time. `lr` is the highest learning rate; a module with an `lr_factor` learns
    faster by that factor. A line is printed after so many steps, with the loss and the accuracy on that
    step's batch; None prints nothing.
    """
    steps = arguments.whole_number("steps", steps, minimum=0)
    torch.set_num_threads(1)  # threads cost such small models more than they give
    factors = {
        parameter: getattr(module, "lr_factor", 1.0)
        for module in model.modules()
        for parameter in module.parameters(recurse=False)
    }
    averages = {one: (torch.zeros_like(one), torch.zeros_like(one)) for one in factors}
    model.train()
    model.history = []
    for step, (tokens, targets) in zip(range(1, steps + 1), batches):
        warm_up, cosine = min(1.0, step / 20), 0.5 * (1 + math.cos(math.pi * (step - 1) / steps))
        scores = model(tokens)  # (batch, num_classes) or (batch, seq_len, num_classes)
        loss = F.cross_entropy(scores.flatten(0, -2), targets.flatten())
        model.zero_grad()
        loss.backward()
        for parameter, factor in factors.items():
            _adam(parameter, *averages[parameter], step, lr * factor * warm_up * cosine)
        model.history.append(accuracy_of(scores, targets))
        if print_every and step % print_every == 0:
            print(f"step {step:4d}   loss {loss.item():.2f}   right {model.history[-1]:6.1%}")
    model.eval()
    if len(model.history) < steps:
        raise ValueError(
            f"batches must hold a pair for each of the {steps} steps, got {len(model.history)}: "
            "itertools.repeat((tokens, targets)) shows one again and again"
        )


@torch.no_grad()
def _adam(parameter, mean, square, step, lr):
    """Adam's step, bit for bit that of torch.optim, whose first call loads a compiler for a second."""
    if parameter.grad is None:
        return
    mean.lerp_(parameter.grad, 1 - 0.9)
    square.mul_(0.999).addcmul_(parameter.grad, parameter.grad, value=1 - 0.999)
    root = (square.sqrt() / math.sqrt(1 - 0.999**step)).add_(1e-8)
    parameter.addcdiv_(mean, root, value=-lr / (1 - 0.9**step))


def accuracy(model, tokens, targets, positions=None):
    """Share of right answers, among the tokens that are asked for one, told `positions` if given."""
    with torch.no_grad():
        share = accuracy_of(model(tokens, positions), targets)
    for block in model.blocks:
        block.weights = None  # of long texts they are far larger than the model
    return share


def accuracy_of(scores, targets):
    """Share of targets that have the highest score; those that are IGNORE_INDEX do not count."""
    asked = targets != IGNORE_INDEX
    return (scores.argmax(-1) == targets)[asked].double().mean().item()


def attention_weights(model, tokens, positions=None):
    """What each token looks at, in the last block: (batch, num_heads, n_q, n_k).

    Row m of a map holds the weights that token m gives, and sums to 1.
    """
    with torch.no_grad():
        model(tokens, positions)
    return model.blocks[-1].weights
