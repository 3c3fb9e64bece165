"""`manage.py check` refuses wrong declarations and undeclared routes; the docs list every option and id."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.checks import run_checks
from django.http import HttpResponse
from django.test import override_settings
from django.urls import path
from django.views.decorators.cache import cache_control

from entities.access import MEMBER, requires
from entities.checks import check_routes, check_type
from entities.fields import LongText
from entities.models import Entity
from entities.rag import Access, Allow, Collection, Rag, option_names
from entities.types import Contract

DOCS = Path(__file__).parents[2] / "docs" / "entity-types.md"


def ids(**changes: Any) -> set[str]:
    """The ids of the messages that a type like Contract, with another declaration, would get."""
    rag = type("Rag", (Contract.Rag,), changes.pop("rag", {}))
    access = type("Access", (Contract.Access,), changes.pop("access", {}))
    fake = SimpleNamespace(
        __name__="Fake",
        rag=lambda: rag,
        access=lambda: access,
        _meta=changes.pop("meta", Contract._meta),
        long_texts=changes.pop("long_texts", Contract.long_texts),
    )
    return {str(message.id) for message in check_type(fake)}  # type: ignore[arg-type]


def test_the_types_that_ship_are_right() -> None:
    assert [m for m in run_checks() if str(m.id).startswith("entities.")] == []
    assert ids() == set()


@pytest.mark.parametrize(
    ("expected", "change"),
    [
        ("entities.E001", {"rag": {"pulze": True}}),
        ("entities.E002", {"rag": {"semantic": "{nosuch}"}}),
        ("entities.E002", {"rag": {"semantic": "{"}}),
        ("entities.E002", {"rag": {"semantic": "{notes}"}}),
        ("entities.E003", {"rag": {"classified": {"nosuch": 5}}}),
        ("entities.E003", {"rag": {"status_fields": ["nosuch"]}}),
        ("entities.E004", {"rag": {"classified": {"notes": 5}}}),
        ("entities.E005", {"rag": {"collections": {"a": Collection(classify=False)}}}),
        ("entities.E005", {"rag": {"collections": {}}}),
        ("entities.E006", {"access": {"default": "everyone"}}),
        ("entities.E006", {"access": {"owner": "x"}}),
        ("entities.E007", {"access": {"rules": [Allow("peek", roles=["Editor"])]}}),
        ("entities.E007", {"access": {"rules": [Allow("view", roles=[])]}}),
        ("entities.E010", {"meta": Entity._meta}),
        ("entities.E008", {"meta": SimpleNamespace(get_fields=list, pk=Contract._meta.pk, local_fields=[
            SimpleNamespace(name="title")])}),
    ],
)  # fmt: skip
def test_a_wrong_declaration_is_named(expected: str, change: dict[str, Any]) -> None:
    assert expected in ids(**change)


def test_a_text_column_is_refused() -> None:
    from django.db import models

    meta = SimpleNamespace(get_fields=list, pk=Contract._meta.pk, local_fields=[models.TextField(name="body")])
    assert "entities.E009" in ids(meta=meta, long_texts={"notes": LongText()})


def undeclared(request: Any) -> HttpResponse:
    return HttpResponse()


def only_says_so(request: Any) -> HttpResponse:
    """An attribute guards nothing, so it does not count."""
    return HttpResponse()


# What `requires` might leave behind, by any name.
only_says_so.__dict__.update(dict.fromkeys(("access_rule", "rule", "requires"), MEMBER))


@cache_control(private=True)
@requires(MEMBER)
def guarded_below(request: Any) -> HttpResponse:
    return HttpResponse()


urlpatterns = [path("somewhere/", undeclared), path("elsewhere/", only_says_so), path("fine/", guarded_below)]


def test_a_route_without_a_rule_fails_the_build() -> None:
    assert check_routes(None) == []
    with override_settings(ROOT_URLCONF=__name__):
        messages = check_routes(None)
    assert [m.id for m in messages] == ["entities.E020"] * 2
    assert [name in m.msg for m, name in zip(messages, ["somewhere/", "elsewhere/"], strict=True)] == [True, True]


def test_docs_list_every_option_and_id() -> None:
    text = DOCS.read_text()
    for option in option_names(Rag) | option_names(Access):
        assert f"`{option}`" in text, option
    source = (Path(__file__).parents[2] / "entities" / "checks.py").read_text()
    numbers = set(re.findall(r"error\((\d+)", source)) | {"20"}
    for number in numbers:
        assert f"`entities.E{int(number):03}`" in text, number
