"""Panels beside the buttons that give roles, clearances or access: what it would open, before it is given."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from entities.access import ADMIN, MEMBER, STEWARD, Scope, load_granted_atoms, requires
from entities.access.routes import open_scope_satisfies
from entities.models import FieldParagraph, Membership, Role, User
from entities.models.entity import Visibility
from entities.people_views import read_cells
from entities.role_views import read_keys
from entities.views import get_for
from ingestion.desk import select_field_paragraphs, select_paragraphs
from ingestion.desk_views import get_scope
from ingestion.grants import find_asked_passages
from ingestion.models import Extent, Paragraph
from ingestion.openings import Change, Holding, add_roles, count_opening, load_holdings
from ingestion.requests import get_request_or_404

PEOPLE_SHOWN = 10


@requires(ADMIN)
@require_POST
def opening_of_invitation(request: HttpRequest) -> HttpResponse:
    """Of an invitation with `roles`, for whom its `note` names."""
    roles = Role.objects.filter(pk__in=read_keys(request.POST.getlist("roles")))
    name = request.POST.get("note", "").strip()[:150] or gettext("Whoever follows the link")
    # Somebody without any role reads what is Public in open records.
    after = add_roles(Holding(principals=(0,)), roles)
    return render_opening(request, get_scope(request), [Change(name, None, after)])


@requires(ADMIN)
@require_POST
def opening_of_levels(request: HttpRequest) -> HttpResponse:
    """Of levels that are ticked (`cell`) and were not (`was`), for everybody who has these roles."""
    were, ticked = (read_cells(request.POST.getlist(name)) for name in ("was", "cell"))
    added = {role: levels - were.get(role, set()) for role, levels in ticked.items() if levels - were.get(role, set())}
    gained: dict[int, set[int]] = {}
    for role, user in Role.objects.filter(pk__in=added).values_list("pk", "group__user"):
        gained.setdefault(user, set()).update(added[role])
    members = load_members(gained)
    holdings = load_holdings(members)
    changes = [
        Change(members[user], held, replace(held, atoms=held.atoms | gained[user])) for user, held in holdings.items()
    ]
    return render_opening(request, get_scope(request), changes)


@requires(ADMIN)
@require_POST
def opening_of_members(request: HttpRequest) -> HttpResponse:
    """Of the role or group `role` in the address, for members who are ticked (`member`) and were not (`was`)."""
    role = get_object_or_404(Role, pk__in=read_keys([request.GET.get("role", "")]))
    ticked, were = (read_keys(request.POST.getlist(name)) for name in ("member", "was"))
    members = load_members(ticked - were)
    changes = [Change(members[user], held, add_roles(held, [role])) for user, held in load_holdings(members).items()]
    return render_opening(request, get_scope(request), changes)


@requires(MEMBER)
@require_POST
def opening_of_share(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Of access to a record for `holder` or `username`, or of its `visibility`. Who is no administrator learns only
    what somebody would read who holds as much as they do themselves.
    """
    scope, given = get_scope(request), request.POST
    entity = get_for(scope, pk, "share")
    chosen, visibility = given.get("holder", ""), given.get("visibility", "")
    narrow = given.get("act") == "visibility" and visibility in (Visibility.PRIVATE, entity.visibility)
    changes: list[Change] = []
    if not open_scope_satisfies(scope, ADMIN):
        if not narrow and (chosen or given.get("username") or visibility):
            name = gettext("Whoever gets access and holds as much as you do")
            changes = [Change(name, None, Holding(load_granted_atoms(), None))]
    elif not narrow:
        members = load_members(_list_holders(chosen, visibility))
        changes = [
            Change(members[user], held, replace(held, shared=frozenset({entity.pk})))
            for user, held in load_holdings(members).items()
        ]
    here = select_paragraphs(scope).filter(file__entity=entity.pk)
    return render_opening(request, scope, changes, here, select_field_paragraphs(scope).filter(entity=entity.pk))


def _list_holders(chosen: str, visibility: str) -> Iterable[int | None]:
    """Users whom access is given: one, those of a role (its key with a minus sign), or all."""
    if visibility == Visibility.WORKSPACE:
        return Membership.objects.values_list("user", flat=True)
    keys = read_keys([chosen.removeprefix("-")])
    return Role.objects.filter(pk__in=keys).values_list("group__user", flat=True) if chosen.startswith("-") else keys


@requires(STEWARD)
@require_POST
def opening_of_request(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Of a request for access, granted to `extent`."""
    scope, extent = get_scope(request), request.POST.get("extent", Extent.LEVEL)
    asked = get_request_or_404(scope, pk)
    of_files, typed = select_paragraphs(scope), select_field_paragraphs(scope)
    if extent == Extent.PASSAGE:
        passages = [paragraph.pk for paragraph in find_asked_passages(scope, asked)]
        of_files, typed = of_files.filter(pk__in=passages), typed.filter(pk__in=passages)
    elif extent == Extent.FILE:
        of_files, typed = of_files.filter(file=asked.file_id), typed.none()
    elif extent == Extent.RECORD:
        of_files, typed = of_files.filter(file__entity=asked.entity_id), typed.filter(entity=asked.entity_id)
    changes = []
    for user, held in load_holdings([asked.requester]).items():
        held = replace(held, principals=None)  # which records are open to them is not for every steward
        name = str(User.objects.get(pk=user))
        changes.append(Change(name, held, replace(held, atoms=held.atoms.union(asked.atoms))))
    return render_opening(request, scope, changes, of_files, typed, at_most=extent == Extent.LEVEL)


def load_members(users: Iterable[int | None]) -> dict[int, str]:
    """Names of active members, by user."""
    found = Membership.objects.filter(user__in=[user for user in users if user], user__is_active=True)
    return {member.user_id: str(member.user) for member in found.select_related("user")}


def render_opening(
    request: HttpRequest,
    scope: Scope,
    changes: Sequence[Change],
    of_files: QuerySet[Paragraph] | None = None,
    typed: QuerySet[FieldParagraph] | None = None,
    at_most: bool = False,
) -> HttpResponse:
    """The panel. at_most: some of the records may be closed to them."""
    opening = count_opening(scope, changes, of_files, typed)
    context = {
        "opening": opening,
        "people": opening.people[:PEOPLE_SHOWN],
        "others": len(opening.people[PEOPLE_SHOWN:]),
        "at_most": at_most,
    }
    return render(request, "ingestion/opening.html", context)
