"""A language model of four layers and a server that answers with it, in one file of plain PyTorch.

Two layers see a window of 8 tokens, and two see everything. RoPE has one base for each kind of layer. Heads
of queries share heads of keys and values. Prompts of different length are read as one batch with padding on
the left, and a KV cache keeps what was read. The weights are random: bookkeeping doesn't depend on weights.

Each function says what it should do, and all functions but one do it.

    python -m pe_lessons.lessons.the_clinic.server     # answers five requests, alone and in service
"""

from dataclasses import dataclass, field

import torch
from torch import nn
from torch.nn.functional import rms_norm, silu

LETTERS = "abcdefghijklmnopqrstuvwxyz "
WISHES = [  # prompts, and how many letters to write
    ("cow", 5),
    ("goat", 18),
    ("frog", 18),
    ("hen", 2),
    ("hippopotamus", 3),
]


@dataclass
class Config:
    vocab_size: int = len(LETTERS)
    width: int = 48
    heads: int = 4
    groups: int = 2  # heads of keys and values
    head_dim: int = 12
    windows: tuple = (8, None, 8, None)  # one entry for each layer; None: it sees everything
    base_near: float = 100.0  # of the layers with a window
    base_far: float = 10_000.0


def encode(text):
    """The tokens of a text, (seq_len,)."""
    return torch.tensor([LETTERS.index(letter) for letter in text])


def frequencies(head_dim, base):
    """(head_dim / 2,) radians per token, in float64."""
    pairs = torch.arange(head_dim // 2, dtype=torch.float64)
    return base ** (-2 * pairs / head_dim)


def rotated(x, positions, base):
    """RoPE in the half layout: column i and column i + head_dim / 2 are a pair.

    x: (batch, heads, seq_len, head_dim); positions: (batch, seq_len).
    """
    angles = positions[:, None, :, None] * frequencies(x.shape[-1], base)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


def count_real(real):
    """Positions that count the real tokens only: 0 at the first one of each text. Padding gets 0, too."""
    return (real.cumsum(dim=1) - 1).clip(min=0)


def may_see(queries, keys, window=None, mask=None):
    """Which keys each query may look at, (batch or 1, 1, n_q, n_k).

    queries, keys: the columns in which they stand, counted in the whole batch, padding included.
    window: how many keys are in sight, the query's own included.
    mask: (batch, columns), True for real tokens; or (batch, columns, columns), True where a token may look.
    A token always sees itself, so that padding has something to look at.
    """
    back = queries[:, None] - keys
    near = back >= 0
    if window is not None:
        near = near & (back < window)
    if mask is None:
        return near[None, None]
    seen = mask[:, None, keys] if mask.ndim == 2 else mask[:, queries][:, :, keys]
    return (near & seen | (back == 0))[:, None]


def attend(q, k, v, allowed):
    """Attention in which neighbouring heads of queries share a head of keys and values."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], dim=1) for x in (k, v))
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return scores.masked_fill(~allowed, -torch.inf).softmax(dim=-1) @ v


@dataclass
class Layer:
    """Rotated keys, and values, of the last columns: all of them, or those that a window can still reach."""

    window: int | None
    k: torch.Tensor | None = None  # (batch, groups, kept, head_dim)
    v: torch.Tensor | None = None

    def add(self, k, v):
        """Put new keys and values after the old ones. Returns all that the new queries may need.

        A layer with a window then forgets what no later query can reach. The next query sees itself and
        window - 1 others.
        """
        if self.k is not None:
            k, v = torch.cat([self.k, k], dim=2), torch.cat([self.v, v], dim=2)
        keep = k.shape[2] if self.window is None else self.window - 1
        first = max(0, k.shape[2] - keep)
        self.k, self.v = k[:, :, first:], v[:, :, first:]
        return k, v


class Cache:
    """What a model keeps of a batch of texts: a `Layer` for each layer, and how many columns were read."""

    def __init__(self, config):
        self.layers = [Layer(window) for window in config.windows]
        self.columns = 0

    def pick(self, stay):
        """Keep only some requests of the batch. stay: (batch,), True for those that stay."""
        for layer in self.layers:
            layer.k, layer.v = layer.k[stay], layer.v[stay]

    def cut(self, spare):
        """Drop the first `spare` columns of the batch."""
        self.columns -= spare
        for layer in self.layers:
            layer.k, layer.v = layer.k[:, :, spare:], layer.v[:, :, spare:]


class Attention(nn.Module):
    def __init__(self, config, window):
        super().__init__()
        self.config, self.window = config, window
        self.base = config.base_far if window is None else config.base_near
        self.to_q = nn.Linear(config.width, config.heads * config.head_dim, bias=False)
        self.to_kv = nn.Linear(config.width, 2 * config.groups * config.head_dim, bias=False)
        self.to_out = nn.Linear(config.heads * config.head_dim, config.width, bias=False)

    def forward(self, x, positions, mask, layer, columns):
        """x: (batch, n_q, width), the last n_q of so many columns."""
        batch, n_q, _ = x.shape
        q = self.to_q(x).view(batch, n_q, -1, self.config.head_dim).transpose(1, 2)
        kv = self.to_kv(x).view(batch, n_q, 2, -1, self.config.head_dim)
        k, v = kv.permute(2, 0, 3, 1, 4)
        q, k = rotated(q, positions, self.base), rotated(k, positions, self.base)
        if layer is not None:
            k, v = layer.add(k, v)
        queries = torch.arange(columns - n_q, columns)
        keys = torch.arange(columns - k.shape[2], columns)
        out = attend(q, k, v, may_see(queries, keys, self.window, mask))
        return self.to_out(out.transpose(1, 2).reshape(batch, n_q, -1))


class Block(nn.Module):
    def __init__(self, config, window):
        super().__init__()
        self.attention = Attention(config, window)
        self.up = nn.Linear(config.width, 2 * config.width, bias=False)
        self.down = nn.Linear(2 * config.width, config.width, bias=False)

    def forward(self, x, *where):
        x = x + self.attention(rms_norm(x, x.shape[-1:]), *where)
        return x + self.down(silu(self.up(rms_norm(x, x.shape[-1:]))))


class Decoder(nn.Module):
    def __init__(self, config=None):
        super().__init__()
        self.config = config or Config()
        self.embedding = nn.Embedding(self.config.vocab_size, self.config.width)
        self.blocks = nn.ModuleList(Block(self.config, window) for window in self.config.windows)
        self.head = nn.Linear(self.config.width, self.config.vocab_size, bias=False)

    def forward(self, tokens, position_ids=None, mask=None, cache=None):
        """Scores for the token after each token, (batch, n_q, vocab_size), and the cache.

        tokens: (batch, n_q), which follow those in the cache. mask: as in `may_see`, with a column for each
        token in the cache and each new one. Without position_ids, real tokens are counted.
        """
        n_q, cache = tokens.shape[1], cache or Cache(self.config)
        cache.columns += n_q
        if position_ids is None and mask is not None and mask.ndim == 2:
            position_ids = count_real(mask)[:, -n_q:]
        elif position_ids is None:
            position_ids = torch.arange(cache.columns - n_q, cache.columns)[None]
        x = self.embedding(tokens)
        for block, layer in zip(self.blocks, cache.layers):
            x = block(x, position_ids, mask, layer, cache.columns)
        return self.head(rms_norm(x, x.shape[-1:])), cache


def random_model(seed=0, **options):
    """A model with random weights, so large that it looks at some tokens far more than at others."""
    torch.manual_seed(seed)
    model = Decoder(Config(**options)).double().requires_grad_(False)
    for name, weight in model.named_parameters():
        weight.normal_(std=1.0 if "embedding" in name else weight.shape[1] ** -0.5)
        if "to_q" in name or "to_kv" in name:
            weight *= 1.5
    return model


def pad_left(texts):
    """Texts as a batch with padding on the left: tokens and real, (batch, longest) each."""
    longest = max(map(len, texts))
    tokens = torch.zeros(len(texts), longest, dtype=torch.long)
    real = torch.zeros(len(texts), longest, dtype=torch.bool)
    for row, text in enumerate(texts):
        tokens[row, longest - len(text) :] = text
        real[row, longest - len(text) :] = True
    return tokens, real


def pack(texts):
    """Texts laid end to end in one row: tokens, positions and mask, (1, n), (1, n) and (1, n, n)."""
    owner = torch.cat([torch.full((len(text),), number) for number, text in enumerate(texts)])
    positions = torch.cat([torch.arange(len(text)) for text in texts])
    return torch.cat(texts)[None], positions[None], (owner[:, None] == owner)[None]


@dataclass
class Request:
    prompt: str
    length: int  # letters to write
    answer: str = ""
    scores: list = field(default_factory=list)  # (vocab_size,) for each letter of the answer


class Server:
    """Answers requests together. Those that have their answer leave, and the others go on."""

    def __init__(self, model):
        self.model = model

    def start(self, requests):
        """Read all prompts in one batch."""
        self.waiting = list(requests)
        tokens, self.real = pad_left([encode(request.prompt) for request in requests])
        scores, self.cache = self.model(tokens, mask=self.real)
        self.write(scores[:, -1])

    def write(self, scores):
        """Give each text its next letter, the one with the highest score."""
        self.newest = scores.argmax(dim=-1)
        for request, row, token in zip(self.waiting, scores, self.newest.tolist()):
            request.scores.append(row)
            request.answer += LETTERS[token]

    def step(self):
        """Read the newest letters, and write the next ones."""
        self.tidy()
        self.real = torch.cat([self.real, torch.ones_like(self.real[:, :1])], dim=1)
        scores, self.cache = self.model(self.newest[:, None], mask=self.real, cache=self.cache)
        self.write(scores[:, -1])

    def release(self):
        """Let the requests leave that have their answer."""
        stay = torch.tensor([len(request.answer) < request.length for request in self.waiting])
        self.waiting = [request for request, stays in zip(self.waiting, stay) if stays]
        self.newest, self.real = self.newest[stay], self.real[stay]
        self.cache.pick(stay)

    def tidy(self):
        """Drop what no text looks at any more, now and then."""
        if self.cache.columns % 4 == 0:
            spare = int(self.real.any(dim=0).int().argmax())
            self.real = self.real[:, spare:]
            self.cache.cut(spare)

    def answer(self, requests):
        """Answer all requests, and return their answers."""
        self.start(requests)
        for _ in range(max(request.length for request in requests)):
            self.release()
            if self.waiting:
                self.step()
        return [request.answer for request in requests]


def main():
    torch.set_num_threads(1)  # threads cost so small a model more than they give
    model = random_model()
    served = Server(model).answer([Request(*wish) for wish in WISHES])
    for wish, answer in zip(WISHES, served):
        alone = Server(model).answer([Request(*wish)])[0]
        print(f"{wish[0]:>22} | alone   {alone}\n{'':>22} | served  {answer}")


if __name__ == "__main__":
    main()
