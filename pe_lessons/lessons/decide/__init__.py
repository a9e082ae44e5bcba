"""Exercises of the lesson that decides."""

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

margin_needed = lesson.exercise(
    "margin_needed",
    probes=((8192, 0.5), (131_072, 0.9), (1_000_000, 0.25)),
    edge_probes=((2, 0.5), (2, 0.75), (17, 0.125), (1024, 0.01), (10, 0.05), (3, 0.999), (10, 1e-4)),
)

# Numbers of texts that no rounding of the last digit can move.
needles_needed = lesson.exercise(
    "needles_needed",
    probes=((0.9, 0.035), (0.5, 0.11), (0.75, 0.065)),
    edge_probes=((0.99, 0.016), (0.5, 0.9), (0.9, 0.9), (0.6, 0.021)),
)


def _other_results(draw, found, texts):
    """Other lengths, up to three more that pass, and at each depth up to two needles fewer."""
    first, *others = ([each - draw.randint(0, 2) for each in row] for row in found.values())
    rows = [first, *draw.randint(0, 3) * [[max(first)] * len(first)], *others]
    shortest = draw.choice((1, 2, 4, 8))
    return {shortest * 2**place: row for place, row in enumerate(rows)}, texts


# No depth and no gap is exactly at a limit, where a last digit would decide.
longest_promised = lesson.exercise(
    "longest_promised",
    probes=(
        (  # the worst depth fails at 64k, and 128k alone would pass
            {
                4: [1283, 1281, 1279, 1282, 1281],
                32: [1264, 1248, 1232, 1248, 1265],
                64: [1216, 1184, 1104, 1184, 1200],
                128: [1120, 1121, 1104, 1120, 1136],
            },
            1600,
        ),
        (  # all depths are alike, and one finds too little at 64k
            {
                4: [1550, 1401, 1402, 1399, 1398],
                32: [1440, 1430, 1432, 1428, 1431],
                64: [1300, 1293, 1297, 1295, 1291],
                128: [1290, 1283, 1287, 1285, 1281],
            },
            1600,
        ),
        (  # one depth was weak in short texts, too, and the best of them falls below 85 %
            {
                8: [380, 352, 330, 352, 361],
                16: [341, 332, 325, 329, 334],
                32: [326, 318, 311, 318, 319],
                64: [322, 315, 312, 311, 318],
            },
            400,
        ),
        (  # gaps of 2.6, 4.4, 5.4 and 7.2 points; four standard errors and 5 % of the best are about 4
            {
                4: [1323, 1318, 1321, 1317, 1322],
                32: [1301, 1282, 1260, 1290, 1297],
                64: [1292, 1271, 1222, 1285, 1290],
                128: [1281, 1266, 1195, 1268, 1275],
                256: [1280, 1265, 1165, 1266, 1275],
            },
            1600,
        ),
        (  # slowly less, never much less than at the length before
            {
                4: [1502, 1505, 1499, 1501, 1503],
                16: [1380, 1377, 1383, 1379, 1381],
                32: [1290, 1287, 1293, 1289, 1291],
                64: [1180, 1176, 1183, 1179, 1181],
                128: [1090, 1086, 1093, 1089, 1091],
            },
            1600,
        ),
        (
            {
                4: [1502, 1301, 1499, 1503, 1498],
                32: [1402, 1399, 1405, 1401, 1403],
                64: [1161, 1158, 1157, 1163, 1155],
            },
            1600,
        ),
        (
            {
                4: [1201, 1199, 1203, 1202, 1198],
                16: [1111, 1109, 1113, 1114, 1110],
                32: [1060, 1050, 1013, 1055, 1062],
            },
            1600,
        ),
        # all depths of a length are alike, so any limit for the gap is enough
        ({4: [1321] * 3, 8: [1299] * 3, 16: [1277, 1261, 1184], 32: [1250] * 3}, 1600),
        (  # of few texts: gaps of 2.8, of 4.3 and of 6.3 points
            {
                4: [331, 329, 330, 332, 328],
                8: [325, 319, 314, 320, 322],
                16: [331, 319, 314, 320, 322],
                32: [338, 319, 313, 320, 322],
            },
            400,
        ),
        (  # of very few texts: gaps of 2 needles and of 4, which are 4 and 8 points
            {
                4: [41, 42, 41, 40, 41],
                8: [41, 42, 41, 40, 41],
                16: [45, 42, 41, 41, 42],
                32: [45, 42, 41, 41, 42],
            },
            50,
        ),
        # the mean is in the middle between worst and best
        ({4: [1350, 1352, 1349], 8: [1331, 1329, 1333], 16: [1360, 1304, 1248]}, 1600),
    ),
    edge_probes=(
        ({4: [720, 710, 715], 32: [400, 398, 403], 64: [700, 698, 703]}, 800),  # none can be promised
        ({4: [381, 377, 379], 8: [361, 357, 359], 16: [350, 348, 352]}, 400),  # all can
        ({4: [17, 17, 17, 17, 17], 8: [20, 20, 19, 15, 16]}, 20),  # so few that one needle decides
        ({4: [28, 28, 28], 8: [27, 26, 27], 16: [25, 26, 26]}, 30),
        ({4: [95, 91], 64: [93, 70]}, 100),
        ({2: [1502, 1503, 1499, 1501], 4: [1487, 1486, 1448, 1486], 8: [1441, 1400, 1437, 1439]}, 1600),
    ),
    redraw=_other_results,
    call=lambda name, found, texts: f"{name}({found}, texts={texts})",
)

decide_question = lesson.question("decide_question")
quiz_decide = lesson.quiz("quiz_decide")
