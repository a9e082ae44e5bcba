"""What the doctor tries: each check yields what it finds, and gives its stories of what may be wrong."""

import functools

import torch

from pe_lessons.doctor import wrong_rotations
from pe_lessons.doctor.examined_model import (
    LENGTH,
    NEW,
    OLD,
    PADDING,
    SHIFT,
    Crash,
    Finding,
    Patient,
    adapted,
    finite,
    share,
)


def _first_wrong(verdicts):
    for verdict in verdicts:
        if verdict.status == "wrong":
            break
    yield verdict


def _future(patient, check):
    rows, changed = patient.rows(patient.text), patient.text.clone()
    changed[0, -1] = patient.stranger
    seen = patient.rows(changed)

    def first_row_that_notices(place):
        other = patient.text.clone()
        other[0, place] = patient.stranger
        little = patient.enough / 100  # each layer between passes on less
        moved = [patient.difference(*pair) > little for pair in zip(patient.rows(other)[0], rows[0])]
        return moved.index(True) if any(moved) else LENGTH

    def off_by_one():
        """Then a token is noticed by one row before it for each layer, wherever it stands."""
        before = LENGTH - 1 - first_row_that_notices(LENGTH - 1)
        rows_before = [place - first_row_that_notices(place) for place in range(LENGTH)]
        return before < LENGTH - 2 and max(rows_before) == before  # row 0 may have one key only

    def no_mask():
        """Then the order in which tokens lie in memory is nothing; only their positions count."""
        order = [*range(LENGTH - 1, -1, -1)]
        return patient.same(patient.rows(patient.text[:, order], patient.count[:, order]), rows[:, order])

    missing = "a causal mask is missing, or in a model of many layers off by one"
    others = "" if "position_ids" in patient.arguments else ", or heads are split or merged wrongly"
    reshaped = "heads are split or merged wrongly, or the causal mask is off by one in many layers"
    yield patient.verdict(
        check, seen[:, :-1], rows[:, :-1], "no token sees a later one",
        "another last token changes rows before it", "lesson 01", [
            ("the causal mask is off by one: tokens see the next one", "the diagonal of the mask",
             lambda: patient.same(seen[:, 0], rows[:, 0]) and off_by_one()),
            (missing + others, "the attention's mask", lambda: bool(others) or no_mask()),
        ], (reshaped, "view and reshape, where transpose is meant; then the attention's mask"),
    )  # fmt: skip


def _longer(patient, check):
    yield patient.verdict(
        check, patient.rows(patient.text[:, :OLD]), patient.rows(patient.text)[:, :OLD],
        "rows stay what they are when the text goes on", "rows change when the text goes on", "lesson 05", (),
        ("positions are counted from the end, or rows hang on how long the text is",
         "where positions are made; experts of limited capacity do it, too"),
    )  # fmt: skip


def _first(patient, check):
    any_start = " (or of any other start: they are relative)" if patient.moved(1) < patient.enough else ""
    yield patient.verdict(
        check, patient.rows(patient.text), patient.rows(patient.text, patient.count),
        f"without position_ids, the rows are those of 0, 1, 2, ...{any_start}",
        "without position_ids, the rows are not those of 0, 1, 2, ...", "lesson 05",
        [(f"positions begin at {first}", "where position_ids are made when none are given",
          lambda first=first: patient.rows(patient.text, patient.count + first)) for first in (1, 2)],
    )  # fmt: skip


ADDED = {
    True: "equal tokens get equal rows wherever they stand: nothing is added to them, as with a rotation, "
          "ALiBi, or no positions at all",
    False: "equal tokens get different rows: positions reach more than the scores, as with a table that is "
           "added, or with values that are rotated",
}  # fmt: skip
SMALL_FORMAT = (
    "angles in a small format (bfloat16 or float16)",
    "the dtype in which positions are multiplied by frequencies", "lesson 21",
)  # fmt: skip
TOO_FAST = (
    "frequencies are so large that neighbouring positions differ by chance: uninitialised memory?",
    "the buffer of frequencies: is it ever filled?", "lesson 05",
)  # fmt: skip
NO_ROTATION = (
    "positions act in the attention alone, but not as a rotation: perhaps pairs are mixed up, a sign is lost "
    "or only queries or only keys turn", "where queries and keys are turned", "lesson 09",
)  # fmt: skip


def _added(patient, check):
    """Rows of equal tokens can differ only by what is added to the tokens."""
    rows = patient.rows(patient.text[:, :1].repeat(1, LENGTH))
    patient.in_attention = patient.same(rows, rows[:, :1])
    yield Finding(check, "note", ADDED[patient.in_attention])


CUT_OFF = (
    "positions beyond a largest one are all taken for that one",
    "where positions are cut off, with clamp or min", "lesson 12",
)  # fmt: skip


def _shift(patient, check):
    size, status = patient.moved(SHIFT), "wrong" if patient.relative else "note"
    says = f"moving all positions by {SHIFT} changes"
    if size < patient.enough:
        yield Finding(check, "right", f"{says} less than {patient.enough:.0%}: relative positions", size)
    elif not patient.in_attention:
        yield Finding(check, status, f"{says} the answers: absolute positions", size)
    elif patient.unfilled or _confused(patient):
        yield Finding(check, "wrong", f"{says} the answers", size, *_why_confused(patient))
    elif patient.relative:
        yield Finding(check, status, f"{says} the answers", size, *NO_ROTATION)
    else:
        should = "if it should not, say relative = True and this is wrong"
        yield Finding(check, status, f"{says} the answers, and not as a table does; {should}", size)


def _confused(patient, offset=2**15, limit=0.1):
    """Is a text far out answered as if all its tokens stood at one place?"""
    far = [patient.rows(patient.text, offset + count) for count in (patient.count, 0 * patient.count)]
    return patient.difference(*far) < limit


def _why_confused(patient):
    """At 1,000 the coarsest format still tells every fourth position from the others, near 0 all of them."""
    if patient.unfilled:
        return patient.unfilled
    if patient.moved(1) > 0.3:
        return TOO_FAST
    return CUT_OFF if _confused(patient, 1_000, patient.enough) else SMALL_FORMAT


def _kept_in(patient):
    """The whole numbers in which positions are kept, if they are too small for a position in a text."""
    near = patient.rows(patient.text, patient.count)
    # tokens after a gap that is one whole period lie where they would without it
    spread = [patient.told([p + 2**power for p in range(OLD, LENGTH)]) for power in range(4, 17)]
    period = next((2**power for power, rows in zip(range(4, 17), spread)
                   if patient.same(rows, near[:, OLD:])), None)  # fmt: skip
    for name, first, again in (("int8", 2**7, 2**8), ("uint8", 2**8, 2**8), ("int16", 2**15, 2**16)):
        across = patient.count + first - OLD
        rows = patient.rows(patient.text, across)
        begun_again = patient.rows(patient.text, across - again * (across >= first))
        if period == again and patient.same(rows, begun_again) and not patient.same(rows, near):
            return f"after {first - 1:,} positions begin again at {first - again:,}, as in {name}"
    return f"positions begin again after every {period:,}" if period else None


def _far(patient, check):
    try:
        near, far, very_far = (patient.moved(offset) for offset in (SHIFT, 1_000, 1_000_000))
    except Crash as crash:
        if not isinstance(crash.__cause__, IndexError):
            raise
        yield Finding(check, "note", "they end in IndexError: a table of positions ends")
        return
    little = f"less than {patient.enough:.0%}"
    if near >= patient.enough:
        yield Finding(check, "note", "they are answered; only relative ones would show whether rightly")
    elif culprit := _kept_in(patient):
        says = "moving all positions changes nothing but where positions begin again"
        look_at = "the dtype of the positions, or where their remainder is taken"
        yield Finding(check, "wrong", says, 0, culprit, look_at, "lesson 21")
    elif far >= patient.enough:
        says = f"moving all positions by {SHIFT} changes {little}, by 1,000 the answers"
        yield Finding(check, "wrong", says, finite(far), *_why_confused(patient))
    elif very_far >= patient.enough:
        says = f"by 1,000 it changes {little}, by 1,000,000 {share(very_far)}"
        yield Finding(check, "note", says, finite(very_far))
    else:
        yield Finding(check, "right", f"moving all positions by 1,000,000 changes {little}", very_far)


LIMITED = "what texts share: experts of limited capacity, a norm over the batch"
FIRST_FOR_ALL = "the positions of the first text are used for all", "position_ids[:1]"


def _batch(patient, check):
    def judged(positions):
        each = [None] * 3 if positions is None else positions[:, None]
        alone = [patient.rows(row[None], own) for row, own in zip(patient.tokens, each)]
        copies = patient.rows(patient.text.repeat(3, 1))
        equal = patient.rows(patient.text[:, :1].repeat(3, LENGTH))
        by_place = not patient.same(copies, copies[:1])
        numbered = by_place and patient.same(equal, equal[:, :1])
        known = "position_ids" in patient.arguments

        def as_if(make):
            """The same texts, each with the positions that it would get; unknown without position_ids."""
            each = [patient.rows(patient.text, make(number)) for number in range(3)]
            return patient.same(copies, torch.cat(each))

        return patient.verdict(
            check, patient.rows(patient.tokens, positions), torch.cat(alone),
            "a text gets the same rows alone and in a batch", "a text gets other rows in a batch than alone",
            "lesson 05", [
                ("the number of the text is taken for the position", "the order of the axes (batch, n_q)",
                 lambda: numbered and known and as_if(lambda number: 0 * patient.count + number)),
                ("positions go on from one text of the batch to the next",
                 "the axis along which they are counted",
                 lambda: by_place and known and as_if(lambda number: patient.count + LENGTH * number)),
                ("perhaps the number of the text is taken for the position",
                 f"the order of the axes; {LIMITED}", lambda: numbered and not known),
                ("perhaps positions go on from one text of the batch to the next",
                 f"the axis along which they are counted; {LIMITED}", lambda: by_place and not known),
                ("equal texts get other rows, but not as if it were for their positions", LIMITED,
                 lambda: by_place and positions is None),
                (*FIRST_FOR_ALL, lambda: torch.cat(
                    [patient.rows(row[None], positions[:1]) for row in patient.tokens])),
            ],
        )  # fmt: skip

    # a gap in the middle, of another size in each text
    gaps = patient.count + torch.arange(3)[:, None] * (patient.count >= OLD)
    yield from _first_wrong(map(judged, patient.ways(gaps)))


def _padded(patient):
    """A batch of two texts, the first with padding on the left, and what it should be answered.

    Two batches (2, n), with other padding each; mask, positions (2, n); and a function of two lists of
    positions: the rows of each text alone.
    """
    long = torch.cat([patient.tokens[1], patient.tokens[2, :PADDING]])
    paddings = torch.full((PADDING,), patient.stranger), long[:PADDING]
    batch, other = (torch.stack([torch.cat([padding, patient.text[0]]), long]) for padding in paddings)
    mask = torch.ones_like(batch).bool()
    mask[0, :PADDING] = False

    def alone(first=None, second=None):
        return patient.rows(patient.text, first)[0], patient.rows(long[None], second)[0]

    return batch, other, mask, (mask.cumsum(dim=1) - 1).clamp(min=0), alone


def _ends(rows, *counts):
    """The last rows of two texts, one after another."""
    return torch.cat([row[-count:] for row, count in zip(rows, counts)])


IDS_UNUSED = "position_ids are not used once there is a mask", "where position_ids are made from the mask"


def _left_padding(patient, check):
    batch, other, mask, positions, alone = _padded(patient)
    counts = LENGTH, LENGTH + PADDING

    def judged(ids, otherwise=("", "")):
        def asked(tokens, mask):
            return _ends(patient.rows(tokens, ids, mask), *counts)

        seen, given = asked(batch, mask), " even with position_ids" if ids is not None else ""
        return patient.verdict(
            check, seen, _ends(alone(), *counts), f"padding on the left changes nothing{given[5:]}",
            f"padding on the left changes the rows of the texts{given}", "lesson 19", [
                ("the softmax of nothing is 0 / 0: padding may look at no key", "let padding look at itself",
                 lambda: bool(seen.isnan().any())),
                ("the mask is not used", "where the mask reaches the scores", lambda: asked(batch, None)),
                ("the mask of the first text is used for all", "mask[:1]",
                 lambda: asked(batch, mask[:1].expand_as(mask))),
                (*IDS_UNUSED, lambda: _ends(alone(patient.count + PADDING), *counts)),
                (*FIRST_FOR_ALL, lambda: _ends(alone(None, positions[:1]), *counts)),
                ("padding is looked at although the mask forbids it", "is True taken for 'hide'?",
                 lambda: not patient.same(seen, asked(other, mask))),
            ], otherwise,
        )  # fmt: skip

    own = judged(None, ("padding is counted as positions", "count them from the first real token"))
    patient.counts_from_the_text = own.status == "right"
    given = judged(positions) if "position_ids" in patient.arguments else own
    yield given
    if given.status == "right" and own.status == "wrong":
        says = "without position_ids, it does: give them, counted from the first real token"
        yield Finding(check, "note", says, own.size, lesson="lesson 19")


OFFSET = "the offset by the length of the cache"


def _cached(patient, check, cuts):
    if patient.ask(patient.text)[1] is None:
        says = "logits takes a cache, and none comes back"
        yield Finding(check, "failed", says, look_at="return scores, cache")
        return

    def judged(positions):
        # given position_ids have a gap before the new tokens, which no counting makes
        new = (patient.count if positions is None else positions)[0, OLD:].tolist()
        seen = patient.continued(patient.text, cuts, positions)

        def matters(place):
            changed = patient.text.clone()
            changed[0, place] = patient.stranger
            return not patient.same(seen, patient.continued(changed, cuts, positions))

        stories = [
            ("the cache is not used", "where cached keys and values are put before the new ones",
             lambda: not matters(0) and not matters(OLD - 1)),
            ("the causal mask forgets the cache: new tokens look at the first keys only",
             f"is_causal=True, or a triangle without {OFFSET}", lambda: not matters(OLD - 1)),
            ("position_ids are not used once there is a cache", "where position_ids are made",
             lambda: positions is not None and patient.told(range(OLD, LENGTH))),
            ("every new token gets position 0", OFFSET, lambda: patient.told([0] * NEW)),
            ("positions begin again at 0 after the cache", OFFSET,
             lambda: patient.told([p - OLD for p in new])),
            ("the length of the cache is counted twice", f"{OFFSET}: it is added in two places",
             lambda: patient.told([p + (OLD if len(cuts) == 1 else OLD + i) for i, p in enumerate(new)])),
            ("positions after the cache are one too far on", OFFSET,
             lambda: patient.told([p + 1 for p in new])),
            ("positions after the cache are one too low", OFFSET,
             lambda: patient.told([p - 1 for p in new])),
            ("all new tokens get the position of the first", "position_ids when several tokens come at once",
             lambda: patient.told(new[:1] * NEW)),
        ]  # fmt: skip
        otherwise = (
            "no simple change of positions or of the mask explains it: does the cache keep what was used?",
            "are cached keys turned again, or kept before the turn?",
        ) if "position_ids" in patient.arguments else (
            "new tokens are not counted on from the cache, or what it keeps is not what was used",
            f"{OFFSET}; are cached keys turned again? With position_ids the doctor could say which. "
            "A layer with a state may take one token at a time only",
        )  # fmt: skip
        return patient.verdict(
            check, seen, patient.rows(patient.text, positions)[:, OLD:],
            "with a cache, the rows are those of the whole text at once",
            f"with a cache{' and position_ids' * (positions is not None)}, the rows are not those at once",
            "lesson 19", stories, otherwise,
        )  # fmt: skip

    yield from _first_wrong(map(judged, patient.ways(patient.count + 2 * (patient.count >= OLD))))


def _padded_steps(patient, check):
    batch, other, mask, positions, alone = _padded(patient)
    cuts = [*range(OLD + PADDING, LENGTH + PADDING)]

    def judged(ids):
        seen = patient.continued(batch, cuts, ids, mask)

        def padding_matters():
            return not patient.same(seen, patient.continued(other, cuts, ids, mask))

        return patient.verdict(
            check, _ends(seen, NEW, NEW), _ends(alone(), NEW, NEW),
            "texts padded on the left go on with a cache as each does alone",
            f"texts padded on the left{' and given position_ids' * (ids is not None)} do not go on with a "
            "cache as each does alone", "lesson 19", [
                ("the mask is not used once there is a cache", "where the mask reaches the scores",
                 lambda: padding_matters() and patient.same(seen, patient.continued(
                     batch, cuts, ids, mask, later=torch.ones_like(mask)))),
                ("the mask is not used once there is a cache, or it does not lie on the keys that it is for",
                 "are new keys put after the old ones, and the mask in the same order?",
                 lambda: padding_matters()),
                ("padding is counted as positions once there is a cache", "where the model counts by itself",
                 lambda: _ends(alone(torch.tensor([[*range(OLD), *cuts]])), NEW, NEW)),
                (*FIRST_FOR_ALL, lambda: _ends(alone(None, torch.tensor(
                    [[*range(cuts[0]), *range(OLD, LENGTH)]])), NEW, NEW)),
            ],
        )  # fmt: skip

    yield from _first_wrong(map(judged, patient.ways(positions)[not patient.counts_from_the_text :]))


def _packing(patient, check):
    one, other, count = patient.tokens[:1, :OLD], patient.tokens[1:2], patient.count
    packed, text = torch.cat([one, other], dim=1), torch.tensor([0] * OLD + [1] * LENGTH)
    along, positions = torch.arange(len(text))[None], torch.cat([count[:, :OLD], count], dim=1)
    causal = torch.ones(len(text), len(text)).tril().bool()
    plain = patient.rows(packed, along)
    try:
        understood = patient.same(patient.rows(packed, along, causal[None]), plain)
    except Crash as crash:
        if isinstance(crash.__cause__, NameError | AttributeError):
            raise
        understood = False
    if not understood:
        says = "a mask (batch, n_q, n_k) that is just the causal one ends in an error or changes the rows"
        yield Finding(check, "not tried", says)
        return
    between = ((text[:, None] == text) & causal)[None]

    def runs_on():
        """Does the second text notice the first one, although the mask hides it and every score obeys?"""
        changed = packed.clone()
        changed[0, :OLD] = patient.stranger
        two = [patient.rows(texts, positions, between)[:, OLD:] for texts in (packed, changed)]
        return not patient.same(*two)

    yield patient.verdict(
        check, patient.rows(packed, positions, between),
        torch.cat([patient.rows(one), patient.rows(other)], dim=1),
        "two texts packed into one row get the rows that each gets alone",
        "two texts packed into one row do not get the rows that each gets alone", "lesson 19", [
            ("the mask between the texts is not used", "where a mask with three axes reaches the scores",
             lambda: patient.rows(packed, positions)),
            (*IDS_UNUSED, lambda: torch.cat([patient.rows(one), patient.rows(other, OLD + count)], dim=1)),
            ("the second text notices the first one although the mask hides it: a state, or a convolution, "
             "runs on from one text to the next, or some layers do not use the mask",
             "where layers without attention learn that a new text begins; then each layer's mask", runs_on),
        ],
    )  # fmt: skip


# name: (check, the arguments it needs, the checks that must have found nothing wrong)
SOUND = ("future", "longer text", "first position")
CHECKS = {
    "equal tokens": (_added, (), ()),
    "future": (_future, (), ()),
    "longer text": (_longer, (), ("future",)),
    "first position": (_first, ("position_ids",), ()),
    "shift": (_shift, ("position_ids",), ()),
    "far positions": (_far, ("position_ids",), ()),
    "batch": (_batch, (), ()),
    "left padding": (_left_padding, ("mask",), ("longer text", "first position", "batch")),
    "step by step": (functools.partial(_cached, cuts=[*range(OLD, LENGTH)]), ("cache",), SOUND),
    "several new tokens": (functools.partial(_cached, cuts=[OLD]), ("cache",), SOUND),
    "padded, step by step": (_padded_steps, ("mask", "cache"), ("left padding", "step by step")),
    "packing": (_packing, ("position_ids", "mask"), (*SOUND, "left padding")),
}


def against(patient, reference):
    """Is it the reference? If not: each known change of the reference is a story."""
    right = Patient(adapted(reference), 4)
    both = "position_ids" in {*patient.arguments} & {*right.arguments}

    def answered(positions):
        try:
            return [one.rows(patient.text, positions) for one in (patient, right)]
        except Crash:
            return None

    # as far apart as both answer: a table may be short
    try:
        spread = (37 * patient.count, 3 * patient.count) if both else ()
        apart = next((positions for positions in spread if answered(positions)), None)
        seen, expected = patient.rows(patient.text, apart), right.rows(patient.text, apart)
    except Crash as crash:
        return Finding("reference", "failed", f"the reference: {crash}")
    known, look_at = (), "with a model of the transformers library, a wrong rotation would be named"
    if hasattr(reference, "config") and hasattr(reference, "named_buffers"):
        known = wrong_rotations.stories(reference, lambda: right.rows(patient.text, apart))
        look_at = "the weights, and what is not about positions"
    if patient.unfilled:
        known = [(*patient.unfilled, lambda: True)]
    at_zero = answered(0 * patient.count) if both else None
    if at_zero and patient.same(*at_zero):
        look_at = "positions: with all tokens at position 0 the rows are those of the reference"
    elif at_zero:
        look_at = (
            "with all tokens at position 0 they differ, too: weights, a factor on queries, a table's row 0"
        )
    return patient.verdict(
        "reference", seen, expected, "the rows are those of the reference",
        "the rows are not those of the reference", "", known, ("", look_at),
    )  # fmt: skip
