"""What the walls of gallery and clinic are made of; tests/browser/test_read_a_config.py sees them."""

import clinic_page
import gallery_page

from pe_lessons import models
from pe_lessons.lessons.the_clinic import clinic, figures
from pe_lessons.models import in_browser


def test_every_mechanism_of_the_gallery_has_a_button():
    plans = [models.layers(one["config"]) for one in models.gallery().values()]
    assert {tag for plan in plans for tag in in_browser.mechanisms(plan)} == set(gallery_page.FILTERS)


def test_every_curve_of_the_clinic_leads_to_cases_and_the_others_show_tokens():
    assert list(clinic_page.SHAPES) == list(figures.fingerprints()[0])
    numbers = {case.number for case in clinic.cases()}
    with_curves = {case for cases in clinic_page.SHAPES.values() for case in cases}
    assert with_curves < numbers and clinic_page.TOKENS.keys() == numbers - with_curves
