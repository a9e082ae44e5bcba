"""A small Llama in the shape of the transformers library, with a table if wanted, and faults to plant."""

import functools
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional as F

VOCAB_SIZE, WIDTH, NUM_HEADS, NUM_KEY_HEADS, HEAD_DIM = 40, 32, 4, 2, 8

# fault -> words of what the doctor should name
FAULTS = {
    "offset ignored": ("begin again at 0 after the cache", "answered as if it stood at position 0"),
    "offset counted twice": "length of the cache is counted twice",
    "offset one too large": "one too far on",
    "offset one too small": "one too low",
    "offset two too small": "two too low",
    "first position for all new": "position of the first",
    "new tokens at 0": "answered as if it stood at position 0",
    "keys turned twice": "cached keys are turned again",
    "keys cached before the turn": "cached keys are kept before the turn",
    "cached keys turned by slot": "cached keys are turned by their places in the cache",
    "heads in another order": "heads that share keys, its position or values",
    "old values moved": "values of 0, 1, 2, 3, ... are those of 6, 0, 1, 2, ...",
    "cache not used": "the cache is not used",
    "mask not used": ("the mask is not used", "the mask between the texts is not used"),
    "positions not used": "position_ids are not used once there is a mask",
    "positions from 1": "positions begin at 1",
    "positions across the batch": "go on from one text of the batch to the next",
    "no causal mask": "a causal mask is missing",
    "layout": "the code turns neighbours, and the reference halves",
    "sign": "the rotation goes the other way",
    "doubled exponent": "the exponent is doubled",
    "bfloat16 frequencies": "frequencies are rounded to bfloat16",
    "bfloat16 angles": ("angles in a small format", "angles are rounded to bfloat16"),
    "base": "the base is 500,000",
    "layer left out": "in layer 1 (counted from 0), and no other: nothing turns",
    "plan inverted": "in layers 0, 2 (counted from 0), and no other: nothing turns",
    "float16 angles": "angles in a small format",
    "position_ids ignored": "position_ids are not used",
    "position_ids ignored with a cache": "position_ids are not used once there is a cache",
    "causal mask without the offset": "the causal mask forgets the cache",
    "is_causal for several": "the causal mask forgets the cache",
    "causal mask off by one": "the causal mask is off by one: tokens see the next one",
    "mask dropped with a cache": "the mask is not used once there is a cache",
    "padding counted with a cache": "padding is counted as positions once there is a cache",
    "first positions for all": "the positions of the first text are used for all",
    "first mask for all": "the mask of the first text is used for all",
    "last positions for all": "it gets the positions of another text",
    "mask reversed": "the mask lies the wrong way round",
    "mask on the queries": "the mask is not used, or it does not lie on the keys",
    "not itself": "a token does not see itself",
    "table left out with a cache": "the positions of new tokens are not used",
    "number of the text": ("the number of the text", "all tokens get the same position"),
    "counted from the end": "positions counted from the end",
    "mask the wrong way round": "is looked at although the mask forbids it",
    "softmax of nothing": "the softmax of nothing is 0 / 0",
    "pairs mixed up": "columns that make a pair may get different angles",
    "sign lost": "not only distances count",
    "only queries turn": ("only queries turn", "of keys alone: nothing turns"),
    "only keys turn": ("only keys turn", "of queries alone: nothing turns"),
    "opposite turns": (
        "queries and keys turn in opposite directions",
        "of keys alone: the rotation goes the other",
    ),
    "heads split wrongly": "how heads are split and merged",
    "new keys first": ("new keys are put before the old ones", "does not lie on the keys that it is for"),
    "remainder by 512": "positions begin again after every 512",
    "frequencies not filled": "uninitialised memory",
    "frequencies zero": "are all 0, so nothing turns",
}


# These move all positions alike, which a rotation does not notice; a table does.
ONLY_IN_A_TABLE = {
    "positions not used", "positions from 1", "positions across the batch", "table left out with a cache",
}  # fmt: skip
# In a table, too, and in a model that takes nothing but tokens.
ONLY_TOKENS = {"number of the text", "counted from the end"}


class Rotary(nn.Module):
    def __init__(self, fault):
        super().__init__()
        base = 500_000.0 if fault == "base" else 10_000.0
        exponents = torch.arange(0, HEAD_DIM, 2, dtype=torch.float64) / HEAD_DIM
        exponents = 2 * exponents if fault == "doubled exponent" else exponents
        self.register_buffer("inv_freq", base**-exponents)
        if fault == "bfloat16 frequencies":
            self.inv_freq = self.inv_freq.bfloat16().double()
        if fault == "frequencies not filled":
            self.inv_freq = torch.tensor([3e4, 2e-38, 7e9, 0.0], dtype=torch.float64)
        if fault == "frequencies zero":
            self.inv_freq = torch.zeros_like(self.inv_freq)
        self.fault = fault

    def forward(self, x, position_ids):
        small = {"bfloat16 angles": torch.bfloat16, "float16 angles": torch.float16}.get(self.fault)
        if small:
            angles = (position_ids[..., None] * self.inv_freq.to(small)).to(small).double()
        else:
            angles = position_ids[..., None] * self.inv_freq  # (batch, n_q, n_pairs)
        if self.fault == "pairs mixed up":
            angles = angles.repeat_interleave(2, dim=-1)
        else:
            angles = torch.cat([angles, angles], dim=-1)
        sign = -1.0 if self.fault == "sign" else 1.0
        return angles.cos(), sign * angles.sin()


class Attention(nn.Module):
    def __init__(self, fault):
        super().__init__()
        self.q_proj = nn.Linear(WIDTH, NUM_HEADS * HEAD_DIM, bias=False)
        self.k_proj = nn.Linear(WIDTH, NUM_KEY_HEADS * HEAD_DIM, bias=False)
        self.v_proj = nn.Linear(WIDTH, NUM_KEY_HEADS * HEAD_DIM, bias=False)
        self.o_proj = nn.Linear(NUM_HEADS * HEAD_DIM, WIDTH, bias=False)
        self.fault = fault

    def turned(self, rows, cosine, sine):
        cosine, sine = cosine[:, None], sine[:, None]
        if self.fault == "layout":
            pairs = rows.unflatten(-1, (-1, 2))
            quarter = torch.stack([-pairs[..., 1], pairs[..., 0]], dim=-1).flatten(-2)
            half = HEAD_DIM // 2
            cosine, sine = (each[..., :half].repeat_interleave(2, dim=-1) for each in (cosine, sine))
            return rows * cosine + quarter * sine
        first, second = rows.chunk(2, dim=-1)
        sign = 1 if self.fault == "sign lost" else -1
        return rows * cosine + torch.cat([sign * second, first], dim=-1) * sine

    def forward(self, x, position_embeddings, mask, past):
        cosine, sine = position_embeddings
        q, k, v = (
            proj(x).unflatten(-1, (-1, HEAD_DIM)).transpose(1, 2)
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        if self.fault == "heads split wrongly":
            k = self.k_proj(x).view(len(x), NUM_KEY_HEADS, -1, HEAD_DIM)
        before = k
        q = q if self.fault == "only keys turn" else self.turned(q, cosine, sine)
        if self.fault != "only queries turn":
            k = self.turned(k, cosine, -sine if self.fault == "opposite turns" else sine)
        if past is not None and self.fault != "cache not used":
            old = past[0]
            if self.fault in ("keys turned twice", "cached keys turned by slot"):
                pair = torch.arange(HEAD_DIM) % (HEAD_DIM // 2)
                steps = torch.arange(old.shape[2])[None, :, None] * 10_000.0 ** (-2 * pair / HEAD_DIM)
                old = self.turned(old, steps.cos(), steps.sin())
            new_first = -1 if self.fault == "new keys first" else 1
            kept = past[1].roll(1, dims=2) if self.fault == "old values moved" else past[1]
            before = torch.cat([past[0], before], dim=2)
            k, v = (torch.cat(pair[::new_first], dim=2) for pair in ((old, k), (kept, v)))
        unturned = self.fault in ("keys cached before the turn", "cached keys turned by slot")
        cache = before if unturned else k, v
        groups = NUM_HEADS // NUM_KEY_HEADS
        if past is not None and self.fault == "heads in another order":
            k, v = k.repeat(1, groups, 1, 1), v.repeat(1, groups, 1, 1)
        else:
            k, v = k.repeat_interleave(groups, dim=1), v.repeat_interleave(groups, dim=1)
        if self.fault == "softmax of nothing":
            scores = (q @ k.mT / HEAD_DIM**0.5).masked_fill(~mask, float("-inf"))
            mixed = scores.softmax(dim=-1) @ v
        else:
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.o_proj(mixed.transpose(1, 2).flatten(2)), cache


class Layer(nn.Module):
    def __init__(self, fault):
        super().__init__()
        self.self_attn = Attention(fault)
        self.norms = nn.ModuleList([nn.RMSNorm(WIDTH) for _ in range(2)])
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.SiLU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x, position_embeddings, mask, past):
        mixed, cache = self.self_attn(self.norms[0](x), position_embeddings, mask, past)
        x = x + mixed
        return x + self.mlp(self.norms[1](x)), cache


class SmallLlama(nn.Module):
    """Random weights, large enough that every token is noticed; the same for every fault."""

    def __init__(self, fault=None, table=False, layers=2):
        super().__init__()
        torch.manual_seed(0)
        self.config = SimpleNamespace(head_dim=HEAD_DIM, vocab_size=VOCAB_SIZE)
        self.embed = nn.Embedding(VOCAB_SIZE, WIDTH)
        self.model = nn.ModuleDict({"layers": nn.ModuleList([Layer(fault) for _ in range(layers)])})
        self.model.layers = self.model["layers"]
        self.rotary_emb, self.head = Rotary(fault), nn.Linear(WIDTH, VOCAB_SIZE, bias=False)
        self.table = nn.Embedding(400, WIDTH) if table else None
        self.fault = fault
        self.dtype = torch.float64
        self.double().eval()
        with torch.no_grad():
            for p in self.parameters():
                p.mul_(4 if p.ndim == 2 else 1)

    def generate(self):
        """The doctor knows a model of transformers by it."""

    def forward(
        self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, use_cache=True
    ):
        batch, n = input_ids.shape
        past = 0 if past_key_values is None else past_key_values[0][0].shape[2]
        fault = self.fault
        ignored = {
            "position_ids ignored": True, "positions not used": attention_mask is not None,
            "position_ids ignored with a cache": past,
        }.get(fault)  # fmt: skip
        if position_ids is None or ignored:
            position_ids = past + torch.arange(n)[None] + (fault == "positions from 1")
            if fault == "padding counted with a cache" and attention_mask is not None and not past:
                position_ids = (attention_mask.cumsum(dim=1) - 1).clamp(min=0)
        if fault == "counted from the end":
            position_ids = n - 1 - position_ids
        if fault == "number of the text":
            position_ids = torch.arange(batch)[:, None].expand(batch, n)
        if fault == "remainder by 512":
            position_ids = position_ids % 512
        if fault in ("first positions for all", "last positions for all"):
            position_ids = position_ids[:1] if fault[0] == "f" else position_ids[-1:]
        if past:
            first = {
                "offset ignored": 0, "offset counted twice": 2 * past, "offset one too large": past + 1,
                "offset one too small": past - 1, "offset two too small": past - 2,
            }.get(fault)  # fmt: skip
            if first is not None:
                position_ids = first + torch.arange(n)[None]
            if fault == "first position for all new":
                position_ids = position_ids[:, :1].expand(-1, n)
            if fault == "new tokens at 0":
                position_ids = torch.zeros(1, n, dtype=torch.long)
        if fault == "positions across the batch" and batch > 1:
            position_ids = torch.arange(batch * n).reshape(batch, n)
        n_k = n if fault == "cache not used" else past + n
        mask = torch.ones(n_k, n_k).tril(int(fault == "causal mask off by one"))[-n:].bool()
        if fault == "no causal mask":
            mask = torch.ones_like(mask)
        if fault == "not itself":
            mask = mask & ~torch.eye(n_k)[-n:].bool()
            mask[0, 0] = True
        if fault == "causal mask without the offset" or (fault == "is_causal for several" and n > 1):
            mask = torch.ones(n, n_k).tril().bool()
        mask = mask[None, None]
        if fault == "first mask for all" and attention_mask is not None:
            attention_mask = attention_mask[:1]
        if fault == "mask reversed" and attention_mask is not None and attention_mask.ndim == 2:
            attention_mask = attention_mask.flip(-1)
        dropped = fault == "mask not used" or (fault == "mask dropped with a cache" and past)
        if attention_mask is not None and not dropped:
            if attention_mask.ndim == 2:
                itself = torch.eye(n_k)[-n:].bool() & (fault != "softmax of nothing")
                wanted = 0 if fault == "mask the wrong way round" else 1
                given = attention_mask[:, None, None]
                if fault == "mask on the queries":
                    given = attention_mask[:, None, -n:, None]
                mask = mask & ((given == wanted) | itself)
            else:
                mask = attention_mask > -1
        x, cache = self.embed(input_ids), []
        turns = self.rotary_emb(x, position_ids)
        none = torch.ones_like(turns[0]), torch.zeros_like(turns[1])
        if self.table is not None:
            left_out = past and fault == "table left out with a cache"
            x, turns = x if left_out else x + self.table(position_ids), none
        for number, layer in enumerate(self.model.layers):
            left_out = (fault == "layer left out" and number == 1) or (
                fault == "plan inverted" and number % 2 == 0
            )
            x, kept = layer(
                x, position_embeddings=none if left_out else turns, mask=mask,
                past=None if past_key_values is None else past_key_values[number],
            )  # fmt: skip
            cache.append(kept)
        return SimpleNamespace(logits=self.head(x), past_key_values=cache)


@functools.cache
def healthy(table, layers):
    return SmallLlama(table=table, layers=layers)


def case(fault):
    """What the doctor is given, and how it is told to look at it."""
    table = fault in ONLY_IN_A_TABLE | ONLY_TOKENS
    layers = 4 if fault == "plan inverted" else 2
    model = SmallLlama(fault, table, layers)
    patient = (lambda tokens: model(tokens).logits) if fault in ONLY_TOKENS else model
    return patient, {"vocab_size": VOCAB_SIZE, "reference": healthy(table, layers), "relative": not table}
