"""The toy language, the tiny Transformer and its training."""

import pytest
import torch
from torch import nn

from pe_lessons import arrays, toys
from pe_lessons.lessons.why_order_matters import sentences


def test_training_wants_a_batch_for_every_step():
    _, tokens, subjects = sentences.who_chased_whom()
    model = toys.TinyTransformer(14, 8, pool=True)
    for pairs in ([], [(tokens, subjects)]):
        with pytest.raises(ValueError, match=f"batches must hold .* each of the 2 steps, got {len(pairs)}:"):
            toys.train(model, pairs, steps=2)
        assert len(model.history) == len(pairs) and not model.training
    for steps in (1.5, -1):
        with pytest.raises((TypeError, ValueError), match=f"steps must be .*, got {steps}"):
            toys.train(model, [], steps=steps)


ENCODINGS = {
    "none": toys.Encoding,
    "table": lambda: toys.Table(arrays.sinusoidal(40, 16)),
    "learned": lambda: toys.Table(torch.zeros(40, 16), learned=True),
    "rotary": toys.Rotary,
    "rotary, halves": lambda: toys.Rotary(layout="half"),
    "alibi": lambda: toys.ALiBi([0.5, 0.25]),
    "t5": lambda: toys.T5(2),
    "shaw": lambda: toys.Shaw(8, 3),
}


def model_with(name, causal=False):
    torch.manual_seed(0)
    encoding = ENCODINGS[name]()
    for parameter in encoding.parameters():
        nn.init.normal_(parameter)
    options = {"d_model": 16, "num_heads": 2, "num_layers": 2, "causal": causal}
    return toys.TinyTransformer(9, 5, encoding=encoding, **options).requires_grad_(False)


TOKENS, ORDER = torch.tensor([[1, 5, 3, 8, 2]]), torch.tensor([4, 2, 0, 1, 3])


@pytest.mark.parametrize("name", ENCODINGS)
def test_what_an_encoding_makes_of_order_places_and_moves(name):
    model = model_with(name)
    here, in_another_order = model(TOKENS), model(TOKENS[:, ORDER])
    difference = (in_another_order - here[:, ORDER]).abs().max()
    assert difference < 1e-12 if name == "none" else difference > 1e-3
    told = model(TOKENS[:, ORDER], positions=ORDER)
    torch.testing.assert_close(told, here[:, ORDER])
    moved = (model(TOKENS, positions=torch.arange(5) + 20) - here).abs().max()
    assert moved > 1e-3 if name in ("table", "learned") else moved < 1e-12


@pytest.mark.parametrize("name", ENCODINGS)
def test_no_encoding_lets_a_causal_model_see_the_future(name):
    model, other = model_with(name, causal=True), torch.tensor([[1, 5, 3, 0, 4]])
    torch.testing.assert_close(model(TOKENS)[:, :3], model(other)[:, :3])
    assert torch.equal(toys.attention_weights(model, TOKENS).triu(1), torch.zeros(1, 2, 5, 5).double())


TEXTS = torch.randint(9, (2, 12), generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("sizes", [[1] * 12, [5, 1, 6], [12]])
def test_with_a_cache_it_says_what_it_says_at_once(name, sizes):
    model, tokens = model_with(name, causal=True), TEXTS
    cache, scores, start = model.empty_cache(), [], 0
    for size in sizes:
        new = slice(start, start + size)
        scores.append(model(tokens[:, new], torch.arange(12)[new], cache=cache))
        start += size
    assert [kept["keys"].shape for kept in cache] == [(2, 2, 12, 8)] * 2
    torch.testing.assert_close(torch.cat(scores, dim=1), model(tokens), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["none", "table", "rotary", "alibi"])
def test_padded_and_packed_it_says_what_it_says_alone(name):
    model, tokens = model_with(name, causal=True), TEXTS
    texts = [tokens[0, :7], tokens[1]]
    alone = [model(text[None])[0] for text in texts]
    padded, real, positions = toys.pad_left(texts, padding=3)
    both = model(padded, positions, mask=real[:, None])
    for row, is_real, expected in zip(both, real, alone):
        torch.testing.assert_close(row[is_real], expected, rtol=0, atol=1e-12)
    owners = torch.tensor([0] * 7 + [1] * 12)
    places = torch.cat([torch.arange(7), torch.arange(12)])
    packed = model(torch.cat(texts)[None], places, mask=owners[:, None] == owners)
    torch.testing.assert_close(packed[0], torch.cat(alone), rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [-1, 3])
def test_a_task_must_ask_something(k):
    with pytest.raises(ValueError, match="k must be"):
        toys.k_back(torch.tensor([[3, 1, 4]]), k=k)
