"""The toy language, the tiny Transformer and its training."""

import itertools

import pytest
import torch

from pe_lessons import arrays, toys


def test_who_chased_whom_comes_in_pairs_of_the_same_words():
    sentences, tokens, subjects = toys.who_chased_whom()
    assert len(sentences) == len(set(sentences)) == 224
    assert tokens.shape == (224, 6)
    for one, other in zip(sentences[::2], sentences[1::2]):
        assert one != other
        assert sorted(one.split()) == sorted(other.split())
    named = [toys.ANIMALS[subject] for subject in subjects]
    assert named == [sentence.split()[1] for sentence in sentences]


@pytest.mark.parametrize("pool", [False, True])
def test_without_positions_the_order_passes_through(pool):
    torch.manual_seed(0)
    model = toys.TinyTransformer(9, 5, d_model=8, num_heads=2, num_layers=2, pool=pool).eval()
    tokens, order = torch.tensor([[1, 5, 3, 8, 2]]), torch.tensor([4, 2, 0, 1, 3])
    straight, permuted = model(tokens), model(tokens[:, order])
    torch.testing.assert_close(permuted, straight if pool else straight[:, order])


def test_a_causal_model_does_not_see_the_future():
    torch.manual_seed(0)
    model = toys.TinyTransformer(9, 5, d_model=8, num_layers=2, causal=True).eval()
    one, other = torch.tensor([[1, 5, 3, 8, 2]]), torch.tensor([[1, 5, 3, 0, 4]])
    torch.testing.assert_close(model(one)[:, :3], model(other)[:, :3])
    assert (model(one)[:, 3:] - model(other)[:, 3:]).abs().max() > 0.01


def test_positions_choose_the_rows_of_the_table():
    torch.manual_seed(0)
    model = toys.TinyTransformer(9, 5, d_model=8, table=arrays.sinusoidal(10, 8), pool=True).eval()
    tokens, order = torch.tensor([[1, 5, 3]]), torch.tensor([2, 0, 1])
    torch.testing.assert_close(model(tokens[:, order], positions=order), model(tokens))
    assert (model(tokens[:, order]) - model(tokens)).abs().max() > 0.01


@pytest.mark.parametrize("seed", [100, 101])
def test_order_is_learned_with_positions_and_only_with_them(seed, capsys):
    _, tokens, subjects = toys.who_chased_whom()
    pairs_right = {}
    for name, table in (("none", None), ("sinusoidal", arrays.sinusoidal(6, 32))):
        torch.manual_seed(seed)
        model = toys.TinyTransformer(14, 8, table=table, pool=True)
        toys.train(model, itertools.repeat((tokens, subjects)), steps=120)
        right = model(tokens).argmax(-1) == subjects
        pairs_right[name] = int(right.reshape(112, 2).all(dim=1).sum())
        assert not model.training
    assert pairs_right == {"none": 0, "sinusoidal": 112}
    assert capsys.readouterr().out.count("step") == 6


def test_training_wants_a_batch_for_every_step():
    _, tokens, subjects = toys.who_chased_whom()
    with pytest.raises(StopIteration):
        toys.train(toys.TinyTransformer(14, 8, pool=True), [(tokens, subjects)], steps=2)
