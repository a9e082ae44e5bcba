"""Lesson 13 for the tests of the exercises: its oracle, and its mistakes made in two more styles."""

import cmath
import math

import mpmath
import torch

# The oracle: multiple precision, one patch at a time.


def precise_row(position, width):
    angles = [position * mpmath.mpf(10_000) ** (mpmath.mpf(-2 * k) / width) for k in range(width // 2)]
    return [float(wave(angle)) for angle in angles for wave in (mpmath.sin, mpmath.cos)]


def precise_grid(height, width, d_model):
    with mpmath.workdps(40):
        rows = [precise_row(row, d_model // 2) for row in range(height)]
        columns = [precise_row(column, d_model // 2) for column in range(width)]
    return [[row + column for column in columns] for row in rows]


def precise_turn(x, rows, columns):
    """Each pair as a complex number, times e to the power of i times its angle."""
    with mpmath.workdps(40):
        turned = []
        for numbers, row, column in zip(x.tolist(), rows, columns):
            half, result = len(numbers) // 2, []
            for start, place in ((0, row), (half, column)):
                for n in range(0, half, 2):
                    angle = place * mpmath.mpf(10_000) ** (-mpmath.mpf(n) / half)
                    pair = mpmath.mpc(*numbers[start + n : start + n + 2]) * mpmath.expj(angle)
                    result += [float(pair.real), float(pair.imag)]
            turned.append(result)
        return turned


ORACLES = {"sinusoidal_2d": precise_grid, "axial_rotary": precise_turn}
CATALOGUE = {
    "sinusoidal_2d": (
        "row and column exchanged", "row used twice", "column used twice", "raster order", "halves added",
        "added instead of side by side", "frequencies over d_model", "flattened column by column",
        "positions from 1", "crash on grids that are not square", "numbers of row and column alternate",
        "halves of one full-width table", "height and width exchanged, then folded",
        "tables concatenated as they are",
    ),
    "axial_rotary": (
        "whole row turned twice", "row and column exchanged", "row used twice", "column used twice",
        "frequencies over head_dim", "wrong sign", "even and odd numbers", "raster number as position",
        "table added", "positions cut to whole numbers", "halves put back in the wrong order",
    ),
}  # fmt: skip


# One number at a time: a patch is put together from two lists.


def loop_encode(angle, pair_of_waves, order):
    def encode(position, size, width):
        waves = [pair_of_waves(angle(position, size, k, width)) for k in range(width // 2)]
        if order == "halves":
            return [first for first, _ in waves] + [second for _, second in waves]
        return [number for pair in waves for number in pair]

    return encode


def waves_of(angle):
    return math.sin(angle), math.cos(angle)


def loop_grid(
    angle=lambda position, size, k, width: position * math.exp(-2 * k * math.log(10_000) / width),
    waves=waves_of,
    order="interleaved",
    patch=lambda encode, row, column, d: encode(*row, d // 2) + encode(*column, d // 2),
    places=lambda height, width: [[(row, column) for column in range(width)] for row in range(height)],
    sizes=lambda height, width: (height, width),
    flat=False,
):
    def grid(height, width, d_model):
        height, width = sizes(height, width)
        encode = loop_encode(angle, waves, order)
        result = [
            [patch(encode, (row, height), (column, width), d_model) for row, column in line]
            for line in places(height, width)
        ]
        return [one for line in result for one in line] if flat else result

    return grid


def places_folded_wrongly(height, width):
    listed = iter([(row, column) for column in range(width) for row in range(height)])
    return [[next(listed) for _ in range(width)] for _ in range(height)]


def places_in_lines_of_height(height, width):
    """The places of a grid of `width` rows and `height` columns, one after the other, in lines of `width`."""
    listed = [(row, column) for row in range(width) for column in range(height)]
    return [listed[start : start + width] for start in range(0, height * width, width)]


def concatenated_by_loops(height, width, d_model):
    row = loop_encode(lambda p, size, k, w: p / 10_000 ** (2 * k / w), waves_of, "interleaved")
    if height != width:
        raise ValueError("all the input array dimensions must match")
    return [row(place, height, d_model // 2) * 2 for place in range(height)]


def concatenated_in_torch(height, width, d_model):
    encode = torch_encode(fall_by_powers, (torch.sin, torch.cos), "interleaved")
    tables = [encode(torch.arange(size).double()[:, None], d_model // 2) for size in (height, width)]
    return torch.cat([table.squeeze(1) for table in tables], dim=1)


def square_or_nothing(height, width):
    if width - height:
        raise IndexError("list index out of range")
    return height, width


def alternating(size):
    def patch(encode, row, column, d):
        one, other = encode(*row, d // 2), encode(*column, d // 2)
        result = []
        for start in range(0, d // 2, size):
            result += one[start : start + size] + other[start : start + size]
        return result

    return patch


# Whole tensors in PyTorch: coordinates by meshgrid, one outer product for each axis.


def torch_encode(frequencies, waves, order):
    def encode(positions, width):
        angles = torch.einsum("rc,k->rck", positions, frequencies(width))
        dim = -1 if order == "interleaved" else -2
        return torch.stack([waves[0](angles), waves[1](angles)], dim=dim).flatten(-2)

    return encode


def fall_by_powers(width):
    return torch.logspace(0, -4 + 8 / width, width // 2, dtype=torch.float64)


def torch_grid(
    frequencies=fall_by_powers,
    waves=(torch.sin, torch.cos),
    order="interleaved",
    meet=lambda encode, row, column, d: torch.cat([encode(row, d // 2), encode(column, d // 2)], dim=2),
    coordinates=lambda row, column: (row, column),
    ranges=lambda height, width: (torch.arange(height).double(), torch.arange(width).double()),
    finish=lambda grid: grid,
):
    def grid(height, width, d_model):
        row, column = coordinates(*torch.meshgrid(*ranges(height, width), indexing="ij"))
        return finish(meet(torch_encode(frequencies, waves, order), row, column, d_model))

    return grid


def stacked(size):
    def meet(encode, row, column, d):
        halves = [encode(axis, d // 2).unflatten(-1, (-1, size)) for axis in (row, column)]
        return torch.cat(halves, dim=-1).flatten(-2)

    return meet


def numbered_through(encode, row, column, d):
    return encode(row * row.size(1) + column, d)


def assert_square(height, width):
    assert height == width, "the grid has to be square"
    return torch.arange(height).double(), torch.arange(width).double()


GRID_STYLES = {
    name: (loop_grid(**loop), torch_grid(**tensor))
    for name, loop, tensor in [
        (
            "row and column exchanged",
            {"patch": lambda encode, row, column, d: encode(*column, d // 2) + encode(*row, d // 2)},
            {"coordinates": lambda row, column: (column, row)},
        ),
        (
            "row used twice",
            {"patch": lambda encode, row, column, d: 2 * encode(*row, d // 2)},
            {"coordinates": lambda row, column: (row, row)},
        ),
        (
            "column used twice",
            {"patch": lambda encode, row, column, d: 2 * encode(*column, d // 2)},
            {"meet": lambda encode, row, column, d: encode(column, d // 2).repeat(1, 1, 2)},
        ),
        (
            "raster order",
            {
                "patch": lambda encode, row, column, d: encode(
                    row[0] * column[1] + column[0], row[1] * column[1], d
                )
            },
            {"meet": numbered_through},
        ),
        (
            "halves added",
            {
                "patch": lambda encode, row, column, d: [
                    a + b for a, b in zip(encode(*row, d // 2), encode(*column, d // 2))
                ]
            },
            {"meet": lambda encode, row, column, d: encode(row, d // 2).add(encode(column, d // 2))},
        ),
        (
            "added instead of side by side",
            {
                "patch": lambda encode, row, column, d: [
                    a + b for a, b in zip(encode(*row, d), encode(*column, d))
                ]
            },
            {"meet": lambda encode, row, column, d: encode(row, d).add(encode(column, d))},
        ),
        ("numbers of row and column alternate", {"patch": alternating(1)}, {"meet": stacked(1)}),
        ("pairs of row and column alternate", {"patch": alternating(2)}, {"meet": stacked(2)}),
        (
            "halves of one full-width table",
            {
                "patch": lambda encode, row, column, d: [
                    *encode(*row, d)[: d // 2],
                    *encode(*column, d)[d // 2 :],
                ]
            },
            {
                "meet": lambda encode, row, column, d: torch.where(
                    torch.arange(d) < d // 2, encode(row, d), encode(column, d)
                )
            },
        ),
        (
            "frequencies over d_model",
            {"angle": lambda position, size, k, width: position / 10_000 ** (2 * k / (2 * width))},
            {"frequencies": lambda width: 10_000 ** (-torch.arange(0, width, 2).double() / (2 * width))},
        ),
        (
            "doubled exponent",
            {"angle": lambda position, size, k, width: position / 10_000 ** (2 * (2 * k) / width)},
            {"frequencies": lambda width: torch.pow(10_000, -2 * torch.arange(0, width, 2).double() / width)},
        ),
        (
            "positions from 1",
            {"angle": lambda position, size, k, width: (1 + position) / 10_000 ** (2 * k / width)},
            {
                "ranges": lambda height, width: (
                    torch.arange(1, height + 1).double(),
                    torch.arange(1, width + 1).double(),
                )
            },
        ),
        (
            "positions over the size",
            {"angle": lambda position, size, k, width: position / size / 10_000 ** (2 * k / width)},
            {
                "ranges": lambda height, width: (
                    torch.arange(height).double() / height,
                    torch.arange(width).double() / width,
                )
            },
        ),
        (
            "sine and cosine exchanged",
            {"waves": lambda angle: (math.cos(angle), math.sin(angle))},
            {"waves": (torch.cos, torch.sin)},
        ),
        ("sines before cosines", {"order": "halves"}, {"order": "halves"}),
        (
            "flattened column by column",
            {"places": places_folded_wrongly},
            {"finish": lambda grid: torch.cat(grid.unbind(dim=1)).view(grid.shape)},
        ),
        (
            "height and width exchanged, then folded",
            {"places": places_in_lines_of_height},
            {
                "ranges": lambda height, width: (torch.arange(width).double(), torch.arange(height).double()),
                "finish": lambda grid: grid.flatten(0, 1).unflatten(0, (grid.size(1), grid.size(0))),
            },
        ),
        (
            "grid on its side",
            {"places": lambda h, w: [[(row, column) for row in range(h)] for column in range(w)]},
            {"finish": lambda grid: torch.einsum("rcd->crd", grid)},
        ),
        ("left flat", {"flat": True}, {"finish": lambda grid: grid.flatten(0, 1)}),
        ("crash on grids that are not square", {"sizes": square_or_nothing}, {"ranges": assert_square}),
        (
            "height taken for both",
            {"sizes": lambda height, width: (height, height)},
            {"ranges": lambda height, width: [torch.arange(height).double()] * 2},
        ),
    ]
} | {"tables concatenated as they are": (concatenated_by_loops, concatenated_in_torch)}


# axial_rotary: complex numbers of the standard library, one pair at a time; and matrices in PyTorch.


def loop_axial(
    axis=lambda pair, n_pairs: 0 if pair < n_pairs // 2 else 1,
    places=lambda row, column: (row, column),
    exponent=lambda pair, n_pairs: 2 * (pair % (n_pairs // 2)) / n_pairs,
    sign=1,
    numbers=lambda pair, n_pairs: (2 * pair, 2 * pair + 1),
    finish=lambda pairs: [number for pair in pairs for number in (pair.real, pair.imag)],
):
    def axial(x, rows, columns):
        turned = []
        for numbers_in, row, column in zip(x.tolist(), rows, columns):
            n_pairs, pairs = len(numbers_in) // 2, []
            for pair in range(n_pairs):
                place = places(row, column)[axis(pair, n_pairs)]
                angle = sign * place / 10_000 ** exponent(pair, n_pairs)
                first, second = numbers(pair, n_pairs)
                pairs.append(complex(numbers_in[first], numbers_in[second]) * cmath.rect(1, angle))
            turned.append(finish(pairs))
        return turned

    return axial


def in_each_half(pair, n_pairs):
    half, number = divmod(pair, n_pairs // 2)
    first = half * n_pairs + number
    return first, first + n_pairs // 2


def apart(pairs):
    middle = len(pairs) // 2
    return [
        number
        for half in (pairs[:middle], pairs[middle:])
        for part in ([pair.real for pair in half], [pair.imag for pair in half])
        for number in part
    ]


def even_or_odd(pair, n_pairs):
    odd, number = divmod(pair, n_pairs // 2)
    return 4 * number + odd, 4 * number + 2 + odd


def even_and_odd_in_turn(pairs):
    numbers = [number for pair in pairs for number in (pair.real, pair.imag)]
    middle = len(pairs)
    return [number for both in zip(numbers[:middle], numbers[middle:]) for number in both]


def second_half_first(pairs):
    middle = len(pairs) // 2
    return [number for pair in pairs[middle:] + pairs[:middle] for number in (pair.real, pair.imag)]


def torch_axial(
    axes=lambda row, column: (row, column),
    which=lambda n_pairs: torch.arange(n_pairs).div(n_pairs // 2, rounding_mode="floor"),
    exponents=lambda n_pairs: torch.arange(n_pairs).remainder(n_pairs // 2).double() * 2 / n_pairs,
    clockwise=False,
    before=lambda x: x,
    after=lambda x: x,
):
    def axial(x, rows, columns):
        x = before(torch.tensor(x))
        n_pairs = x.size(1) // 2
        places = torch.stack(axes(torch.tensor(rows).double(), torch.tensor(columns).double()))
        angles = places[which(n_pairs)].T * torch.pow(10_000.0, -exponents(n_pairs))  # (n, n_pairs)
        turned = []
        for row, of_row in zip(x, angles):
            blocks = [torch.tensor([[0.0, -a], [a, 0.0]]).double().matrix_exp() for a in of_row.tolist()]
            matrix = torch.block_diag(*blocks)
            turned.append((matrix.T if clockwise else matrix) @ row)
        return after(torch.stack(turned))

    return axial


def number_in_the_line(rows, columns):
    return [row * (max(columns) + 1) + column for row, column in zip(rows, columns)]


def raster_by_loops(x, rows, columns):
    turn = loop_axial(
        places=lambda row, column: (row, row), exponent=lambda pair, n_pairs: 2 * pair / (2 * n_pairs)
    )
    return turn(x, number_in_the_line(rows, columns), columns)


def raster_in_torch(x, rows, columns):
    turn = torch_axial(
        axes=lambda row, column: (row, row),
        exponents=lambda n_pairs: torch.arange(n_pairs).double() / n_pairs,
    )
    return turn(x, number_in_the_line(rows, columns), columns)


def added_by_loops(x, rows, columns):
    result = []
    for numbers, *place in zip(x.tolist(), rows, columns):
        half, row = len(numbers) // 2, []
        for n, number in enumerate(numbers):
            wave = math.cos if n % 2 else math.sin
            angle = place[n // half] / 10_000 ** ((n % half - n % 2) / half)
            row.append(number + wave(angle))
        result.append(row)
    return result


def added_in_torch(x, rows, columns):
    encode = torch_encode(fall_by_powers, (torch.sin, torch.cos), "interleaved")
    tables = [encode(torch.tensor(axis).double()[:, None], x.shape[1] // 2) for axis in (rows, columns)]
    return torch.tensor(x) + torch.cat(tables, dim=-1).squeeze(1)


def halves_to_pairs(x):
    return x.unflatten(1, (2, 2, -1)).mT.flatten(1)


def even_then_odd(x):
    return torch.cat([x[:, ::2], x[:, 1::2]], dim=1)


def pairs_to_halves(x):
    return x.unflatten(1, (2, -1, 2)).mT.flatten(1)


AXIAL_STYLES = {
    name: (loop_axial(**loop), torch_axial(**tensor))
    for name, loop, tensor in [
        (
            "whole row turned twice",
            {
                "places": lambda row, column: (row + column,) * 2,
                "exponent": lambda pair, n_pairs: 2 * pair / (2 * n_pairs),
            },
            {
                "axes": lambda row, column: (row + column, column + row),
                "exponents": lambda n_pairs: torch.arange(n_pairs).double() / n_pairs,
            },
        ),
        (
            "not turned",
            {"places": lambda row, column: (0, 0)},
            {"axes": lambda row, column: (torch.zeros_like(row), torch.zeros_like(row))},
        ),
        (
            "row and column exchanged",
            {"axis": lambda pair, n_pairs: 1 if pair < n_pairs // 2 else 0},
            {"axes": lambda row, column: (column, row)},
        ),
        (
            "row used twice",
            {"axis": lambda pair, n_pairs: 0},
            {"axes": lambda row, column: (row, row)},
        ),
        (
            "column used twice",
            {"axis": lambda pair, n_pairs: 1},
            {"axes": lambda row, column: (column, column)},
        ),
        (
            "second half not turned",
            {"places": lambda row, column: (row, 0)},
            {"axes": lambda row, column: (row, torch.zeros_like(row))},
        ),
        (
            "first half not turned",
            {"places": lambda row, column: (0, column)},
            {"axes": lambda row, column: (torch.zeros_like(row), column)},
        ),
        (
            "frequencies over head_dim",
            {"exponent": lambda pair, n_pairs: 2 * (pair % (n_pairs // 2)) / (2 * n_pairs)},
            {"exponents": lambda n_pairs: torch.arange(n_pairs // 2).double().repeat(2) / n_pairs},
        ),
        (
            "frequencies run on",
            {"exponent": lambda pair, n_pairs: 2 * pair / (2 * n_pairs)},
            {"exponents": lambda n_pairs: torch.linspace(0, 1, n_pairs + 1).double()[:-1]},
        ),
        (
            "pairs of row and column alternate",
            {"axis": lambda pair, n_pairs: pair % 2},
            {"which": lambda n_pairs: torch.arange(n_pairs).remainder(2)},
        ),
        ("wrong sign", {"sign": -1}, {"clockwise": True}),
        ("partner half a row further on", {"numbers": in_each_half}, {"before": halves_to_pairs}),
        ("pairs apart", {"finish": apart}, {"after": pairs_to_halves}),
        (
            "even and odd numbers",
            {"numbers": even_or_odd, "finish": even_and_odd_in_turn},
            {"before": even_then_odd, "after": lambda x: x.unflatten(1, (2, -1)).mT.flatten(1)},
        ),
        (
            "positions cut to whole numbers",
            {"places": lambda row, column: (int(row), int(column))},
            {"axes": lambda row, column: (row.long().double(), column.long().double())},
        ),
        (
            "halves put back in the wrong order",
            {"finish": second_half_first},
            {"after": lambda x: torch.cat(x.chunk(2, dim=1)[::-1], dim=1)},
        ),
    ]
} | {
    "raster number as position": (raster_by_loops, raster_in_torch),
    "table added": (added_by_loops, added_in_torch),
}
STYLES = {"sinusoidal_2d": GRID_STYLES, "axial_rotary": AXIAL_STYLES}
