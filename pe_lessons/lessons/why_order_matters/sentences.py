"""The toy language of lesson 01: who chased whom."""

import itertools

import torch

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
