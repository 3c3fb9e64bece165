"""The form of a record, new or to be changed: only what its reader has changed is written (`entities.merging`)."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from entities import actions
from entities.access import MEMBER, Scope, can_create, requires
from entities.access.objects import lock_or_404
from entities.creation_forms import CREATION_KEY, build_creation_key, make_once
from entities.errors import describe_create_refusal
from entities.forms import build_entity_form, read_cleaned
from entities.language import join_words
from entities.merging import SHOWN, VERSION, build_form_again, describe_now, read_edit
from entities.models import Entity
from entities.records import load_visible_links
from entities.repeats import OtherRequest
from entities.text import list_readable_paragraphs, read_own_texts
from entities.versions import build_text_version, build_version, load_values
from entities.views import get_for, get_scope, get_type_or_404


@requires(MEMBER)
@require_http_methods(["GET", "POST"])
def create(request: HttpRequest, type_name: str) -> HttpResponse:
    scope, model = get_scope(request), get_type_or_404(type_name)
    if not can_create(scope, model):
        raise PermissionDenied(describe_create_refusal(model.singular_title))
    form = build_entity_form(scope, model, get_posted_data(request))
    if request.method == "POST" and form.is_valid():
        columns, texts = read_cleaned(model, form)

        def make() -> list[UUID]:
            return [actions.create_entity(scope=scope, model=model, fields=columns, texts=texts).pk]

        try:
            (made,) = make_once(request, make)
            return redirect("entities:detail", made)
        except OtherRequest as earlier:
            form.add_error(None, describe_made(scope, earlier.made))
    return form_page(request, model, form)


def describe_made(scope: Scope, made: list[UUID]) -> str:
    """Of a form that comes again with other words, what it has made before, as far as it is there."""
    found = Entity.objects.readable_by(scope).filter(pk__in=made).first()
    if found is None:
        return gettext("This form was sent before. Save again to make another one.")
    return gettext("This form has made “%(name)s” before. Save again to make another one.") % {"name": found}


@requires(MEMBER)
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    entity = get_for(scope, pk, "change")
    if request.method == "POST":
        lock_or_404(entity)
        entity = get_for(scope, pk, "change")  # as it is now that nobody else writes it
    model = type(entity)
    form = build_entity_form(scope, model, get_posted_data(request), entity)
    now = load_values(entity, load_visible_links(scope, [entity]))
    shown = {name: build_text_version(name, list_readable_paragraphs(entity, name)) for name in model.long_texts}
    if request.method == "POST" and form.is_valid():
        edit = read_edit(model, form, now, shown)
        if not edit.conflicts:
            actions.change_entity(
                scope=scope, entity=entity, fields=edit.columns, texts=edit.texts, replaceable=edit.replaceable
            )
            say_unchanged(request, form, edit.kept)
            return redirect("entities:detail", entity.pk)
        build_form_again(form, edit, shown)
        hidden = list_versions(form, now, shown, renewed=True)
        return form_page(request, model, form, entity, versions=hidden, both=edit.conflicts)
    return form_page(request, model, form, entity, versions=list_versions(form, now, shown))


def list_versions(
    form: Any, now: Mapping[str, object], shown: Mapping[str, str], *, renewed: bool = False
) -> list[tuple[str, str]]:
    """The hidden fields of a form. What was sent goes on being about what it was filled with, unless it is renewed."""
    fresh = {VERSION: build_version(now)} | {name + SHOWN: version for name, version in shown.items()}
    sent = form.data if form.is_bound else {}
    return [(name, value if renewed and name == VERSION else sent.get(name, value)) for name, value in fresh.items()]


def say_unchanged(request: HttpRequest, form: Any, kept: list[str]) -> None:
    """That somebody else has changed something meanwhile, which stays."""
    if kept:
        names = join_words([str(form[name].label) for name in kept])
        messages.info(request, gettext("Somebody else has changed %(names)s meanwhile; that stays.") % {"names": names})


def get_posted_data(request: HttpRequest) -> Any:
    """What was posted, an empty form too; None on a GET."""
    return request.POST if request.method == "POST" else None


def form_page(
    request: HttpRequest,
    model: type[Entity],
    form: Any,
    entity: Entity | None = None,
    versions: Sequence[tuple[str, str]] = (),
    both: Sequence[str] = (),
) -> HttpResponse:
    """versions: hidden fields. both: names of fields of which is shown what stands there now, beside what was typed."""
    from entities.api.lists import list_atom_chips

    fields = [
        (
            field,
            list_atom_chips(model.rag().get_field_label(field.name)) if field.name not in model.long_texts else [],
            describe_now(field) if field.name in both else None,
        )
        for field in form
    ]
    hidden = versions or [(CREATION_KEY, build_creation_key())]
    is_pending = entity is not None and any(block.text is not None for block in read_own_texts(entity).values())
    context = {"form": form, "fields": fields, "model": model, "entity": entity, "hidden": hidden}
    status = 409 if both else 422 if form.is_bound else 200
    return render(request, "entities/record_form.html", {**context, "is_pending": is_pending}, status=status)
