"""nbconvert's settings for a lesson as slides of 1280 x 720 pixels.

jupyter nbconvert --to slides --post serve --config teaching/slides_config.py notebooks/LESSON.ipynb
"""

from pathlib import Path

c = get_config()  # noqa: F821 (nbconvert defines it)

c.SlidesExporter.extra_template_basedirs = [str(Path(__file__).resolve().parent)]
c.SlidesExporter.template_name = "slides"
c.SlidesExporter.reveal_width = "1280"
c.SlidesExporter.reveal_height = "720"
c.SlidesExporter.reveal_number = "c/t"
c.SlidesExporter.reveal_transition = "none"
