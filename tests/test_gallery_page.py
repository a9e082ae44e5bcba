"""The walls of the gallery and of the clinic: nothing is left out, and every card leads to what it says."""

import json
import re

import clinic_page
import gallery_page

from pe_lessons import models
from pe_lessons.lessons.the_clinic import clinic, figures
from pe_lessons.models import in_browser

GALLERY = models.gallery()


def test_the_gallery_has_a_card_and_a_section_for_each_exhibit_by_time(tmp_path, monkeypatch):
    shown = ("gpt-2", "gemma-3-12b", "kimi-linear")
    monkeypatch.setattr(models, "gallery", lambda: {name: GALLERY[name] for name in shown})
    (tmp_path / "read_a_config.md").write_text("<select>MODELS OF THE GALLERY</select>", encoding="utf-8")
    gallery_page.write(tmp_path)
    page = (tmp_path / "gallery.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\d+)$", page, re.MULTILINE) == ["2026", "2025", "2019"]
    cards = re.findall(r'<li data-tags="([^"]+)"><a href="#([^"]+)">', page)
    assert cards == [("state none", "kimi-linear"), ("rotation window", "gemma-3-12b"), ("added", "gpt-2")]
    bases = "Base 10,000 and 1,000,000, rule linear."
    assert f"48 layers: all with a rotation, 40 with a window. {bases} Up to 131,072 tokens." in page
    assert page.count("<mark>library default</mark>") == 1 and "of the 1 marked" in page
    for name in shown:
        assert f"({name})=\n### {GALLERY[name]['model']}, " in page and GALLERY[name]["source"] in page
        assert models.explain(GALLERY[name]["config"]) in page
    drawn = sorted(path.name for path in (tmp_path / "gallery").iterdir())
    assert drawn == ["gemma-3-12b-phone.svg", "gemma-3-12b.svg"]
    assert page.count("the two ends of a text of 131,072") == 1
    said = json.loads((tmp_path / "_static/gallery.json").read_text(encoding="utf-8"))
    assert [name for name, one in said.items() if one.get("mark") == "library default"] == ["kimi-linear"]
    assert "without positions. Length not known here." in page and not said["kimi-linear"]["facts"][2]
    options = (tmp_path / "read_a_config.md").read_text(encoding="utf-8")
    assert re.findall(r'<option value="(.+?)">', options) == list(reversed(shown))


def test_every_mechanism_of_the_gallery_has_a_button():
    shown = {tag for one in GALLERY.values() for tag in in_browser.mechanisms(models.layers(one["config"]))}
    assert shown == set(gallery_page.FILTERS)


def test_the_clinic_has_a_card_for_each_case_and_its_curves_lead_to_cases(tmp_path):
    clinic_page.write(tmp_path)
    page = (tmp_path / "clinic.md").read_text(encoding="utf-8")
    numbers = [case.number for case in clinic.cases()]
    cards = re.findall(r'<li data-tags="([^"]+)"><b>(\d+)</b>.*?<a href="#case-\2"', page)
    assert [int(number) for _, number in cards] == numbers
    told = re.findall(r"^\(case-(\d+)\)=\n### .+\n\n\*Case \1\*", page, re.MULTILINE)
    assert [int(number) for number in told] == numbers
    assert list(clinic_page.SHAPES) == list(figures.fingerprints()[0])
    for number, cases in enumerate(clinic_page.SHAPES.values()):
        assert {int(case) for tags, case in cards if f"curve-{number}" in tags.split()} == set(cases)
        assert set(cases) <= set(numbers) and (tmp_path / f"_static/clinic/curve_{number}.svg").exists()
    with_curves = {case for cases in clinic_page.SHAPES.values() for case in cases}
    assert clinic_page.TOKENS.keys() == set(numbers) - with_curves  # the others show tokens
