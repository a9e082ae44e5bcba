"""nbconvert's settings for a lesson as slides of 1280 x 720 pixels.

teaching/slides.py uses them: python course.py slides 03
"""

from pathlib import Path

c = get_config()  # noqa: F821 (nbconvert defines it)

c.SlidesExporter.extra_template_basedirs = [str(Path(__file__).resolve().parent)]
c.SlidesExporter.template_name = "slides"
c.SlidesExporter.exclude_anchor_links = True
c.SlidesExporter.reveal_url_prefix = "reveal.js"  # beside the page
c.SlidesExporter.reveal_theme = "white"  # its letters come with it
c.SlidesExporter.reveal_width = "1280"
c.SlidesExporter.reveal_height = "720"
c.SlidesExporter.reveal_number = "c/t"
c.SlidesExporter.reveal_transition = "none"
