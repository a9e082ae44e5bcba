"""What the doctor tries: each check yields what it finds, and gives its stories of what may be wrong."""

import contextlib
import dataclasses
import functools

import torch

from pe_lessons.doctor import inside, wrong_rotations
from pe_lessons.doctor.examined_model import (
    FARTHEST,
    LENGTH,
    LITTLE,
    NEW,
    OLD,
    PADDING,
    ROUNDED_CACHE,
    SHIFT,
    SMALL,
    TINY,
    Crash,
    Finding,
    Patient,
    adapted,
    finite,
    maybe,
    share,
)


def idle_positions(patient, found):
    """More of a `Finding` that moving given positions apart changes nothing: are they used at all?"""
    backwards = patient.count.flip(1)
    turned, *others = (
        patient.rows(tokens, ids)[:, -1]
        for tokens, ids in ((patient.text, backwards), (patient.text, None),
                            (patient.altered(patient.text, 0), backwards))
    )  # fmt: skip
    idle = _no_order(patient)
    if not any(patient.same(turned, other) for other in others):
        says = "moving the tokens apart changes nothing, and turning their positions round does"
        causes = "the sign of distances that are cut off at 0, and a causal mask that goes by positions"
        culprit = maybe("sign | only whether a position is larger or smaller counts", causes)
        where = "is the place of a key taken from that of the query, before distances are cut off at 0?"
        return dataclasses.replace(found, says=says, culprit=culprit, look_at=where, id="")
    equal, blind = patient.rows(patient.text[:, :1].repeat(1, LENGTH)), False
    with contextlib.suppress(Crash):
        blind = idle is None and _blind(patient)
    uneven = not patient.same(equal, equal[:, :1])
    state = not (blind or idle) and _seen_inside(inside.only_a_state, patient, uneven) is True
    if idle is False and not state:
        return found
    if blind or state or (idle and uneven):
        says = f"{found.says}, and nothing else here goes by positions, as where a state finds the order"
        where = "if layers of attention should turn, they do not; else leave position_ids out"
        return Finding(found.check, "note", says, look_at=where)
    where = "what is made of positions, and where it is added or turns queries and keys"
    copies = patient.rows(patient.text.repeat(3, 1))
    culprit = maybe("nothing | positions act nowhere, given or not", "whether anything is added or turned, "
                    "slopes or a table of zeros, and positions that are alike for all tokens")  # fmt: skip
    if not patient.same(copies, copies[:1]):
        causes = "the number of the text, taken for the position, and other axes that change places"
        culprit = maybe("number-of-the-text | equal texts of a batch get different rows", causes)
        where = "is the axis of the texts taken for that of the tokens?"
    if idle is None:
        causes = "whether position_ids are used, slopes or a table of zeros, and positions that are all alike"
        culprit = maybe("unused-perhaps | moving the tokens apart changes nothing", causes)
        where = found.look_at
    return dataclasses.replace(found, culprit=culprit, look_at=where, id="")


def _first_wrong(verdicts):
    """The first that is wrong, or else the first that could not tell, or else the last."""
    unsure = None
    for verdict in verdicts:
        if verdict.status == "wrong":
            return verdict
        unsure = unsure or (verdict if verdict.status == "not tried" else None)
    return unsure or verdict


def _causal(diagonal=0):
    mask = torch.ones(1, LENGTH, LENGTH).tril(diagonal).bool()
    mask[0, 0, 0] = True
    return mask


def _future(patient, check):
    rows, changed = patient.rows(patient.text), patient.altered(patient.text, -1)
    seen = patient.rows(changed)

    def first_row_that_notices(place):
        little = patient.enough / 100  # each layer between passes on less
        other = patient.rows(patient.altered(patient.text, place))
        moved = [patient.difference(*pair) > little for pair in zip(other[0], rows[0])]
        return moved.index(True) if any(moved) else LENGTH

    @functools.cache
    def off_by_one():
        """Then a token is noticed by one row before it for each layer, wherever it stands."""
        if not patient.same(seen[:, 0], rows[:, 0]):
            return False
        before = LENGTH - 1 - first_row_that_notices(LENGTH - 1)
        rows_before = [place - first_row_that_notices(place) for place in range(LENGTH)]
        return before < LENGTH - 2 and max(rows_before) == before  # row 0 may have one key only

    def no_mask():
        """Then the order in which tokens lie in memory is nothing; only their positions count."""
        order = [*range(LENGTH - 1, -1, -1)]
        return patient.same(patient.rows(patient.text[:, order], patient.count[:, order]), rows[:, order])

    def hidden_by_a_mask():
        """Does a mask that is all of it, the causal one, hide what comes after?"""
        texts = patient.text, changed
        return patient.same(*(patient.rows(text, None, _causal())[:, :-1] for text in texts))

    def goes_by_the_mask():
        """Is a mask with three axes taken, so that it would hide what only attention sees?"""
        return not patient.same(patient.rows(patient.text, None, _causal(-1)), rows)

    if patient.same(seen[:, :-1], rows[:, :-1]):
        for place in range(LENGTH - 2, 0, -1):
            other = patient.rows(patient.altered(patient.text, place))
            if not patient.same(other[:, :place], rows[:, :place]):
                says = f"another token at place {place} changes rows before it, another last token doesn't"
                culprit = f"block | tokens before place {place + 1} see each other both ways"
                where = "a prefix or a block that the causal mask leaves out"
                yield Finding(check, "wrong", says, 0, culprit, where, "lesson 01")
                return

    reshaped = "how heads are split and merged, the axis of each softmax, norm and mean, and a weak mask"
    mixes = maybe("heads | even under a causal mask that is given, tokens see later ones", reshaped)
    any_of_them = maybe("no-mask | a text is read both ways", "the mask of each layer, how heads are split "
                        "and merged, and the axis of each softmax, norm and mean")  # fmt: skip
    where = "view for transpose? Is the mask -inf? An encoder reads both ways, and is not examined"
    yield patient.verdict(
        check, seen[:, :-1], rows[:, :-1], "no token sees a later one",
        "another last token changes rows before it", "lesson 01", [
            (*NOT_ITSELF, lambda: _sees_all_but_itself(patient)),
            ("off-by-one | the causal mask is off by one: tokens see the next one",
             "the diagonal of the mask", lambda: off_by_one() and hidden_by_a_mask()),
            ("convolution-ahead | a convolution looks ahead, or something else does beside attention: tokens "
             "see the next one, whatever the mask hides", "is a convolution padded on the left only?",
             lambda: off_by_one() and goes_by_the_mask()),
            ("sees-the-next | tokens see the next one: the causal mask is off by one, or a convolution looks "
             "ahead", "the diagonal of the mask; is a convolution padded on the left only?", off_by_one),
            ("no-mask | a causal mask is missing", "the attention's mask; an encoder reads both ways, and "
             "this doctor is for causal models", no_mask),
            (mixes, where, lambda: not hidden_by_a_mask()),
        ], (any_of_them, where),
    )  # fmt: skip


def _longer(patient, check):
    short = (maybe("from-the-end | rows hang on how long the text is", "positions counted from the end, "
                   "heads split without a transpose, and a bias or a scale that goes by the length"),
             "where positions are made; experts of limited capacity do it, too")  # fmt: skip
    long = ("grows | something changes with the length of the text, and not in a short one",
            "a factor or a window that hangs on the length; experts of limited capacity")  # fmt: skip

    def judged(text, end, otherwise):
        short, whole, n = patient.rows(text[:, :end]), patient.rows(text)[:, :end], text.shape[1]
        ids = torch.arange(n)[None]

        def only_positions():
            """With all tokens at position 0 nothing changes."""
            rows = patient.rows(text, 0 * ids)[:, :end]
            return patient.same(patient.rows(text[:, :end], 0 * ids[:, :end]), rows)

        where = "a factor that hangs on how long the text is: cached keys were turned by another one"
        return patient.verdict(
            check, short, whole,
            "rows stay what they are when the text goes on", "rows change when the text goes on", "lesson 05",
            [(maybe("base-grows | positions count otherwise when the text grows", "a base that grows "
                    "(dynamic NTK), and a factor on positions"),
              where, "lesson 13", lambda: otherwise is long and only_positions())],
            otherwise,
        )  # fmt: skip

    halves = ((patient.long, end, long) for end in (LENGTH, patient.long.shape[1] // 2))
    found = _first_wrong(judged(*one) for one in ((patient.text, OLD, short), *halves))
    unsure = found.size is not None and found.size < patient.perhaps_rough
    patient.grows = found.status == "wrong" and not unsure
    if found.id.endswith("from-the-end") and _seen_inside(inside.bias_of_places, patient):
        causes = "the axis of the heads (view, where permute is meant), its length, and where it begins"
        culprit = maybe("bias-places | of equal tokens a bias goes by more than the distance", causes)
        found = dataclasses.replace(found, culprit=culprit, look_at="the axes of the bias", id="")
    yield found


def _first(patient, check):
    any_start = " (or of any other start: they are relative)" if patient.moved(1) < patient.enough else ""
    yield patient.verdict(
        check, patient.rows(patient.text), patient.rows(patient.text, patient.count),
        f"without position_ids, the rows are those of 0, 1, 2, ...{any_start}",
        "without position_ids, the rows are not those of 0, 1, 2, ...", "lesson 05",
        [*((f"begin-at-{first} | positions begin at {first}", "where they are made when none are given",
            lambda first=first: patient.rows(patient.text, patient.count + first)) for first in (1, 2)),
         ("all-alike | without position_ids, all tokens get the same position",
          "the axis along which they are counted: that of the texts?",
          lambda: patient.rows(patient.text, 0 * patient.count))],
        ("given-otherwise | position_ids that are given are not used as those that the model counts itself",
         "what is done with position_ids on the one way and not on the other"),
    )  # fmt: skip


EQUAL = (
    "equal tokens get equal rows wherever they stand: nothing is added to them, as with a rotation, ALiBi, "
    "or no positions at all"
)
COUNTED = (
    "equal tokens get different rows, and a token alone the same rows anywhere: how many tokens there are "
    "reaches the rows, as with a sink, with attention without a softmax, or with a state"
)
REACHED = (
    "equal tokens get different rows, and a token alone, too: positions reach more than the scores, as with "
    "a table that is added, or with values that are rotated"
)
DIFFERENT = (
    "equal tokens get different rows: as with a table that is added, with values that are rotated, with a "
    "sink, with attention without a softmax, or with a state"
)
NO_SIGN = (
    "no sign of positions, as in a model without any: under a mask by which all tokens but the last see only "
    "themselves, the last one does not notice their order. A state that such a mask restarts may notice it "
    "elsewhere"
)
SMALL_FORMAT = (
    "small-format | positions or angles in a small format (bfloat16 or float16)",
    "the dtype of positions, and that in which they are multiplied by frequencies", "lesson 21",
)  # fmt: skip
TOO_FAST = (
    maybe("too-fast | neighbouring positions differ by chance",
          "frequencies that are far too large, as in uninitialised memory"),
    "the buffer of frequencies: is it ever filled?", "lesson 05",
)  # fmt: skip
NO_ROTATION = (
    maybe("no-rotation | positions act in the attention alone, and not only distances count",
          "whether each layer turns queries and keys alike (the columns that make a pair may get different "
          "angles), a scale or a bias that goes by positions, and a rounding of angles or of what turned"),
    "where queries and keys turn", "lesson 09")  # fmt: skip
MUCH = 0.1  # of what order does
ABSOLUTE = (
    maybe("absolute | where a text is long or stands elsewhere, it is not only distances that count",
          "a mask or a chunk that goes by positions, a rule for long texts, and rounding of what is kept"),
    "what is compared with a position", "lesson 20",
)  # fmt: skip
# What the last of three tokens, which sees the first two only, does not notice: (culprit, places, places).
UNLIKE = (
    ("only-queries | only queries turn", (0, 3, 9), (5, 1, 9)),
    ("only-keys | only keys turn", (0, 3, 9), (0, 3, 2)),
    ("against | queries and keys turn in opposite directions", (0, 3, 9), (4, 7, 5)),
)
OWN_COUNT = {
    "only-queries": "own-keys | keys do not get the positions that are given, but count for themselves",
    "only-keys": "own-queries | queries do not get the positions that are given, but count for themselves",
}


def _turned_unlike(patient):
    """(culprit, look_at, lesson) of queries and keys that do not turn as one rotation."""
    mask = torch.eye(6).bool()
    mask[-1] = torch.tensor([0, 0, 0, 1, 1, 0])

    def last(places, hidden=0):
        """After so many others that nobody sees."""
        text = torch.cat([patient.text[:, 4 : 4 + hidden], patient.text[:, :3]], dim=1)
        ids = torch.tensor([[0] * hidden + [*places]])
        return patient.rows(text, ids, mask[None, 3 - hidden :, 3 - hidden :])[:, -1]

    try:
        for culprit, places, others in UNLIKE:
            if patient.same(plain := last(places), last(others), by=10):
                if not patient.same(plain, last(places, hidden=3)):
                    culprit = OWN_COUNT.get(culprit.partition(" | ")[0], culprit)
                return culprit, *NO_ROTATION[1:]
    except Crash:  # the model takes no such mask
        pass
    return NO_ROTATION


def _added(patient, check):
    """Rows of equal tokens differ by what is added to the tokens, or where weights don't add up to 1."""
    rows, token = patient.rows(patient.text[:, :1].repeat(1, LENGTH)), patient.text[:, :1]

    def same(one, other):
        return patient.difference(one, other) < max(patient.enough, patient.rough)

    patient.in_attention = patient.alike = patient.even = same(rows, rows[:, :1])
    says = EQUAL
    if patient.known and not patient.alike:  # a table answers equal tokens alike there
        at_one_place = patient.rows(token.expand(1, LENGTH), 3 + 0 * patient.count)
        patient.even = same(at_one_place, at_one_place[:, :1])
    if not patient.in_attention:
        says = DIFFERENT
        try:  # alone, a token has itself to look at, wherever it stands
            alone = [patient.rows(token, torch.tensor([[place]])) for place in (0, 1, OLD)]
            patient.in_attention = all(same(alone[0], other) for other in alone[1:])
            says = COUNTED if patient.in_attention else REACHED
        except Crash:
            pass
    if not patient.known:
        many = patient.rows(patient.text[:, :1].repeat(1, patient.long.shape[1]))
        patient.settles = patient.difference(many[:, -2], many[:, -1]) < 0.01  # a table's go on to differ
        turns = _seen_inside(inside.kind, patient, patient.text, False) == "turns"
        says = NO_SIGN if not turns and _no_order(patient) else says
    yield Finding(check, "note", says)


def _no_order(patient):
    """Does the last of several tokens, the only one that sees others, not notice in which order they stand?

    Otherwise each layer of a causal model passes on what its mask alone says about the order. None where the
    model can't be asked.
    """
    try:
        plain = _last_of_all(patient, patient.text)
        orders = [_last_of_all(patient, patient.text[:, [*order, *range(len(order), LENGTH)]])
                  for order in ([1, 0], range(LENGTH - 5, -1, -1))]  # fmt: skip
        noticed = not _blind(patient)
    except Crash:  # the model takes no such mask
        return None
    return all(patient.same(other, plain) for other in orders) if noticed else None


def _last_of_all(patient, text):
    """The last row of a text in which all tokens before it see themselves only."""
    mask = torch.eye(LENGTH).bool()
    mask[-1] = True
    return patient.rows(text, None, mask[None])[:, -1]


def _blind(patient):
    """Does the last token not notice the first one, though a mask shows it? Then there is no attention."""
    texts = patient.text, patient.altered(patient.text, 0)
    return patient.same(*(_last_of_all(patient, text) for text in texts))


CUT_OFF = (
    "cut-off | positions beyond a largest one are all taken for that one",
    "where positions are cut off, with clamp or min", "lesson 12",
)  # fmt: skip


def _shift(patient, check):
    if patient.grows:
        yield Finding(check, "not tried", "'longer text' must be right first")
        return
    by = patient.within(SHIFT) or SHIFT  # which ends in the error, where a table has no row more
    size, status = patient.moved(by), "wrong" if patient.relative else "note"
    says = f"moving all positions by {by} changes"
    if size < patient.enough <= patient.moved(1) and not patient.kept_in:
        says = f"{says} less than {patient.enough:.0%}, and by 1 the answers"
        culprit = ROUNDED_CACHE if _little_anywhere(patient) else ("", "are they rounded, or rows of a grid?")
        yield Finding(check, status, says, patient.moved(1), *culprit)
    elif size < patient.enough:
        yield _shifted_far(patient, check) or Finding(
            check, "right", f"{says} less than {patient.enough:.0%}: relative positions", size)  # fmt: skip
    elif size < patient.rough or (patient.kept_in and _little_anywhere(patient)):
        yield patient.rounded(check, f"{says} the answers", size, "lesson 21")
    elif not patient.in_attention:
        more = patient.relative and _seen_inside(inside.values_that_turn, patient, by)
        more = more or (
            maybe("reaches-more | positions reach more than the scores", "a table that is added, values that "
                  "are rotated, and, where there is a sink, scores that go by positions"),
            "what is added and what turns",
        ) if patient.relative else ()  # fmt: skip
        yield Finding(check, status, f"{says} the answers: absolute positions", size, *more)
    else:
        yield _not_a_rotation(patient, check, size, status, f"{says} the answers")


def _not_a_rotation(patient, check, size, status, says):
    """The `Finding` where positions act in the attention alone, and moving them all changes the answers."""
    culprit = ABSOLUTE
    # asked before far positions are: an error there may leave something behind in the model
    if patient.relative and (patient.moved(1) >= patient.enough or size < MUCH):
        culprit = _turned_unlike(patient)
    try:
        if patient.unfilled or _confused(patient):
            return Finding(check, "wrong", says, size, *_why_confused(patient))
        if culprit == NO_ROTATION and _little_anywhere(patient):
            culprit = ROUNDED_CACHE
    except Crash as crash:  # what was seen stays true
        patient.unless_a_slip(crash)
    if not patient.relative:
        should = "if it should not, say relative = True and this is wrong"
        return Finding(check, status, f"{says}, and not as a table does; {should}", size)
    if culprit == NO_ROTATION and patient.works_in:  # large weights make much of a last bit
        return patient.rounded(check, says, size, "lesson 21")
    if culprit == NO_ROTATION and size < patient.perhaps_rough:
        culprit = "", f"is it rounded to 16 bits inside? Ask in float32. If it is: {NO_ROTATION[1]}"
    return Finding(check, status, says, size, *culprit)


def _shifted_far(patient, check):
    """The `Finding` where a long text is not what it was when it is moved, though a short one is."""
    by = SHIFT + 1  # of which groups of positions are no part
    short = min(0, patient.within(by, patient.long.shape[1]) - by)
    text = patient.long[:, : max(LENGTH, patient.long.shape[1] + short)]
    ids = torch.arange(text.shape[1])[None]
    try:
        size = patient.difference(patient.rows(text, ids), patient.rows(text, ids + by))
        if size < max(MUCH, 2 * patient.tolerance, patient.rough):  # small formats are another check's
            return None
        if (seam := _seam(patient)) and _at_the_seam(patient, seam):  # which 'far positions' names
            return None
    except Crash:  # a table or a cache of angles may end there
        return None
    says = f"moving a text of {text.shape[1]} tokens by {by} changes the answers, and a short one none"
    if patient.kept_in and _little_anywhere(patient, text):
        return patient.rounded(check, says, size, "lesson 21")
    return Finding(check, "wrong" if patient.relative else "note", says, finite(size), *ABSOLUTE)


def _little_anywhere(patient, text=None):
    """Does it matter as little how far a text is moved as where keys are kept in 16 bits after their turn?"""
    text, most = patient.text if text is None else text, LITTLE * (8 if patient.kept_in in TINY else 1)
    moves = [patient.within(by, text.shape[1]) for by in (1, SHIFT, 1_000, 2**15)]
    ids, *others = (by + torch.arange(text.shape[1])[None] for by in (0, *moves))
    sizes = [patient.difference(patient.rows(text, ids), patient.rows(text, other)) for other in others]
    inside = patient.works_in or patient.perhaps_rough  # or the rounding of all the model does
    return "cache" in patient.arguments and not inside and max(sizes) < min(most, 4 * min(sizes))


def _confused(patient, offset=2**15, limit=0.1):
    """Is a text far out answered as if all its tokens stood at one place?"""
    offset = patient.within(offset)
    far = [patient.rows(patient.text, offset + count) for count in (patient.count, 0 * patient.count)]
    return patient.difference(*far) < limit


def _why_confused(patient):
    """At 1,000 the coarsest format still tells every fourth position from the others, near 0 all of them."""
    if patient.unfilled or _little_anywhere(patient):
        return patient.unfilled or ROUNDED_CACHE
    if _confused(patient, SHIFT, patient.enough):
        return CUT_OFF
    if patient.moved(1) > 0.3:
        return TOO_FAST
    if (seam := _seam(patient)) and (found := _at_the_seam(patient, seam)):
        return found
    culprit = "small-format | far out, positions count otherwise"
    perhaps = maybe(culprit, "positions or angles in a small format, and a rule or a scale for far positions")
    return SMALL_FORMAT if _confused(patient) else (perhaps, *SMALL_FORMAT[1:])


def _seam(patient):
    """A position that is taken for another one, where moving a text shows it; or None.

    Two halves of a text, a gap apart, are moved. Where one of them is no longer at its place, they are not as
    far apart as before.
    """
    draw = torch.Generator().manual_seed(0)
    for power in range(3, 19):
        apart = patient.count + 2**power // 4 * (patient.count >= LENGTH // 2)
        if apart.max() >= patient.end:  # a table ends
            return None
        near = patient.rows(patient.text, apart)

        def broken(by, limit=patient.enough if power < 14 else 0.1, apart=apart, near=near):
            return patient.difference(patient.rows(patient.text, apart + by), near) >= limit

        most = min(2**power, patient.end - apart.max().item())
        high = next(filter(broken, torch.randint(most, (4,), generator=draw).tolist()), None)
        if high is not None:
            low = 0
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if broken(middle) else (middle, high)
            return high + apart.max().item()
    return None


def _at_the_seam(patient, seam):
    """(culprit, look_at, lesson) of what becomes of positions from `seam` on, or ()."""

    def taken_for(change):
        """Is a text across the seam what it would be with these positions, and not what it should be?"""
        across = patient.count + patient.within(max(0, seam - OLD))
        if torch.equal(across, change(across)):
            return False
        try:
            rows, told = (patient.rows(patient.text, positions) for positions in (across, change(across)))
        except Crash:  # a table has no rows below 0
            return False
        return not patient.same(rows, patient.rows(patient.text, patient.count)) and patient.same(rows, told)

    periods = [seam // k for k in range(40, 0, -1) if seam % k == 0 and seam // k > 3]
    for period in (*periods, 2**8, 2**16):
        if taken_for(lambda p, period=period: p - period * (p >= seam)):
            as_in = {2**8: ", as in int8 or uint8", 2**16: ", as in int16"}.get(period, "")
            where = "the dtype of the positions, or where their remainder is taken"
            return f"wrapped | positions begin again after every {period:,}{as_in}", where, "lesson 21"
    if taken_for(lambda p: p.clamp(max=seam - 1)):
        return CUT_OFF
    rounded = any(taken_for(lambda p, dtype=dtype: p.to(dtype).long()) for dtype in SMALL)
    return SMALL_FORMAT if rounded else ()


def _equal_places(patient):
    """(culprit, look_at, lesson) if a table answers two places alike: one token alone, at many places."""
    edges = [
        side + by for power in range(7, 18) for side in (2**power, 3 * 2**power // 2) for by in (-1, 0, 1, 2)
    ]
    places = sorted({*range(128), *edges, 1_000, 10_000, 100_000})
    places = [place for place in places if place < patient.end]
    rows = [patient.rows(patient.text[:, :1], torch.tensor([[place]])) for place in places]

    def alike(row, others):  # to the last digits: a logarithm of far positions hardly grows
        return [patient.difference(row, other) < 1e-9 for other in others]

    if all(alike(rows[0], rows)):  # a token alone knows no place: no table
        return ()
    for at, row in enumerate(rows):
        if any(found := alike(row, rows[:at])):
            words = f"position {places[at]:,} is taken for position {places[found.index(True)]:,}"
            if places[at] - places[found.index(True)] == 1 and not all(alike(row, rows[at:])):
                seen, where = f"rounded | positions are rounded: {words}", "their dtype (bfloat16, float16)"
                return seen, where, "lesson 21"
            if at + 1 == len(rows):
                causes = "positions that are cut off or rounded, and rows of the table that are equal"
                return maybe(f"taken-for | {words}", causes), "their dtype; clamp, min", "lesson 21"
            if all(alike(row, rows[at:])):
                little = at > 1 and patient.same(*rows[at - 2 : at], by=10)  # it ends little by little
                return () if little else (CUT_OFF[0], f"{words}; {CUT_OFF[1]}", CUT_OFF[2])
            return f"taken-for | {words}", "a remainder, or a format too small for positions", "lesson 21"
    return ()


def _far(patient, check):
    if patient.grows:
        yield Finding(check, "not tried", "'longer text' must be right first")
        return
    if not patient.in_attention and (found := _equal_places(patient)):
        yield Finding(check, "wrong", "a token alone gets the same rows at two places", 0, *found)
        return
    near, far, very_far = (patient.moved(patient.within(by)) for by in (SHIFT, 1_000, FARTHEST))
    seam = _seam(patient) if near < patient.enough and not patient.rough else None
    by, some, most = (f"{patient.within(by):,}" for by in (SHIFT, 1_000, FARTHEST))
    little, ends = f"less than {patient.enough:.0%}", patient.end < FARTHEST
    if patient.end == LENGTH:
        yield Finding(check, "not tried", f"positions from {LENGTH} on are not answered")
    elif near >= patient.enough:
        says = f"they are answered{f' up to {patient.end - 1:,}' * ends}; "
        says += "where moving all positions changes nothing, more can be tried"
        yield Finding(check, "note", says)
    elif found := _at_the_seam(patient, seam) if seam else ():
        says = f"moving two halves of a text by the same number changes the answers, at position {seam:,}"
        yield Finding(check, "wrong", says, finite(patient.moved(patient.within(max(0, seam - OLD)))), *found)
    elif far < patient.enough and seam and _confused(patient):
        says = f"moving a text by a number changes the answers, at position {seam:,}"
        yield Finding(check, "wrong", says, finite(patient.moved(patient.within(2**15))), *SMALL_FORMAT)
    elif patient.enough <= far and (far < patient.rough or (patient.kept_in and _little_anywhere(patient))):
        yield patient.rounded(check, f"moving all positions by {some} changes the answers", far, "lesson 21")
    elif far >= patient.enough:
        says = f"moving all positions by {by} changes {little}, by {some} the answers"
        yield Finding(check, "wrong", says, finite(far), *_why_confused(patient))
    elif very_far >= patient.enough:
        says = f"by {some} it changes {little}, by {most} {share(very_far)}: no fault in shorter texts"
        yield Finding(check, "note", says, finite(very_far))
    else:
        yield Finding(check, "right", f"moving all positions by {most} changes {little}", very_far)


LIMITED = "what texts share: experts of limited capacity, a norm over the batch"
FIRST_FOR_ALL = "first-positions | the positions of the first text are used for all", "position_ids[:1]"
LEAST_FOR_ALL = f"{FIRST_FOR_ALL[0]}, or the smallest of all texts", "position_ids[:1], .min(dim=0)"

OF_ANOTHER = (
    maybe("other-positions | a text notices which positions the other texts of the batch have",
          "whether it gets the positions of another text, and what is made of the largest of them all"),
    "position_ids[-1:], position_ids.max()",
)  # fmt: skip


def _of_another(patient, ids, ask):
    """Do the rows of the first text change when the other texts get other positions?"""
    return not patient.same(ask(ids)[:1], ask(torch.cat([ids[:1], 2 * ids[1:]]))[:1])


def _batch(patient, check):
    def judged(positions):
        each = [None] * 3 if positions is None else positions[:, None]
        alone = [patient.rows(row[None], own) for row, own in zip(patient.tokens, each)]
        copies = patient.rows(patient.text.repeat(3, 1))
        equal = patient.rows(patient.text[:, :1].repeat(3, LENGTH))
        by_place = not patient.same(copies, copies[:1])
        numbered = by_place and patient.same(equal, equal[:, :1])
        known = patient.known

        def as_if(make):
            """The same texts, each with the positions that it would get; unknown without position_ids."""
            each = [patient.rows(patient.text, make(number)) for number in range(3)]
            return patient.same(copies, torch.cat(each))

        return patient.verdict(
            check, patient.rows(patient.tokens, positions), torch.cat(alone),
            "a text gets the same rows alone and in a batch", "a text gets other rows in a batch than alone",
            "lesson 05", [
                ("number-of-the-text | the number of the text is taken for the position",
                 "the order of the axes (batch, n_q)",
                 lambda: numbered and known and as_if(lambda number: 0 * patient.count + number)),
                ("goes-on | positions go on from one text of the batch to the next",
                 "the axis along which they are counted",
                 lambda: by_place and known and as_if(lambda number: patient.count + LENGTH * number)),
                ("bias-of-texts | equal texts get another bias in a batch", "the axes of the bias: view, "
                 "repeat and repeat_interleave where texts and heads share an axis", "lesson 11",
                 lambda: by_place and positions is None and _seen_inside(inside.bias_of_texts, patient)),
                (maybe("number-of-the-text-perhaps | equal texts get other rows, unless all their tokens are "
                       "equal", "the number of the text, taken for the position, and what lies along the "
                       "texts and should not, such as slopes"), f"the order of the axes; {LIMITED}",
                 # then it is 0 for a text alone, which shows no order
                 lambda: numbered and not known
                 and ("mask" not in patient.arguments or _no_order(patient) is not False)),
                (maybe("laid-out | equal texts get other rows, whatever the other texts hold", "the order in "
                       "which heads, the slopes of a bias and positions lie for the texts"),
                 "view, repeat and repeat_interleave where texts and heads share an axis",
                 lambda: by_place and positions is None and not any(moved_by(0)[1:])),
                (*FIRST_FOR_ALL, lambda: torch.cat(
                    [patient.rows(row[None], positions[:1]) for row in patient.tokens])),
                (*OF_ANOTHER, lambda: positions is not None and _of_another(
                    patient, positions, lambda ids: patient.rows(patient.tokens, ids))),
                ("first-text | something of the first text is used for all, such as keys, values or a mask",
                 "[:1], and expand",
                 lambda: moved_by(0)[1:] == [True, True] and not moved_by(1)[0] and not moved_by(1)[2]),
                (maybe("mixed | a text notices what the other texts of its batch hold", "the axis along "
                       "which attention looks (batch_first), and what is summed or averaged over the texts"),
                 f"the axis of each sum, mean and norm; {LIMITED}", lambda: any(moved_by(0)[1:])),
            ],
        )  # fmt: skip

    def moved_by(number):
        """For each text whether it notices that another one is put in the place of this one."""
        tokens = patient.tokens.clone()
        tokens[number] = patient.stranger
        return [not patient.same(*pair) for pair in zip(patient.rows(tokens), patient.rows(patient.tokens))]

    # a gap in the middle, of another size in each text, and in the first neither the least nor the most
    gaps = patient.count + torch.tensor([[2], [1], [3]]) * (patient.count >= OLD)
    found = _first_wrong(map(judged, patient.ways(gaps)))
    patient.batches = found.status == "right"
    yield found


def _padded(patient, far=False):
    """A batch of two texts, the first with padding on the left, and what it should be answered.

    Two batches (2, n), with other padding each; mask, positions (2, n); and a function of two lists of
    positions: the rows of each text alone.
    """
    text, long = patient.text[0], torch.cat([patient.tokens[1], patient.tokens[2, :PADDING]])
    if far:
        text, long = patient.long[0, PADDING:], patient.long[0].flip(0)
    paddings = torch.full((PADDING,), patient.stranger), long[:PADDING]
    batch, other = (torch.stack([torch.cat([padding, text]), long]) for padding in paddings)
    mask = torch.ones_like(batch).bool()
    mask[0, :PADDING] = False

    def alone(first=None, second=None):
        return patient.rows(text[None], first)[0], patient.rows(long[None], second)[0]

    return batch, other, mask, (mask.cumsum(dim=1) - 1).clamp(min=0), alone


def _ends(rows, *counts):
    """The last rows of two texts, one after another."""
    return torch.cat([row[-count:] for row, count in zip(rows, counts)])


IDS_UNUSED = (
    "ids-unused | position_ids are not used once there is a mask",
    "where position_ids are made from the mask",
)


def _sees_all_but_itself(patient):
    """Are the rows those of a causal mask that hides each token from itself, and not those of a right one?

    The first token then sees itself all the same, or nothing.
    """
    nothing = _causal(-1)
    nothing[:, 0] = False
    plain, *masked = (patient.rows(patient.text, None, mask) for mask in
                      (None, _causal(), _causal(-1), nothing))  # fmt: skip
    right, *wrong = (patient.same(plain, rows) for rows in masked)
    return not right and any(wrong)


NOT_ITSELF = "not-itself | a token does not see itself", "the diagonal of the causal mask", "lesson 01"


def _far_ways(patient):
    """How a long padded text is asked: not at all where its positions go wrong, which is another check's."""
    ids = patient.ways(torch.arange(patient.long.shape[1])[None])[-1]
    return [ids] if patient.same(patient.rows(patient.long, ids), patient.rows(patient.long)) else []


MANY = 12  # new tokens after a long text
CUT_MASK = (
    "a mask of padding that is dropped or cut at the wrong end, a window or a chunk that counts padding",
    "where the mask is cut to a window, or to the keys that the cache keeps: the last ones?",
)


def _left_padding(patient, check):
    batch, other, mask, positions, alone = _padded(patient)
    counts = LENGTH, LENGTH + PADDING

    def judged(ids, otherwise=("", "")):
        def asked(tokens, mask):
            return _ends(patient.rows(tokens, ids, mask), *counts)

        seen, given = asked(batch, mask), " even with position_ids" if ids is not None else ""

        def padding_matters():
            return not patient.same(seen, asked(other, mask))

        def noticed(place, row):
            """By this row of the padded text?"""
            changed = batch.clone()
            changed[0, place] = other[0, place] if place < PADDING else patient.stranger
            return not patient.same(seen[:LENGTH][row], asked(changed, mask)[:LENGTH][row])

        def off_by_one():
            """Is the first token hidden and no other, or the last one of the padding seen and no other?"""
            hidden = not noticed(PADDING, 2) and noticed(PADDING + 1, 2)
            return hidden or [place for place in range(PADDING) if noticed(place, 2)] == [PADDING - 1]

        def text_matters():
            return any(noticed(place, -1) for place in range(PADDING, PADDING + LENGTH - 1))

        def weights_are_lost():
            """Of equal tokens, with some of them hidden, the rest gets too little."""
            equal = batch * 0 + patient.text[0, 0]
            place = 3 + 0 * batch if patient.known else None
            hidden, plain = patient.rows(equal, place, mask), patient.rows(equal, place)
            return not patient.same(hidden[0, PADDING:], plain[0, PADDING:])

        def of_another_text():
            """Does the first text notice the mask of the second one?"""
            other_mask = mask.clone()
            other_mask[1, 0] = False
            return not patient.same(seen[:LENGTH], asked(batch, other_mask)[:LENGTH])

        def first_only():
            """Is the text right that comes first, in either order, and the other one wrong?"""
            other = patient.rows(batch.flip(0), None if ids is None else ids.flip(0), mask.flip(0))
            right, turned = _ends(alone(), *counts), _ends(other.flip(0), *counts)
            texts = slice(LENGTH), slice(LENGTH, None)
            return [patient.same(rows[text], right[text]) for rows in (seen, turned) for text in texts] == [
                True, False, False, True]  # fmt: skip

        def ones_change(first=None):
            """Is it the mask itself, without any padding, that moves a text, so that it begins at `first`?"""
            ones = torch.ones_like(patient.text).bool()
            with_ones = patient.rows(patient.text, None if ids is None else patient.count, ones)
            if patient.same(with_ones, alone()[0]):
                return False
            return first is None or patient.same(with_ones, patient.rows(patient.text, patient.count + first))

        def sees_later():
            """Does a mask of ones let tokens see the last one?"""
            ones = torch.ones_like(patient.text).bool()
            texts = patient.text, patient.altered(patient.text, -1)
            return not patient.same(*(patient.rows(text, None, ones)[:, :-1] for text in texts))

        def rows_hidden():
            """Does a token that is hidden itself not see the one before it, or the one after it?"""
            texts = patient.text, *(patient.altered(patient.text, place) for place in (OLD - 1, OLD + 1))
            plain, *others = (patient.rows(one, None, patient.count != OLD)[:, OLD] for one in texts)
            return [patient.same(plain, one) for one in others] != [False, True]

        def hiding_all_is_nothing():
            """A softmax doesn't notice a number that is added to all scores."""
            return patient.same(*(patient.rows(batch, ids, all_of_it) for all_of_it in
                                  (torch.ones_like(mask), torch.zeros_like(mask))))  # fmt: skip

        return patient.verdict(
            check, seen, _ends(alone(), *counts), f"padding on the left changes nothing{given[5:]}",
            f"padding on the left changes the rows of the texts{given}", "lesson 19", [
                ("softmax-of-nothing | the softmax of nothing is 0 / 0: padding may look at no key",
                 "let padding look at itself",
                 lambda: bool(seen.isnan().any())),
                ("mask-unused | the mask is not used", "where the mask reaches the scores",
                 lambda: patient.same(patient.rows(other, ids, mask), patient.rows(other, ids))),
                ("mask-axis | the mask is not used, or it does not lie on the keys",
                 "where the mask reaches the scores, and along which axis", lambda: asked(batch, None)),
                ("first-mask | the mask of the first text is used for all", "mask[:1]",
                 lambda: asked(batch, mask[:1].expand_as(mask))),
                ("mask-of-another | a text gets the mask of another text of the batch, and alone its own",
                 "repeat and view, where a mask is repeated over the heads", of_another_text),
                (*IDS_UNUSED, lambda: _ends(alone(patient.count + PADDING), *counts)),
                (*LEAST_FOR_ALL, lambda: _ends(alone(None, positions[:1]), *counts)),
                ("first-padding | the first text of a batch is right, whichever it is, and the other is not: "
                 "what is made of the padding of the first, such as positions, is used for all", "[:1]",
                 first_only),
                ("mask-reversed | the mask lies the wrong way round: its first column is on the last key",
                 "where the mask is turned round or padded", lambda: patient.same(
                     asked(batch, mask.flip(-1)), _ends(alone(), *counts))),
                ("mask-off-by-one | the mask is off by one: it lies on the key before or after its own",
                 "what is put before or after the mask: a column of ones?", off_by_one),
                ("mask-inverted | padding is looked at although the mask forbids it, and text is not",
                 "is True taken for 'hide'?", lambda: padding_matters() and not text_matters()),
                (*NOT_ITSELF, lambda: _sees_all_but_itself(patient)),
                ("begin-at-1 | with a mask, positions begin at 1", "mask.cumsum(dim=1) - 1",
                 lambda: ids is None and patient.known and ones_change(1)),
                ("causal-dropped | once there is a mask of padding, tokens see later ones: the causal mask "
                 "is dropped", "is_causal=mask is None", sees_later),
                (maybe("mask-changes | with a mask, a text without padding changes, too", "positions that "
                       "begin at 1 there, the axis along which they are counted, and a sink or a scale"),
                 "mask.cumsum(dim=1) - 1; what is done only with a mask", ones_change),
                ("mask-finite | the mask is a small number that is added to the scores: it makes padding "
                 "less likely, and doesn't hide it", "is it -inf, or as good as that, where padding is?",
                 lambda: padding_matters() and hiding_all_is_nothing()),
                ("mask-rows | the mask hides what padding sees, and not padding itself",
                 "does the mask lie on the keys, the last axis of the scores, or on the queries?",
                 lambda: patient.even and padding_matters() and rows_hidden()),
                ("mask-late | hidden keys take their share: the mask comes after the softmax, or empties "
                 "only values", "the order of mask and softmax", lambda: patient.even and weights_are_lost()),
                (maybe("mask-weak | padding is noticed although the mask is used", "whether the mask is too "
                       "weak, whether each layer uses it, and whether it lies on the keys"),
                 "is it -inf, or as good as that? Then each layer's mask",
                 lambda: patient.even and padding_matters()),
                ("padding-counted | padding is counted as positions", "count from the first real token",
                 lambda: not patient.known and not patient.settles
                 and not padding_matters() and not patient.same(seen[0], alone()[0][0])),
                (maybe("state-runs-on | padding is noticed although the mask is used", "a state or a "
                       "convolution that runs on through padding, a mask that is weak or comes after the "
                       "softmax, and layers without it"),
                 "where layers without attention learn what is padding", padding_matters),
            ], otherwise,
        )  # fmt: skip

    def far(ids):
        """The same in a long text: a mask that is cut to what a window or a cache keeps, or dropped."""
        batch, _, mask, positions, alone = _padded(patient, far=True)
        n, ids = mask.shape[1], None if ids is None else positions
        with_ids = " with position_ids" if ids is not None else ""
        seen, right = _ends(patient.rows(batch, ids, mask), n - PADDING, n), _ends(alone(), n - PADDING, n)
        first = _first_unlike(patient, seen[: n - PADDING], right[: n - PADDING])
        row = f", and row {first} is the first" * (0 < first < n - PADDING)
        causes = f"{CUT_MASK[0]}, and positions or a state that begin anew"
        culprit = maybe(f"long-mask | this long padded text goes wrong{row}", causes), CUT_MASK[1]
        return patient.verdict(
            check, seen, right,
            f"{PADDING} columns of padding on the left change nothing{with_ids}, in texts of {LENGTH} tokens "
            f"and of {n - PADDING}",
            f"padding on the left changes the rows of a text of {n - PADDING} tokens, and not those of one "
            f"of {LENGTH}", "lesson 19", (), culprit,
        )  # fmt: skip

    def in_turn(ids):
        """The same texts in the other order, asked right after: a mask that is kept is then for another."""
        other = None if ids is None else ids.flip(0)

        def turned(mask):
            return _ends(patient.rows(batch.flip(0), other, mask).flip(0), *counts)

        seen = _ends(patient.rows(batch, ids, mask), *counts)
        found = patient.verdict(
            check, turned(mask.flip(0)), seen, "",
            "two texts with their own padding get other rows in the other order", "lesson 19",
            [("mask-kept | a mask of an earlier call is used for texts of the same shape",
              "what is kept from one call to the next, and by which key: a mask by its shape?",
              lambda: turned(mask))],
            (maybe("order-of-texts | it matters which text comes first", "positions or a mask that are made "
                   "of one text for all, and what is kept of the call before"), "[:1], [-1:]; a cache"),
        )  # fmt: skip
        return [found] if found.status == "wrong" else []

    patient.mask_wrong = True  # until the end
    there = "that padding is there is noticed, and not what it holds"
    counted = maybe(f"padding-counted | {there}", "positions or a window counted with padding or dropped, "
                    "positions of one text for all, and queries and keys that do not turn alike")  # fmt: skip
    own = judged(None, (counted, "count positions from the first real token"))
    patient.counts_from_the_text = own.status == "right"
    trace = (
        maybe(f"padding-there | {there}", "whether given positions are used, a chunk or a window that is "
              "counted by slots or dropped, and a state or a convolution that counts padding"),
        "where positions are made once there is a mask; what is added to padding after it is hidden",
    )  # fmt: skip
    given = judged(positions, trace) if patient.known else own
    if given.status == "right" and own.id.endswith(("/begin-at-1", "/mask-changes")):
        yield own
        return
    notes = []
    try:
        if given.status == "right":
            ids = positions if patient.known else None
            given = _first_wrong([given, *in_turn(ids), *map(far, _far_ways(patient))])
    except Crash as crash:
        patient.unless_a_slip(crash)
        notes.append(Finding(check, "note", f"padding in a text of {patient.long.shape[1]} tokens: {crash}"))
    patient.mask_wrong = given.status == "wrong"
    yield given
    yield from notes
    if given.status == "right" and own.status == "wrong":
        says = "without position_ids, it does: give them, counted from the first real token"
        yield Finding(check, "note", says, own.size, lesson="lesson 19", id=WITHOUT_IDS)


WITHOUT_IDS = "left-padding/without-position-ids"
OFFSET = "the offset by the length of the cache"
CACHED_KEYS = "by-slot |", "unturned |", "turned-again |", "keys-elsewhere |", "cached-bias |"


def _cached(patient, check, cuts):
    if patient.ask(patient.text)[1] is None:
        says = "logits takes a cache, and none comes back"
        yield Finding(check, "failed", says, look_at="return scores, cache")
        return

    later = [cut + patient.long.shape[1] - LENGTH for cut in cuts]  # the same cuts of a long text
    known, notes = patient.known, []

    def judged(positions, mask=None):
        # given position_ids have a gap before the new tokens, which no counting makes
        new = (patient.count if positions is None else positions)[0, OLD:].tolist()
        seen = patient.continued(patient.text, cuts, positions, mask)
        expected = patient.rows(patient.text, positions, mask)[:, OLD:]

        def matters(place, rows=slice(None)):
            other = patient.continued(patient.altered(patient.text, place), cuts, positions, mask)
            return not patient.same(seen[:, rows], other[:, rows], by=100)

        def right_in_the_end():
            """Are equal tokens less wrong where they are many? Then it is the first or the last of them, and
            no rounding."""
            texts = [patient.text[:, :1].repeat(1, n) for n in (2, patient.long.shape[1] - NEW + 1)]
            short, long = (patient.difference(patient.continued(text, [text.shape[1] - 1]),
                                              patient.rows(text)[:, -1:]) for text in texts)  # fmt: skip
            steady = patient.in_attention or patient.settles
            return steady and patient.enough < short and long < short / 4

        def spaced():
            """The whole text with a token, which a mask hides, before the new ones."""
            filler = torch.full((1, 1), patient.stranger)
            text = torch.cat([patient.text[:, :OLD], filler, patient.text[:, OLD:]], dim=1)
            return patient.rows(text, None, text != patient.stranger)[:, -NEW:]

        def alone_differs():
            """Does a new token that sees nothing but itself differ with a cache, and not without one?"""
            if "mask" not in patient.arguments or (patient.steps_right and len(cuts) == 1):
                return False
            text, mask = patient.altered(patient.text[:, OLD - 1 : OLD + 1], 0), torch.tensor([[False, True]])
            ids = torch.arange(2)[None] if known else None
            got, at_once = patient.continued(text, [1], ids, mask), patient.rows(text, ids, mask)[:, 1:]
            right = patient.rows(text[:, 1:], ids[:, 1:] if known else None)
            return patient.same(at_once, right) and not patient.same(got, at_once)

        def any_position(*times):
            """Does it not matter how far the new ones are from cached ones, or from each other?"""
            new = [patient.count + (by + step * patient.count) * (patient.count >= OLD)
                   for by, step in ((2, 0), (5, 0), *((5, step) for step in times))]  # fmt: skip
            first, *rows = (patient.continued(patient.text, cuts, ids) for ids in new)
            return all(patient.same(first, other, by=10) for other in rows)

        stories = [
            ("mask-inverted | once there is a cache, the mask of padding hides what it should show",
             "is True taken for 'hide'?", lambda: mask is not None and patient.same(
                 expected, patient.continued(patient.text, cuts, positions, mask, later=~mask))),
            ("unused | the cache is not used", "where cached keys and values are put before the new ones",
             lambda: not matters(0) and not matters(OLD - 1)),
            ("ids-unused | position_ids are not used once there is a cache", "where position_ids are made",
             lambda: positions is not None and patient.told(range(OLD, LENGTH))),
            ("new-at-0 | every new token is answered as if it stood at position 0, or its query did", OFFSET,
             lambda: patient.told([0] * NEW)),
            ("offset-0 | positions begin again at 0 after the cache", OFFSET,
             lambda: patient.told([p - OLD for p in new])),
            ("offset-twice | the length of the cache is counted twice", f"{OFFSET}: is it added twice?",
             lambda: patient.told([p + (OLD if len(cuts) == 1 else OLD + i) for i, p in enumerate(new)])),
            *((f"offset-{name} | positions after the cache are {words}", OFFSET,
               lambda by=by: patient.told([p + by for p in new]))
              for name, words, by in (("plus-1", "one too far on", 1), ("minus-1", "one too low", -1),
                                      ("plus-2", "two too far on", 2), ("minus-2", "two too low", -2))),
            ("first-for-new | all new tokens get the position of the first",
             "position_ids when several tokens come at once",
             lambda: len(cuts) == 1 and patient.told(new[:1] * NEW)),
            ("offset-plus-1 | positions after the cache are one too far on", OFFSET,
             lambda: not known and patient.same(seen, spaced())),
            (maybe("mask-counts | with a mask, even one of ones, new tokens go wrong, and without one they "
                   "are right", "whether they are counted wrongly from it, whether it hides a token, and a "
                   "state or a sink that hangs on it"),
             "the last n_q of the sums over the mask, not the first ones; how long is it?",
             lambda: mask is not None),
            (maybe("no-position | with a cache, it does not matter at which positions new tokens are",
                   "whether the positions of new tokens are not used, a table that is left out, and a bias"),
             "is the table added, does the rotation turn, when there is a cache?",
             lambda: (len(cuts) == 1 or not patient.in_attention) and any_position(2)),
            (maybe("brought | a new token that should see itself alone differs with a cache", "heads that "
                   "share keys, its position or values, and what else it sees, such as an empty slot, a sink "
                   "or a convolution"),
             "its values and position, heads that share keys; then the mask of what the cache keeps",
             alone_differs),
            (maybe("together | one new token at a time is right, several are not", "the positions "
                   "or distances that each of them gets, a state that is not handed on, and their mask"),
             "the rows of positions or of the bias for several tokens, and what the cache keeps beside keys",
             lambda: patient.steps_right and len(cuts) == 1),
            (maybe("after-a-step | the first new token is right, and those after it are not", "what a "
                   "step leaves of a state or of the end of a convolution, its slots, and its length"),
             "the new cache of a single token",
             lambda: len(cuts) > 1 and patient.same(seen[:, :1], expected[:, :1])),
        ]  # fmt: skip
        causes = "positions or distances of new tokens, cached keys and values (which layer?), and the scale"
        if not patient.even:
            causes = "a state or convolution not kept, positions of new tokens, and cached keys and values"
        otherwise = (maybe("unexplained | with a cache, new tokens go wrong", causes),
            f"{OFFSET}; cached keys: turned again, or kept before the turn? Then the mask of new tokens",
        )  # fmt: skip
        found = patient.verdict(
            check, seen, expected, "with a cache, the rows are those of the whole text at once",
            f"with a cache{' and position_ids' * (positions is not None)}"
            f"{' and a mask of ones' * (mask is not None)}, the rows are not those at once",
            "lesson 19", stories, otherwise,
            perhaps_rounded=lambda: None if right_in_the_end() else not_more_in_a_long_one(),
        )  # fmt: skip
        return seen_inside(found, patient.text, cuts, positions)

    def seen_inside(found, text, cuts, positions):
        """More of a `Finding` that names nothing, if PyTorch shows what new tokens get."""
        offset = "/offset-" in found.id and patient.alike  # then cached keys may as well be moved back
        if found.status != "wrong" or not (offset or "Look first at" in found.culprit):
            return found  # it has a name
        told = _seen_inside(inside.with_cache, patient, text, cuts, positions)
        if offset and (not told or "Look first at" in told[0]):
            return dataclasses.replace(found, culprit=f"{found.culprit}, or cached keys stand elsewhere")
        if offset and not told[0].startswith(CACHED_KEYS):
            return found
        more = dict(zip(("culprit", "look_at", "lesson"), told))
        return dataclasses.replace(found, **more, id="") if more else found

    @functools.cache
    def not_more_in_a_long_one():
        """Rounding does about as much in any text."""
        short, long = (patient.difference(patient.continued(text, first), patient.rows(text)[:, first[0] :])
                       for text, first in ((patient.tokens[:1], cuts), (patient.long, later)))  # fmt: skip
        return long < 4 * short

    @functools.cache
    def rounds():
        """Is a short text with a cache right, but not to the last digits?"""
        seen, right = patient.continued(patient.text, cuts), patient.rows(patient.text)[:, OLD:]
        return patient.difference(seen, right) > patient.enough / 100

    def together():
        """The same in a batch of texts of one length."""

        def noticed_of(number):
            """Which texts notice what the cache keeps of this one?"""
            tokens = patient.tokens.clone()
            tokens[number, :OLD] = patient.stranger
            pairs = zip(*(patient.continued(one, cuts) for one in (tokens, patient.tokens)))
            return [not patient.same(*pair) for pair in pairs]

        seen, right = patient.continued(patient.tokens, cuts), patient.rows(patient.tokens)[:, OLD:]
        if not patient.same(seen, right):  # perhaps each goes wrong alone, and the first one by too little
            alone = torch.cat([patient.continued(text[None], cuts) for text in patient.tokens])
            off = (alone - right).abs().amax(dim=(1, 2))
            if patient.difference(seen, alone) < patient.difference(alone, right) / 10:
                patient.text = patient.tokens[off.argmax()][None]
                try:
                    return judged(None)
                finally:
                    patient.text = patient.tokens[:1]
        return patient.verdict(
            check, seen, right,
            "with a cache, the rows are those of the whole text at once, in a batch, too",
            "with a cache, one text goes on as at once, and a batch of texts does not", "lesson 19",
            [("first-cache | what is kept of the first text, or a part such as a state, is used for all",
              "[:1], or expand, in all that the cache keeps",
              lambda: all(noticed_of(0)) and not any(noticed_of(1)[::2]))],
            ("batch-cache | only a batch of texts goes wrong with a cache: what is kept of them, their "
             "positions, or their mask",
             "the axis of the texts in all that the cache keeps, and what hangs on how many they are"),
            rounds,
        )  # fmt: skip

    def then_one():
        """What follows several new tokens, one at a time: does the cache keep them all?"""
        old = OLD - NEW
        seen = patient.continued(patient.text, [old, *range(OLD, LENGTH)])[:, NEW:]

        def without(first):
            kept = [*range(first), *range(OLD, LENGTH)]
            return patient.rows(patient.text[:, kept])[:, first:]

        where = "what is kept of several new tokens, and how far on the cache counts"
        return patient.verdict(
            check, seen, patient.rows(patient.text)[:, OLD:],
            "", "a token that follows several new ones goes wrong, and those are right", "lesson 19", [
                ("one-kept | of several new tokens only the first is kept", where, lambda: without(old + 1)),
            ], ("after-several | what the cache keeps after several new tokens is wrong", where), rounds,
        )  # fmt: skip

    def in_turn():
        """Two conversations in turn."""
        one, other = (patient.ask(text[None, :OLD])[1] for text in patient.tokens[:2])
        found = patient.verdict(
            check, patient.ask(patient.text[:, OLD:], cache=one)[0], patient.rows(patient.text)[:, OLD:],
            "with a cache, the rows are those of the whole text at once, of two texts in turn, too",
            "a text does not go on from its own cache once another text was begun", "lesson 19", (),
            ("not-its-own | the cache that is given is not the one that is used",
             "is a cache kept in the model, or shared between calls?"), rounds,
        )  # fmt: skip
        if found.status == "wrong" and (one is other or isinstance(one, int | str)):
            notes.append(f"{found.says}: this model holds one cache for all")
            return dataclasses.replace(found, status="right")
        return found

    def far_back(ids, later=later, only="and no shorter one", grows="the length of the text"):
        """The same in a long text: windows, and caches that drop what is old."""
        seen = patient.continued(patient.long, later, ids)
        found = patient.verdict(
            check, seen, patient.rows(patient.long, ids)[:, later[0] :],
            f"with a cache and the last {NEW} tokens {'at once' if len(cuts) == 1 else 'one by one'}, "
            f"the rows are those of the whole text, of {LENGTH} tokens and of {patient.long.shape[1]}",
            f"in a text of {patient.long.shape[1]} tokens {only}, the "
            "rows with a cache are not those at once", "lesson 20",
            (), (maybe(f"long-cache | something changes with {grows}", "a cache that is cut, a "
                   "window, and slots of the cache that are taken for positions"),
             "what is dropped from the cache, and which keys were turned before"),
            rounds,
        )  # fmt: skip
        return seen_inside(found, patient.long, later, ids)

    def rejected():
        """A draft of two tokens that is taken back. Caches of transformers know how."""
        cache = patient.ask(patient.text[:, :OLD])[1]
        draft = patient.text[:, :2] * 0 + patient.stranger
        cache = patient.ask(draft, cache=cache)[1]
        cache.crop(-2)
        return patient.verdict(
            check, patient.ask(patient.text[:, OLD:], cache=cache)[0], patient.rows(patient.text)[:, OLD:],
            "with a cache, the rows are those of the whole text at once, after a rejected draft, too",
            "after cache.crop, the rows are not those without the draft", "lesson 20", (),
            ("draft-kept | a rejected draft is kept", "what crop does not take back: a state, or positions"),
        )  # fmt: skip

    def all_of_them():
        yield from map(judged, patient.ways(patient.count + 2 * (patient.count >= OLD)))
        if "mask" in patient.arguments and not patient.mask_wrong:
            with contextlib.suppress(Crash):  # padded, step by step says so
                yield judged(None, torch.ones_like(patient.text).bool())
        if len(cuts) == 1 and patient.steps_right:
            yield then_one()
        for more in ([together] if patient.batches else []) + ([in_turn] if len(cuts) == 1 else []):
            try:
                yield more()
            except Crash as crash:  # a cache for one text, and the model says so
                notes.append(f"several texts with a cache: {crash}")
        yield from map(far_back, patient.ways(torch.arange(patient.long.shape[1])[None])[::-1])
        if (n := patient.long.shape[1]) > MANY + OLD and not rounds():  # wrong after some steps only
            more = [*range(n - MANY, n)] if len(cuts) > 1 else [n - MANY]
            only = f"with {MANY} new ones, and not with {NEW}"
            yield far_back(None, more, only, "the number of new tokens")
        if len(cuts) == 1 and hasattr(patient.ask(patient.text[:, :OLD])[1], "crop"):
            try:
                yield rejected()
            except (Crash, NotImplementedError, RuntimeError, TypeError, ValueError):
                pass  # a cache that takes nothing back, and says so

    found = _first_wrong(all_of_them())
    patient.steps_right = len(cuts) > 1 and found.status == "right"
    patient.several_right = len(cuts) == 1 and found.status == "right"
    yield found
    yield from (Finding(check, "note", says) for says in notes)


def _padded_steps(patient, check):
    batch, other, mask, positions, alone = _padded(patient)
    one_at_a_time = [*range(OLD + PADDING, LENGTH + PADDING)]
    long = patient.long.shape[1]

    def judged(ids, cuts=one_at_a_time):
        several = ", several tokens at once" * (len(cuts) == 1)
        seen, expected = patient.continued(batch, cuts, ids, mask), _ends(alone(), NEW, NEW)
        otherwise = (
            maybe("padding-perhaps | only the padded text goes wrong", "whether padding is counted once "
                  "there is a cache, whether the mask lies on the keys that it is for, and a state"),
            "mask[:, -n_q:] for new tokens, mask[:, -n_k:] for keys; where the model counts by itself",
        ) if patient.same(_ends(seen, NEW, NEW)[NEW:], expected[NEW:]) else (
            maybe("in-company | a text without padding goes wrong beside a padded one", "whether it gets the "
                  "positions or the mask of that one"),
            "[:1], and the axis along which positions are counted",
        )  # fmt: skip

        def padding_matters():
            return not patient.same(seen, patient.continued(other, cuts, ids, mask))

        found = patient.verdict(
            check, _ends(seen, NEW, NEW), expected,
            "texts padded on the left go on with a cache as each does alone",
            f"texts padded on the left{' and given position_ids' * (ids is not None)} do not go on with a "
            f"cache as each does alone{several}", "lesson 19", [
                ("mask-unused | the mask is not used once there is a cache",
                 "where the mask reaches the scores",
                 lambda: padding_matters() and any(patient.same(seen, patient.continued(
                     batch, cuts, own, mask, later=torch.ones_like(mask))) for own in (ids, positions))),
                ("mask-elsewhere | the mask is not used once there is a cache, or it does not lie on the "
                 "keys that it is for",
                 "are new keys put after the old ones, and the mask in the same order?",
                 lambda: padding_matters()),
                (*OF_ANOTHER, lambda: _of_another(
                    patient, ids, lambda ids: patient.continued(batch, cuts, ids, mask))),
                ("padding-counted | padding is counted as positions once there is a cache",
                 "where the model counts by itself",
                 lambda: _ends(alone(torch.tensor([[*range(OLD), *one_at_a_time]])), NEW, NEW)),
                (*LEAST_FOR_ALL, lambda: _ends(alone(None, torch.tensor(
                    [[*range(cuts[0]), *range(OLD, LENGTH)]])), NEW, NEW)),
            ], otherwise, perhaps_rounded=lambda: True,
        )  # fmt: skip
        if not found.id.endswith("/padding-perhaps"):
            return found
        first = None if ids is None else ids[:1]
        told = _seen_inside(inside.with_cache, patient, batch[:1], cuts, first, mask[:1])
        more = dict(zip(("culprit", "look_at", "lesson"), told))
        if not more or "beside-attention" in more["culprit"]:
            return found
        more["culprit"] += f", in a text with {PADDING} columns of padding"
        return dataclasses.replace(found, **more, id="")

    def far(ids, cuts):
        batch, _, mask, positions, alone = _padded(patient, far=True)
        ids = None if ids is None else positions
        return patient.verdict(
            check, _ends(patient.continued(batch, cuts, ids, mask), NEW, NEW), _ends(alone(), NEW, NEW),
            f"texts padded on the left go on with a cache as each does alone, those of {LENGTH} tokens and "
            f"of {long - PADDING}",
            f"texts of {long - PADDING} tokens, padded on the left, do not go on with a cache as each does "
            f"alone, and those of {LENGTH} do", "lesson 19", (),
            (maybe("long-mask | only a long padded text goes wrong",
                   f"{CUT_MASK[0]}, and old keys that are lost"), CUT_MASK[1]),
            perhaps_rounded=lambda: True,
        )  # fmt: skip

    notes, ways = [], patient.ways(positions)[not patient.counts_from_the_text :]

    def all_of_them():
        yield from map(judged, ways)
        try:
            if patient.several_right:
                yield from (judged(ids, one_at_a_time[:1]) for ids in ways)
            far_ways = _far_ways(patient)
            for first in [[long - NEW]] * patient.several_right + [[*range(long - NEW, long)]]:
                yield from (far(ids, first) for ids in far_ways)
        except Crash as crash:
            patient.unless_a_slip(crash)
            notes.append(Finding(check, "note", f"several new tokens, or a text of {long} tokens: {crash}"))

    yield _first_wrong(all_of_them())
    yield from notes


def _packing(patient, check):
    one = patient.tokens[:1, :OLD]

    def packed_with(other):
        """The packed texts, their positions along the row and in each text, and the masks."""
        packed, count = torch.cat([one, other], dim=1), torch.arange(other.shape[1])[None]
        text = torch.tensor([0] * OLD + [1] * other.shape[1])
        along = positions = None
        if patient.known:
            along, positions = torch.arange(len(text))[None], torch.cat([count[:, :OLD], count], dim=1)
        causal = torch.ones(1, len(text), len(text)).tril().bool()
        return packed, along, positions, causal, (text[:, None] == text) & causal

    def understood(other):
        packed, along, _, causal, _ = packed_with(other)
        return patient.same(patient.rows(packed, along, causal), patient.rows(packed, along))

    def judged(other):
        packed, along, positions, _, between = packed_with(other)

        def runs_on():
            """Does the second text notice the first one, although the mask hides it and every score obeys?"""
            return not patient.same(*(patient.rows(texts, positions, between)[:, OLD:] for texts in
                                      (packed, patient.altered(packed, slice(OLD)))))  # fmt: skip

        if patient.unused and not patient.known and runs_on():  # they may tell a state that a text begins
            patient.arguments += patient.unused
            try:
                return judged(other)
            finally:
                patient.arguments = [one for one in patient.arguments if one not in patient.unused]
        seen, first = patient.rows(packed, positions, between), patient.rows(one)
        right, both = torch.cat([first, patient.rows(other)], dim=1), "packed into one row"
        says = f"two texts {both} get the rows that each gets alone"
        if positions is None and not patient.same(seen, right) and not runs_on():
            # by the mask alone: of positions that run on nothing is said
            right = torch.cat([first, seen[:, OLD:]], dim=1)
            says = f"of two texts {both} the first gets its rows, and the other doesn't see it"
        return patient.verdict(
            check, seen, right, says,
            f"two texts {both} do not get the rows that each gets alone", "lesson 19", [
                ("mask-unused | the mask between the texts is not used",
                 "where a mask with three axes reaches the scores",
                 lambda: patient.rows(packed, positions)),
                ("mask-last-row | of a mask with three axes, each token gets the row of the last one",
                 "where it is cut", lambda: patient.rows(packed, positions, between[:, -1])),
                (*IDS_UNUSED, lambda: torch.cat(
                    [patient.rows(one), patient.rows(other, along[:, OLD:])], dim=1)),
                ("mask-late | hidden keys take their share: the mask comes after the softmax, or empties "
                 "only values", "the order of mask and softmax",
                 lambda: patient.even and runs_on() and not patient.same(
                     *(patient.rows(packed * 0 + packed[:, :1], positions, one) for one in (None, between)))),
                (maybe("mask-weak | the second text notices the first one although the mask hides it",
                       "layers that do not use the mask, and whether it is too weak"), "each layer's mask",
                 lambda: patient.even and runs_on()),
                (maybe("runs-on | the second text notices the first one although the mask hides it", "a "
                       "state or a convolution that runs on from one text to the next, and layers that do "
                       "not use the mask"),
                 "where layers without attention learn that a new text begins; then each layer's mask",
                 runs_on),
                (maybe("first-packed | the first text changes, and the other one doesn't see it", "the row "
                       "of the mask that each token gets, positions that are counted from a row of it, and "
                       "a mask that hides too much"), "where one row of a mask with three axes is taken",
                 lambda: not patient.same(seen[:, :OLD], first)),
            ],
        )  # fmt: skip

    try:
        takes_it = understood(patient.tokens[1:2])
    except Crash as crash:
        patient.unless_a_slip(crash)
        yield Finding(check, "not tried", f"a mask (batch, n_q, n_k) is refused: {crash}")
        return
    if not takes_it:
        mistakes = [
            (NOT_ITSELF, _causal(-1)),
            (("mask-transposed | queries and keys of a mask with three axes change places",
              "transpose, or .mT"), _causal().mT),
            (("mask-inverted | a mask with three axes hides what it should show",
              "is True taken for 'hide'?"), ~_causal()),
        ]  # fmt: skip
        right = [told for told, mask in mistakes if patient.same(
            patient.rows(patient.text, None, mask), patient.rows(patient.text))]  # fmt: skip
        says = "a mask (batch, n_q, n_k) that is just the causal one is taken, and changes the rows"
        if right:
            yield Finding(check, "wrong", says, 0, *right[0])
        else:
            look_at = "does it take the place of a window? That should go on top. If it's not for such masks"
            yield Finding(check, "not tried", says, look_at=f"{look_at}, raise an error")
        return
    short, long = judged(patient.tokens[1:2]), patient.long[:, : patient.long.shape[1] - OLD]
    _, along, *_ = packed_with(long)
    ids = None if along is None else along[:, : long.shape[1]]
    # positions that are wrong beyond those of a short text are another check's
    if short.status != "right" or not patient.same(patient.rows(long, ids), patient.rows(long)):
        yield short
    elif understood(long):
        yield judged(long)
    else:
        yield short
        says = (
            "a window is not applied on top of a mask with three axes: one that is just the causal one "
            f"changes the rows of a text of {patient.long.shape[1]} tokens, and not those of a shorter one"
        )
        look_at = "packed texts longer than the window; if it should hold there, it goes on top of the mask"
        yield Finding(check, "note", says, look_at=look_at, id="packing/window-dropped")


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
    "left padding": (_left_padding, ("mask",), ("future", "longer text", "first position", "batch")),
    "step by step": (functools.partial(_cached, cuts=[*range(OLD, LENGTH)]), ("cache",), SOUND),
    "several new tokens": (functools.partial(_cached, cuts=[OLD]), ("cache",), SOUND),
    "padded, step by step": (_padded_steps, ("mask", "cache"), ("left padding", "step by step")),
    "packing": (_packing, ("mask",), (*SOUND, "left padding")),
}


UNLIKE_ALONE = (
    maybe("alone | a token alone differs, too", "the order of heads that share keys, a sink, and weights and "
          "norms"),
    "repeat_interleave or repeat? Then the weights.",
)  # fmt: skip
UNLIKE_FIRST = (
    maybe("first | a token at the first position differs", "the row at which a table begins, the order of "
          "its columns, and how much of it is added, and where"),
    "sines and cosines in turn, or in halves? Is sqrt(d) for the embedding alone? Then weights.")  # fmt: skip
UNLIKE_STATE = (
    maybe("alone-state | a token alone differs, too, and equal tokens get different rows here", "the taps of "
          "a convolution or the decay of a state, a sink, and the scale and positions of queries and keys"),
    "which of the taps is for the newest token? Then heads that share keys, weights and norms.")  # fmt: skip
UNLIKE_LATER = (
    maybe("distance | a token alone is right, and others are not", "the decay of a state, the taps of a "
          "convolution, and what attention does with distances"),
    "the decay; which of the taps is for the newest token? Then attention.")  # fmt: skip
WIDE = 499  # 9 times as far, angles in float32 are still right to 0.001
UNLIKE_WIDE = (
    maybe("wide | only tokens that stand far apart differ", "frequencies that are rounded or otherwise a "
          "little off, positions that are rounded or cut off, and a rule for far tokens"),
    "the dtype of frequencies and of positions; a window, and a rule for long texts")  # fmt: skip
UNLIKE_SINKS = (
    maybe("sinks | equal tokens get different rows in the reference alone", "a table, a sink and a state "
          "that are left out"), "what tokens get; the softmax; layers without attention")  # fmt: skip
UNLIKE_AT_0 = (
    maybe("at-0 | with all tokens at position 0 they differ, too, and a token alone does not", "the scale of "
          "the scores or norms, queries that do not stand where keys do, and the order of heads"),
    "the scale of the scores; has a rule for long texts a factor? Then the mask, and a sink.")  # fmt: skip
UNLIKE_TABLE = (
    maybe("table | a token at the first position is right, and others are not", "the base or its exponent, "
          "a factor on positions, and values that turn"), "base 10,000? Exponent 2i / d?")  # fmt: skip
KINDS = {"turns": ("the speeds of angles and their rounding, the pairs that columns form (the columns "
              "that make a pair may get different angles), and what turns (columns, layers, keys)",
              "the base, its exponent and a rule for long texts; rotary_dim and the layout of the pairs; the "
              "plan of the layers"),
    "fades": ("the slope or the table of each head and its size, the layers that get it, and the scale of "
              "the scores", "the slopes or the table of the bias, and the layers that get it; sqrt(d)"),
}  # fmt: skip
EITHER = (
    "the bias of each head or the speeds, pairs and places of its rotation, the layers that get it, and the "
    "scale of the scores or a softcap",
    "slopes; the base, the exponent 2i / d and the layout of the pairs; the plan of the layers")  # fmt: skip
NOWHERE = (
    "nowhere | nothing turns, or all tokens get one row of a table: with all tokens at 0 the reference "
    "answers so, too", "the plan of the layers; what is made of positions", "lesson 15")  # fmt: skip


def _pair(patient, ask, far, given):
    """The last rows of three pairs of tokens so far apart: by position_ids, or else all between is hidden."""
    pairs = torch.cat([patient.tokens[:, :1], patient.tokens[:, 1:2]], dim=1)
    if given:
        return torch.cat([ask(pair[None], torch.tensor([[0, far]]), None)[:, -1] for pair in pairs])
    texts = torch.full((3, far + 1), patient.stranger - 1)
    texts[:, [0, -1]] = pairs
    mask = torch.arange(far + 1)[None] % far == 0
    return torch.cat([ask(text[None], None, mask)[:, -1] for text in texts])


def _first_unlike(patient, one, other):
    """The first row that differs, to the last digits, or their number."""
    differ = ((one - other).abs().amax(dim=-1) / patient.scale > patient.enough / 100).nonzero()
    return differ[0].item() if len(differ) else len(one)


def _counts_tokens(patient):
    """Are rows of equal tokens others, though no table is added? There may be a state."""
    return not patient.alike and (patient.in_attention if patient.known else patient.settles)


def _unlike_far(patient, right, text, ids=None):
    """(culprit, look_at), or None where the rows of near tokens differ, too. Does the first row that differs
    do so where it sees the token before it alone? Then it is its place, and no distance."""
    models = patient, right
    first, apart = _first_unlike(patient, *(one.rows(text, ids)[0] for one in models)), None
    if not 1 < first < text.shape[1]:
        return None
    near, says = torch.arange(text.shape[1])[None] - first, f"row {first} is the first that differs"
    with contextlib.suppress(Crash):
        spaced = patient.alike and [_pair(patient, patient.rows, far, False) for far in (1, 8)]
        if ids is not None or (spaced and not patient.same(*spaced)):  # the mask is not what is counted
            near = (near == 0) | (near == -1)
            apart = patient.same(*(one.rows(text, ids, near)[:, first] for one in models))
    if apart is False:
        says = f"from-place | {says}, even where it sees the token before it alone"
        causes = "positions that are cut off or begin again (int8: at 128), and a table that ends"
        return maybe(says, causes), "the dtype of positions, and where they are made."
    with contextlib.suppress(Crash):  # what is near may be right by chance, where little is asked
        for far in range(1, min(first, LENGTH) if patient.alike else 1):
            if not patient.same(*(_pair(patient, one.rows, far, ids is not None) for one in models), by=100):
                return None
    causes = "the window, its layers, and speeds a little off or a rule for far tokens, like buckets"
    if not (apart and patient.alike):
        other = "speeds a little off or a rule for far tokens" if patient.alike else "taps or a state"
        causes = f"positions that are cut off or begin again (int8: at 128), {other}, and a window"
    says = f"from-distance | {says}{', and only tokens some way apart do so' if apart else ''}"
    where = "does a window count the token itself? Are half of the buckets for later tokens?"
    return maybe(says, causes), where


def _unlike(patient, right, answered):
    """(culprit, look_at) for rows that are not those of the reference: a list of what may differ."""
    if not patient.same(*(one.rows(patient.text[:, :1]) for one in (patient, right))):
        list(_added(right, ""))
        if patient.even and not right.even:
            return UNLIKE_SINKS
        if _counts_tokens(patient):
            return UNLIKE_STATE
        return UNLIKE_ALONE if patient.in_attention else UNLIKE_FIRST
    if found := _unlike_far(patient, right, patient.text):
        return found
    at_zero = answered(0 * patient.count)
    kind = _seen_inside(inside.kind, right, patient.text, bool(at_zero))
    causes, where = KINDS.get(kind, EITHER)
    if _seen_inside(inside.turn_alike, patient.text, bool(at_zero), patient, right) is True:
        causes = "norms of queries and keys, the scale of the scores or a softcap, and a mask"
        where = "the scale of the scores; norms; then the mask"
    if at_zero:
        if not patient.same(*at_zero):
            return UNLIKE_LATER if _counts_tokens(patient) else UNLIKE_AT_0
        if not patient.in_attention:
            return UNLIKE_TABLE
        seen = "rotation | with all tokens of a short text at 0 the rows are those of the reference"
        return maybe(seen, causes), where
    if _counts_tokens(patient):
        return UNLIKE_LATER
    if not patient.in_attention:
        return UNLIKE_TABLE
    says = "distance | a token alone is right, and others are not"
    return maybe(says, causes), where


def _seen_inside(look, *given):
    """What is seen inside, or () where PyTorch doesn't show it."""
    try:
        return look(*given)
    except Exception:
        return ()


def against(patient, reference, blamed=False):
    """Is it the reference? If not: each known change of the reference is a story.

    Where other checks have blamed something, what no story explains may come from that.
    """
    right = Patient(adapted(reference), 4)
    both = "position_ids" in {*patient.arguments} & {*right.arguments}

    def answered(positions):
        with contextlib.suppress(Crash):
            return [one.rows(patient.text, positions) for one in (patient, right)] if both else None

    # as far apart as both answer: a table may be short
    try:
        spread = (37 * patient.count, 3 * patient.count) if both else ()
        apart = next((positions for positions in spread if answered(positions)), None)
        seen, expected = patient.rows(patient.text, apart), right.rows(patient.text, apart)
    except Crash as crash:
        return Finding("reference", "failed", f"the reference: {crash}")
    right.scale, right.enough, right.long = patient.scale, patient.enough, patient.long
    library = hasattr(reference, "config") and hasattr(reference, "named_buffers")

    def stories(text, ids, apart=1):
        """Each known change of the reference, and what is seen inside of both."""
        if patient.unfilled:
            yield (*patient.unfilled, lambda: True)
        if library:
            yield from wrong_rotations.stories(reference, lambda: right.rows(text, ids))
        if told := _seen_inside(inside.named, patient, right, both, apart):
            yield (*told, lambda: True)
        if patient.unused and "position_ids" in right.arguments:
            yield (*NOWHERE, lambda: right.rows(text, 0 * torch.arange(text.shape[1])[None]))

    def verdict(rows, says, known, otherwise=("", "")):
        same = "the rows are those of the reference"
        return patient.verdict("reference", *rows, same, says, "", known, otherwise)

    says = f"the rows are not those of the reference{', which may come from what is found above' * blamed}"
    short = verdict((seen, expected), says, stories(patient.text, apart))
    if short.culprit:
        return short
    otherwise = ("", "what the checks before have found" if blamed else "")
    if short.status == "wrong":
        with contextlib.suppress(Crash):  # a text that the reference doesn't take
            otherwise = otherwise if blamed else _unlike(patient, right, answered)
        short = verdict((seen, expected), says, (), otherwise)
    try:
        ids = torch.arange(patient.long.shape[1])[None] if both else None
        far = [one.rows(patient.long, ids) for one in (patient, right)]
    except Crash:  # a table may be short
        return short
    known = stories(patient.long, ids)
    if short.status == "wrong":
        found = verdict(far, short.says, known)
        return found if found.culprit else short
    says = f"the rows of a text of {patient.long.shape[1]} tokens are not those of the reference"
    if blamed and not patient.same(*far):
        otherwise = "", f"row {_first_unlike(patient, far[0][0], far[1][0])} is the first; {otherwise[1]}"
    elif not patient.same(*far):
        otherwise = _unlike_far(patient, right, patient.long, ids) or _unlike(patient, right, answered)
    found = verdict(far, says, known, otherwise)
    wide = answered(WIDE * patient.count) if found.status == "right" else None
    if not wide or patient.same(*wide):
        return found
    says = f"the rows of tokens {WIDE} positions apart are not those of the reference"
    known = stories(patient.text, WIDE * patient.count, WIDE)
    return verdict(wide, says, known, otherwise if blamed else UNLIKE_WIDE)
