"""`manage.py check` refuses wrong declarations and undeclared routes; the docs list every option and id."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from django.core.checks import CheckMessage, run_checks
from django.http import HttpResponse
from django.test import override_settings
from django.urls import path
from django.views.decorators.cache import cache_control

from entities.access import MEMBER, requires
from entities.checks import check_routes, check_type
from entities.fields import LongText
from entities.models import Entity
from entities.models.classification import FINANCIAL, PII
from entities.rag import Access, Allow, Collection, Rag, Tier, list_option_names
from entities.types import Contract
from llm.models_catalogue import TIERS

DOCS = Path(__file__).parents[2] / "docs" / "entity-types.md"


def ids(**changes: Any) -> set[str]:
    return {str(message.id) for message in said(**changes)}


def said(**changes: Any) -> list[CheckMessage]:
    """The messages that a type like Contract, with another declaration, would get."""
    rag = type("Rag", (Contract.Rag,), changes.pop("rag", {}))
    access = type("Access", (Contract.Access,), changes.pop("access", {}))
    fake = SimpleNamespace(
        __name__="Fake",
        rag=lambda: rag,
        access=lambda: access,
        _meta=changes.pop("meta", Contract._meta),
        long_texts=changes.pop("long_texts", Contract.long_texts),
    )
    return list(check_type(fake))  # type: ignore[arg-type]


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
        ("entities.E003", {"rag": {"due": "nosuch"}}),
        ("entities.E003", {"rag": {"finished": {"nosuch": ["done"]}}}),
        ("entities.E004", {"rag": {"classified": {"notes": 5}}}),
        ("entities.E005", {"rag": {"collections": {"a": Collection(classify=False)}}}),
        ("entities.E005", {"rag": {"collections": {}}}),
        ("entities.E006", {"access": {"default": "everyone"}}),
        ("entities.E006", {"access": {"owner": "x"}}),
        ("entities.E007", {"access": {"rules": [Allow("peek", roles=["Editor"])]}}),
        ("entities.E007", {"access": {"rules": [Allow("view", roles=[])]}}),
        ("entities.E002", {"rag": {"semantic": "{} by {}"}}),
        ("entities.E007", {"access": {"rules": [Allow("view", roles="Editor")]}}),
        ("entities.E010", {"meta": Entity._meta}),
        ("entities.E008", {"meta": SimpleNamespace(get_fields=list, pk=Contract._meta.pk, local_fields=[
            SimpleNamespace(name="title")])}),
        ("entities.E008", {"meta": SimpleNamespace(get_fields=list, pk=Contract._meta.pk, local_fields=[
            SimpleNamespace(name="overdue")])}),
    ],
)  # fmt: skip
def test_a_wrong_declaration_is_named(expected: str, change: dict[str, Any]) -> None:
    assert expected in ids(**change)


WRONG_VALUES = [
    (11, "semantic", [7]), (11, "fields", ["name", {"counterparty": 1}]), (11, "status_fields", ["status", None]),
    (11, "due", [None, ["ends_on"]]), (11, "finished", [["status"], {"status": "done"}, {"status": [1]}]),
    (11, "pulse_tracked_fields", ["value", 7]), (11, "pulse_prompt", [None]), (11, "pulse", ["yes", 1]),
    (11, "pulse_references", ["no"]), (12, "default", [7, -1, True, (), (3, 99), "PII", None]),
    (12, "classified", [{"value": 99}, {"value": (5, 7)}, {"value": "PII"}, ["value"]]),
    (12, "collections", [{"a": Collection(classification=99)}, {"a": Collection(name_classification=(3, 7))}]),
    (13, "collections", [["documents"], {"a": "Documents"}, {"a": Collection(strategy="orc")},  # type: ignore[arg-type]
                         {"a": Collection(classify="off", classification=3)}]),  # type: ignore[arg-type]
    (14, "pulse_model", ["turbo", None, ["fast"]]), (15, "pulse_refresh_after", ["x", 0, -5, True]),
    (15, "coalesce", ["soon", -1, None]), (16, "propagation", ["sideways", -1, True, None]),
    (17, "icon", ["no-such-icon", "", None]), (17, "color", ["mauve", None, ["red"]]),
    (18, "children", [["Nope"], "Task"]), (18, "chat_references", [False]), (18, "chat_visibility", ["everybody"]),
]  # fmt: skip
RIGHT_VALUES = [
    ("semantic", "{name}"), ("fields", ["name"]), ("fields", None), ("status_fields", ("status",)),
    ("due", "ends_on"), ("due", ""), ("finished", {"status": ["terminated"]}), ("finished", {}),
    ("pulse_tracked_fields", []), ("pulse", True), ("pulse_prompt", "Risks."), ("pulse_references", False),
    ("default", 6), ("default", (1, 5)), ("classified", {"value": (PII, FINANCIAL)}),
    ("collections", {"a": Collection(strategy="ocr"), "b": Collection(strategy="vision")}),
    ("collections", {"a": Collection(strategy="layout", classification=(1, 2), name_classification=3)}),
    ("pulse_model", "deep"), ("pulse_refresh_after", 3600), ("pulse_refresh_after", None), ("coalesce", 0),
    ("propagation", "none"), ("propagation", 3), ("icon", "scale"), ("color", "lime"),
    ("children", []), ("chat_references", True), ("chat_visibility", "private"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "option", "value"),
    [(number, option, value) for number, option, values in WRONG_VALUES for value in values],
)
def test_a_wrong_value_is_named_in_a_sentence(number: int, option: str, value: Any) -> None:
    messages = said(rag={option: value})
    assert [str(m.id) for m in messages] == [f"entities.E{number:03}"]
    about = next(iter(value)) if option == "collections" and isinstance(value, dict) else option
    assert about in messages[0].msg
    assert "; it is " in messages[0].msg


@pytest.mark.parametrize(("option", "value"), RIGHT_VALUES)
def test_a_right_value_passes(option: str, value: Any) -> None:
    assert said(rag={option: value}) == []


def test_every_option_has_values_that_pass_and_values_that_do_not() -> None:
    assert {option for _, option, _ in WRONG_VALUES} == {option for option, _ in RIGHT_VALUES} == list_option_names(Rag)


def test_the_tiers_of_a_pulse_are_those_of_the_models() -> None:
    assert get_args(Tier) == TIERS


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
    for option in list_option_names(Rag) | list_option_names(Access):
        assert f"`{option}`" in text, option
    source = (Path(__file__).parents[2] / "entities" / "checks.py").read_text()
    numbers = set(re.findall(r"error\(\s*(\d+)", source)) | {"20"} | {number for number, _, _ in WRONG_VALUES}
    for number in numbers:
        assert f"`entities.E{int(number):03}`" in text, number
