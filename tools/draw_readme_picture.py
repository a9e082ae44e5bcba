"""Draw the picture of the README: python tools/draw_readme_picture.py"""

from pathlib import Path

from pe_lessons import arrays, plots

doubled = arrays.sinusoidal(50, 128, base=10_000**2)  # the same as a doubled exponent
fig = plots.heatmaps({"the encoding": arrays.sinusoidal(50, 128), "with one mistake in it": doubled})
plots.quiet(fig)
fig.savefig(Path(__file__).resolve().parents[1] / "docs/readme.png", metadata={"Software": None})
