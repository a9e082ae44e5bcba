"""Draw the picture of the README: python tools/draw_readme_picture.py"""

from pathlib import Path

import numpy as np

from pe_lessons import arrays, plots

positions = np.arange(50)[:, None]
doubled = np.empty((50, 128))
doubled[:, 0::2] = np.sin(positions * arrays.frequencies(128) ** 2)
doubled[:, 1::2] = np.cos(positions * arrays.frequencies(128) ** 2)

fig = plots.heatmaps({"the encoding": arrays.sinusoidal(50, 128), "with one mistake in it": doubled})
fig.savefig(Path(__file__).resolve().parents[1] / "docs/readme.png", metadata={"Software": None})
