"""The menu of the admin site: by what people do, in their words, and nothing registered is missing from it."""

import re

from entities.admin_site import MENU, site
from tests.conftest import Person


def test_the_menu_names_what_people_do(alice: Person):
    page = alice.client.get(f"{alice.base}admin/").content.decode()
    words = [word.strip() for word in re.findall(r">([^<>]+)<", page)]
    places = [words.index(name) for name in ("Members", "Roles", "Records", "Files", "Budgets", "Audit")]
    assert places == sorted(places)
    assert "Entitys" not in page


def test_whatever_is_registered_has_its_place_in_the_menu():
    assert {model._meta.label for model in site._registry} == {name for _, names in MENU for name in names}
