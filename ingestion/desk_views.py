"""Pages of the classification desk, for stewards (docs/labels.md)."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe
from rest_framework.exceptions import APIException

from entities.access import STEWARD, Scope, get_entity_or_404, opens_own_scope, requires
from entities.api.lists import list_atom_chips, list_chips, load_atom_chips
from entities.models.classification import STEWARDS
from ingestion.access import get_file_or_404
from ingestion.desk import (
    CAUSES,
    MOST,
    UNJUDGED,
    Item,
    QueueFilter,
    accept_proposals,
    build_item,
    build_items,
    load_places,
    select_paragraphs,
    select_waiting,
)
from ingestion.desk_groups import GROUPINGS, MAX_GROUPED_ITEMS, find_alike, group_items
from ingestion.kinds import describe_kinds
from ingestion.listing import build_file_view, build_file_views
from ingestion.models import Paragraph
from ingestion.page_pictures import draw_sheet, keep_if_still_allowed, load_sheet
from ingestion.relabelling import get_paragraph_or_404, list_own_chips, relabel_paragraph
from ingestion.remainder_decisions import select_files_to_settle
from ingestion.tables import MarkdownTable, read_table

ON_A_PAGE = 25
NO_LABEL = -1
AROUND = 2
"""Paragraphs before and after the one that is decided on."""


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


def parse_filters(query: QueryDict) -> QueueFilter:
    """Filters of an address; what makes no sense narrows nothing."""
    cause, label = query.get("cause", ""), query.get("label", "")
    return QueueFilter(
        cause if cause in (*CAUSES, UNJUDGED) else "",
        _parse_uuid(query.get("file", "")),
        _parse_uuid(query.get("record", "")),
        int(label) if label.isascii() and label.isdigit() and len(label) < 6 else None,
    )


def read_labels(given: QueryDict) -> list[int]:
    """What is no number is no label that there is: left out, the decision would be a lower one."""
    return [int(v) if v.isascii() and v.isdigit() and len(v) < 6 else NO_LABEL for v in given.getlist("labels")]


def read_ticked_items(given: QueryDict) -> dict[UUID, str]:
    """`Item.seen` by id, of a form's `item`s; as many as are decided at once."""
    pairs = [item.partition(" ") for item in given.getlist("item")[:MOST]]
    return {pk: seen for key, _, seen in pairs if (pk := _parse_uuid(key)) is not None}


def report_left_out(request: HttpRequest) -> None:
    """Say how many of the ticked are more than are decided at once."""
    if (more := len(request.POST.getlist("item")) - MOST) > 0:
        words = ngettext(
            "Only the first %(most)s that were ticked are decided at once; %(left)s paragraph still to do.",
            "Only the first %(most)s that were ticked are decided at once; %(left)s paragraphs still to do.",
            more,
        )
        messages.warning(request, words % {"most": MOST, "left": more})


def _parse_uuid(given: str) -> UUID | None:
    try:
        return UUID(given)
    except ValueError:
        return None


def encode_filters(wanted: QueueFilter) -> str:
    """The filters as an address has them."""
    given = {"cause": wanted.cause, "file": wanted.file, "record": wanted.entity, "label": wanted.label}
    return urlencode({name: value for name, value in given.items() if value not in ("", None)})


@requires(STEWARD)
@require_safe
def desk(request: HttpRequest) -> HttpResponse:
    """What waits, document by document, with what is proposed for it."""
    scope = get_scope(request)
    wanted = parse_filters(request.GET)
    page = Paginator(select_waiting(scope, wanted), ON_A_PAGE).get_page(request.GET.get("page"))
    grouping = request.GET.get("group", "" if encode_filters(wanted) or "page" in request.GET else "document")
    grouping = grouping if grouping in GROUPINGS else ""
    rows = select_waiting(scope, wanted)[:MAX_GROUPED_ITEMS] if grouping else page.object_list
    items = build_items(scope, rows)
    files = Paginator(select_files_to_settle(scope), ON_A_PAGE).get_page(request.GET.get("files"))
    context = {
        "page": page,
        "items": items,
        "grouping": grouping,
        "groupings": GROUPINGS.items(),
        "groups": group_items(items, grouping) if grouping else [],
        "kinds": describe_kinds({item.where.file for item in items}) if grouping == "document" else {},
        "wanted": wanted,
        "query": encode_filters(wanted),
        "causes": [*((name, cause.label) for name, cause in CAUSES.items()), (UNJUDGED, gettext("Not judged yet"))],
        "labels": [chip for value, chip in load_atom_chips().items() if value],
        "files_page": files,
        "unread_files": [] if encode_filters(wanted) else build_file_views(scope, files.object_list, known=True),
        "narrowed_file": build_file_view(scope, get_file_or_404(scope, wanted.file)) if wanted.file else None,
        "narrowed_record": get_entity_or_404(scope, wanted.entity) if wanted.entity else None,
    }
    return render(request, "ingestion/desk.html", context)


@requires(STEWARD)
@require_safe
def desk_waiting(request: HttpRequest) -> HttpResponse:
    """How much waits, for the top bar: as many as the desk shows."""
    scope = get_scope(request)
    count = select_waiting(scope, QueueFilter()).count() + select_files_to_settle(scope).count()
    return render(request, "ingestion/desk_waiting.html", {"count": count})


@opens_own_scope
@requires(STEWARD)
@require_POST
def desk_accept(request: HttpRequest) -> HttpResponse:
    """Take the ticked proposals: `item` is "<id> <seen>", as the page had them. What came of it is known when the scope
    is closed."""
    scope = get_scope(request)
    shown = read_ticked_items(request.POST)
    try:
        with scope.open():
            taken = accept_proposals(scope=scope, shown=shown)
    except APIException as refusal:
        messages.error(request, str(refusal.detail))
        return redirect_to_desk(request)
    done = taken.drop_missed()
    report_left_out(request)
    if not shown:
        messages.info(request, gettext("Nothing was ticked, so nothing was decided."))
    if done.accepted:
        messages.success(
            request,
            ngettext(
                "%(count)s paragraph decided as proposed.",
                "%(count)s paragraphs decided as proposed.",
                len(done.accepted),
            )
            % {"count": len(done.accepted)},
        )
    if done.changed:
        messages.warning(request, say_changed(len(done.changed)))
    return redirect_to_desk(request)


def say_changed(count: int) -> str:
    """The sentence about paragraphs that were left as they are."""
    words = ngettext(
        "%(count)s paragraph had changed since this page was shown, and nothing was decided there. Look again.",
        "%(count)s paragraphs had changed since this page was shown, and nothing was decided there. Look again.",
        count,
    )
    return words % {"count": count}


def redirect_to_desk(request: HttpRequest) -> HttpResponse:
    return redirect(build_desk_url(request.POST))


def build_desk_url(posted: QueryDict) -> str:
    """The desk with the filters and groups that a form came from (`query`)."""
    given = QueryDict(posted.get("query", ""))
    group = f"group={given['group']}" if given.get("group") in (*GROUPINGS, "one") else ""
    query = "&".join(filter(None, (encode_filters(parse_filters(given)), group)))
    return f"{reverse('ingestion:desk')}{f'?{query}' if query else ''}"


@requires(STEWARD)
@require_safe
def desk_item(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One paragraph: its page, its votes, what stands around it, and the decision."""
    return show_item(request, pk, parse_filters(request.GET))


def show_item(
    request: HttpRequest, pk: UUID, wanted: QueueFilter, problem: str = "", status: int = 200
) -> HttpResponse:
    scope = get_scope(request)
    paragraph = get_paragraph_or_404(scope, pk)
    where = load_places(scope, [paragraph]).get(paragraph.pk)
    if where is None:
        raise Http404("Not found.")
    item = build_item(paragraph, where)
    before, after = find_adjacent(scope, wanted, pk)
    query = encode_filters(wanted)
    shown = (item.now or frozenset()) - {STEWARDS} or item.proposed or frozenset()
    ticked = set(read_labels(request.POST)) if problem else shown
    alike = (
        find_alike(build_items(scope, select_waiting(scope, QueueFilter())[:MAX_GROUPED_ITEMS]), item)
        if item.causes
        else []
    )
    context: dict[str, Any] = {
        "item": item,
        "votes": [
            (
                vote,
                list_atom_chips(frozenset() if vote.held else vote.labels),
                list_atom_chips(vote.proposed | vote.labels if vote.held else vote.proposed),
            )
            for vote in item.votes
        ],
        "labels": [(chip, chip.value in ticked) for chip in list_own_chips()],
        "reason": request.POST.get("reason", "") if problem else "",
        "problem": problem,
        "query": query,
        "before": before,
        "after": after,
        "around": load_surroundings(scope, item),
        "alike": alike[: MOST - 1],
        "alike_left": len(alike) > MOST - 1,
        "has_page": isinstance(paragraph, Paragraph) and paragraph.page is not None and bool(paragraph.boxes),
    }
    return render(request, "ingestion/desk_item.html", context, status=status)


def find_adjacent(scope: Scope, wanted: QueueFilter, pk: UUID) -> tuple[str, str]:
    """Addresses of what waits before and after this, "" where there is nothing."""
    ids = [row[0] for row in select_waiting(scope, wanted)[:1000]]
    place = ids.index(pk) if pk in ids else None
    query = encode_filters(wanted)

    def build_address(key: UUID) -> str:
        return f"{reverse('ingestion:desk_item', args=[key])}{f'?{query}' if query else ''}"

    if place is None:
        return "", build_address(ids[0]) if ids else ""
    return (
        build_address(ids[place - 1]) if place else "",
        build_address(ids[place + 1]) if place + 1 < len(ids) else "",
    )


def load_surroundings(scope: Scope, item: Item) -> Sequence[tuple[Any, MarkdownTable | None, Any, bool]]:
    """(paragraph, it as a table, its chips, whether it is the one) in reading order, as far as the steward may read."""
    rows: Any
    if isinstance(item.paragraph, Paragraph):
        rows = select_paragraphs(scope).filter(file=item.paragraph.file_id)
    else:
        rows = type(item.paragraph).objects.filter(entity=item.paragraph.entity_id, field=item.paragraph.field)
    place = item.paragraph.position
    before = list(rows.filter(position__lt=place).order_by("-position")[:AROUND])[::-1]
    after = list(rows.filter(position__gt=place).order_by("position")[:AROUND])
    return [
        (row, read_table(row.text), list_chips(row.data_classification), row.pk == item.paragraph.pk)
        for row in [*before, item.paragraph, *after]
    ]


@opens_own_scope
@requires(STEWARD)
@require_POST
def desk_decide(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A steward's own labels, with a reason, which hold when the scope is closed; then on to the next that waits, or
    back to where the paragraph stands, where it did not wait."""
    scope = get_scope(request)
    wanted = parse_filters(QueryDict(request.POST.get("query", "")))
    try:
        with scope.open():
            paragraph = get_paragraph_or_404(scope, pk)
            waited, onward = bool(paragraph.review), find_adjacent(scope, wanted, pk)[1]
            relabel_paragraph(
                scope=scope,
                paragraph=paragraph,
                labels=read_labels(request.POST),
                reason=request.POST.get("reason", ""),
                seen=request.POST.get("seen", ""),
            )
    except APIException as refusal:
        with scope.open():
            return show_item(request, pk, wanted, str(refusal.detail), refusal.status_code)
    messages.success(request, gettext("Decided. It holds everywhere from now on."))
    if not waited:
        onward = find_standing_url(scope, pk)
    return redirect(onward) if onward else redirect_to_desk(request)


def find_standing_url(scope: Scope, pk: UUID) -> str:
    """Address of where a paragraph stands; "" where the caller's own decision hid it from them."""
    with scope.open(), suppress(Http404):
        return next((where.url for where in load_places(scope, [get_paragraph_or_404(scope, pk)]).values()), "")
    return ""


@opens_own_scope
@requires(STEWARD)
@require_safe
def desk_page(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The page on which a paragraph stands, with bands. No scope is open while it is drawn."""
    scope = get_scope(request)
    with scope.open():
        sheet = load_sheet(scope, get_paragraph_or_404(scope, pk))
    drawn_sheet = draw_sheet(sheet)
    with scope.open():
        # Asked again: a clearance may have been withdrawn, or other bytes published, while the page was drawn.
        sheet = keep_if_still_allowed(drawn_sheet, load_sheet(scope, get_paragraph_or_404(scope, pk)))
        template = "ingestion/desk_page.html" if request.headers.get("HX-Request") else "ingestion/desk_page_alone.html"
        response = render(request, template, {"sheet": sheet})
    response["Cache-Control"] = "private, no-store"
    return response
