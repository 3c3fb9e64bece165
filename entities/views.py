"""Pages of records: home, lists, the record, and its form. Access, form, action, template, render."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from entities import actions
from entities.access import (
    MEMBER,
    SIGNED_IN,
    Scope,
    can_create,
    get_entity_or_404,
    has_permission,
    list_workspaces,
    requires,
)
from entities.bin import BIN_DAYS, bin_entity
from entities.errors import VERB_REFUSALS
from entities.first_steps import choose_first_kind, list_demo_questions, list_other_people
from entities.formats import format_count
from entities.language import join_words, lowercase_noun
from entities.models import Entity
from entities.pages import build_text_sections, list_choices, list_columns, list_properties
from entities.records import RESERVED, BadQuery, list_records, load_visible_links
from entities.registry import get_content_type_id, goes_with, list_child_types, list_entity_types, list_kinds
from entities.shell_context import find_address
from entities.sign_in import DEMO_SLUG, is_unclaimed
from entities.text import read_texts

PAGE = 25


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(SIGNED_IN)
@require_safe
def landing(request: HttpRequest) -> HttpResponse:
    """`/`: the first of the caller's workspaces, the demo last."""
    mine = sorted(list_workspaces(request.user), key=lambda one: one[0] == DEMO_SLUG)  # type: ignore[arg-type]
    return redirect(f"/w/{mine[0][0]}/" if mine else "/join/")


@requires(MEMBER)
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What changed lately, of what the caller may see."""
    scope = get_scope(request)
    recent = Entity.objects.readable_by(scope).filter(archived_at__isnull=True).order_by("-updated_at", "pk")[:12]
    counts = {
        model: Entity.objects.visible_to(scope)
        .filter(content_type=get_content_type_id(model), archived_at__isnull=True)
        .count()
        for model in list_kinds().values()
    }
    kinds = [(model, count) for model, count in counts.items() if count or can_create(scope, model)]
    panels = {"conversations_url": find_address("chat:recent"), "pulses_url": find_address("pulse:recent")}
    first = {
        "first_kind": choose_first_kind(scope, counts),
        "demo_questions": list_demo_questions(scope),
        "begin_url": "/begin/" if scope.slug == DEMO_SLUG and is_unclaimed() else "",
        "sample_url": f"/w/{DEMO_SLUG}/sample/" if has_sample(request, counts) else "",
        "demo_people": list_other_people(request.user.get_username(), scope),
    }
    return render(request, "entities/home.html", {"recent": recent, "kinds": kinds, **first, **panels})


def has_sample(request: HttpRequest, counts: Mapping[type[Entity], int]) -> bool:
    """Whether to say where the sample company is: on an empty home, to members of it."""
    if any(counts.values()) or get_scope(request).slug == DEMO_SLUG:
        return False
    return DEMO_SLUG in dict(list_workspaces(request.user))  # type: ignore[arg-type]


@requires(MEMBER)
@require_safe
def record_list(request: HttpRequest, type_name: str) -> HttpResponse:
    """A table of one type: filters, order, pages."""
    scope, model = get_scope(request), get_type_or_404(type_name)
    query = request.GET.dict()
    try:
        rows: Any = list_records(scope, model, query)
        page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
        records = list(page.object_list)
        problem, asked = "", rows.words
    except BadQuery as bad:
        page, records, problem, asked = None, [], bad.detail, []
    links = load_visible_links(scope, records)
    columns = list_columns(model)
    choices = [choice for choice in list_choices(model, query) if "," not in choice["value"]]  # of several: no select
    offered = RESERVED | {choice["name"] for choice in choices}
    others = [(name, value) for name, value in query.items() if name not in offered and value and not problem]
    context = {
        "model": model,
        "type_name": type_name,
        "page": page,
        "columns": columns,
        "rows": [(record, list_properties(scope, record, links, columns)) for record in records],
        "choices": choices,
        "others": others,
        "asked": asked if others else [],
        "ordering": query.get("ordering", "-updated_at"),
        "q": query.get("q", ""),
        "problem": problem,
        "may_create": can_create(scope, model),
    }
    return render(request, "entities/record_list.html", context, status=400 if problem else 200)


@requires(MEMBER)
@require_safe
def detail(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The record: properties and files, Pulse and tabs, chat."""
    scope = get_scope(request)
    entity = get_entity_or_404(scope, pk)
    links = load_visible_links(scope, [entity])
    context = {
        "entity": entity,
        "properties": list_properties(scope, entity, links, list_columns(type(entity), declared=True)),
        "texts": build_text_sections(entity, read_texts(scope, entity, own=True)),
        "may_change": has_permission(scope, entity, "change"),
        "may_delete": has_permission(scope, entity, "delete"),
        "may_share": has_permission(scope, entity, "share"),
        "children": list_children(scope, entity),
        "deletion": describe_deletion(type(entity)),
    }
    return render(request, "entities/record_detail.html", context)


@requires(MEMBER)
@require_safe
def record_text(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One long text of a record (`field`), asked for while it is being classified; empty where nothing is left."""
    scope, name = get_scope(request), request.GET.get("field", "")
    entity = get_entity_or_404(scope, pk)
    sections = {section.name: section for section in build_text_sections(entity, read_texts(scope, entity, own=True))}
    if name not in sections:
        return HttpResponse()
    return render(request, "entities/record_text.html", {"entity": entity, "section": sections[name]})


@requires(MEMBER)
@require_POST
def delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    entity = get_for(scope, pk, "delete")
    bin_entity(scope=scope, entity=entity)
    messages.success(request, gettext("%(name)s is in the bin.") % {"name": entity}, extra_tags=f"undo:{entity.pk}")
    return redirect("entities:list", entity.type_name)


@requires(MEMBER)
@require_POST
def archive(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    entity = get_for(scope, pk, "change")
    wanted = request.POST.get("archived")  # what the button said: an old page does not turn it round
    archived = entity.archived_at is None if wanted is None else wanted == "1"
    if archived != (entity.archived_at is not None):
        actions.archive_entity(scope=scope, entity=entity, archived=archived)
    return redirect("entities:detail", entity.pk)


def get_for(scope: Scope, pk: UUID, verb: str) -> Entity:
    """A record for a verb: 404 when it is not visible, 403 when it is but the verb is not the caller's."""
    entity = get_entity_or_404(scope, pk)
    if not has_permission(scope, entity, verb):
        raise PermissionDenied(VERB_REFUSALS[verb])
    return entity


def get_type_or_404(name: str) -> type[Entity]:
    model = list_entity_types().get(name)
    if model is None:
        raise Http404("Not found.")
    return model


def list_children(scope: Scope, entity: Entity) -> list[dict[str, Any]]:
    """Records that belong to `entity` by hard relations, as far as `scope` may see them."""
    groups = []
    for model, field in list_child_types(type(entity)):
        rows = list(model.objects.readable_by(scope).filter(**{field: entity.pk}, archived_at__isnull=True)[:50])
        if rows:
            groups.append({"model": model, "rows": rows})
    return groups


def describe_deletion(model: type[Entity]) -> str:
    """What goes with a record. Of the type and not of the record: it must not tell whether something is hidden."""
    below = {lowercase_noun(kind.plural_title) for kind, field in list_child_types(model) if goes_with(kind, field)}
    sentences = [gettext("It disappears for everybody, with its files, Pulse, conversations and references.")]
    if below:
        kinds = join_words(sorted(below))
        sentences.append(
            gettext("So do all %(kinds)s that belong to it, also those that you may not see.") % {"kinds": kinds}
        )
    return " ".join(
        [*sentences, gettext("You can restore it from the bin for %(days)s.") % {"days": format_count(BIN_DAYS, "day")}]
    )
