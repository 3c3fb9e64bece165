"""`manage.py check` validates every declaration, and refuses a route without an access rule."""

import string
from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.db import models
from django.urls import URLPattern, URLResolver, get_resolver

from entities.access import find_rule
from entities.models import Entity
from entities.option_values import are_names, find_wrong_values
from entities.rag import VERBS, Access, Rag, list_option_names
from entities.records import RESERVED as PARAMETERS
from entities.records import STATES
from entities.registry import list_entity_types

RESERVED = {"title", "kind", "labels", "redacted", "version", "workspace_id", "scope", *PARAMETERS, *STATES}


@checks.register()
def check_types(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    return [message for model in list_entity_types().values() for message in check_type(model)]


def check_type(model: type[Entity]) -> Iterator[checks.CheckMessage]:
    """Errors of one type's declaration. Ids are listed in docs/entity-types.md."""
    rag, access = model.rag(), model.access()
    columns = {f.name for f in model._meta.get_fields()} | set(model.long_texts)

    def error(number: int, text: str, hint: str = "") -> checks.CheckMessage:
        return checks.Error(f"{model.__name__}: {text}", hint=hint or None, obj=model, id=f"entities.E{number:03}")

    for option in list_option_names(rag) - list_option_names(Rag):
        yield error(1, f"Rag has no option {option!r}", f"Options: {', '.join(sorted(list_option_names(Rag)))}")
    wrong = list(find_wrong_values(rag))
    for number, text in wrong:
        yield error(number, text)
    if wrong:
        return  # what follows reads the values
    try:
        used = {name for _, name, _, _ in string.Formatter().parse(rag.semantic) if name is not None}
    except ValueError as problem:
        used = set()
        yield error(2, f"Rag.semantic is not a format string: {problem}")
    for name in sorted(used - columns):
        yield error(2, f"Rag.semantic names {name!r}, which is not a field")
    for name in sorted(used & set(model.long_texts)):
        yield error(2, f"Rag.semantic names the long text {name!r}; its paragraphs are indexed by themselves")
    for option in ("classified", "status_fields", "fields", "pulse_tracked_fields"):
        for name in getattr(rag, option) or ():
            if name not in columns:
                yield error(3, f"Rag.{option} names {name!r}, which is not a field")
    for option, names in (("due", [rag.due] if rag.due else []), ("finished", rag.finished)):
        for name in names:
            if name not in columns:
                yield error(3, f"Rag.{option} names {name!r}, which is not a field")
    for name in model.long_texts:
        if name in rag.classified:
            yield error(4, f"{name!r} is a long text: it is labelled by paragraph, not by declaration")
    for name, collection in rag.collections.items():
        if not collection.classify and not collection.classification:
            yield error(5, f"collection {name!r} switches classification off without declaring a classification")
    if not rag.collections:
        yield error(5, "Rag.collections is empty")
    if access.default not in ("workspace", "restricted", "private"):
        yield error(6, f"Access.default is {access.default!r}")
    for option in list_option_names(access) - list_option_names(Access):
        yield error(6, f"Access has no option {option!r}")
    for rule in access.rules:
        if rule.verb not in VERBS:
            yield error(7, f"Access rule for unknown verb {rule.verb!r}", f"Verbs: {', '.join(VERBS)}")
        if not are_names(rule.roles):
            yield error(7, f"Access rule for the roles {rule.roles!r}, which is not a list of names")
        elif not rule.roles:
            yield error(7, "Access rule for no role; an empty list is not 'everybody'")
    for field in model._meta.local_fields:
        if field.name in RESERVED:
            yield error(8, f"the field name {field.name!r} is taken by the platform")
        if isinstance(field, models.TextField):
            yield error(
                9, f"{field.name!r} is a TextField", "Declare long text as LongText(): it is stored by paragraph."
            )
    if model._meta.pk is None or model._meta.pk.name != "entity_ptr":
        yield error(10, "declare entity_ptr with related_name='+' (see docs/entity-types.md)")


@checks.register(checks.Tags.urls)
def check_routes(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Every callback of the two URL configurations declares an access rule."""
    messages: list[checks.CheckMessage] = []
    for urlconf in (settings.ROOT_URLCONF, "config.workspace_urls"):
        for route, callback in list_routes(get_resolver(urlconf).url_patterns):
            if find_rule(callback) is None:
                messages.append(
                    checks.Error(
                        f"{urlconf}: route {route!r} declares no access rule",
                        hint="Decorate the view with @requires(MEMBER) or another rule of entities.access.",
                        id="entities.E020",
                    )
                )
    return messages


def list_routes(patterns: Sequence[URLPattern | URLResolver], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(route, callback) of every pattern below `patterns`."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from list_routes(pattern.url_patterns, route)
        else:
            yield route, pattern.callback
