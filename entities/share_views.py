"""The page on which a record is shared: who can see it and through what, and giving and taking access."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from entities.access import ADMIN, MEMBER, requires
from entities.access.routes import holds
from entities.models import Classification, Entity
from entities.models.entity import Visibility
from entities.people import list_people, list_roles
from entities.sharing import (
    LEVEL_NAMES,
    SharingRefused,
    change_visibility,
    give_access,
    list_holders,
    list_ways,
    take_access,
)
from entities.views import get_for, scope_of

ENDS = {"": "without an end", "1": "for a day", "7": "for a week", "30": "for a month", "365": "for a year"}


class GiveForm(forms.Form):
    """Whom to give access, which, and for how long."""

    holder = forms.TypedChoiceField(label="Whom", coerce=int)
    level = forms.ChoiceField(label="What they may do", choices=list(LEVEL_NAMES.items()))
    days = forms.ChoiceField(label="How long", choices=list(ENDS.items()), required=False)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        self.fields["holder"].choices = [("", "Choose…"), *list_holders()]  # type: ignore[attr-defined]


@requires(MEMBER)
@require_http_methods(["GET", "POST"])
def share(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`act`: give, take (`holder`), or visibility (`visibility`)."""
    scope = scope_of(request)
    entity = get_for(scope, pk, "share")
    form = GiveForm(request.POST if request.POST.get("act") == "give" else None)
    if request.method == "POST" and (form.is_valid() or not form.is_bound):
        try:
            with transaction.atomic():
                done = _change_access(request, entity, form)
        except SharingRefused as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, done)
        return redirect("entities:share", entity.pk)
    context = {
        "entity": entity,
        "form": form,
        "ways": list_ways(entity),
        "visibilities": [
            choice
            for choice in Visibility.choices
            if choice[0] != Visibility.PRIVATE or entity.created_by == scope.principal
        ],
        "me": scope.principal,
        "reads": _list_clearances() if holds(scope, ADMIN) else {},
    }
    return render(request, "entities/record_share.html", context, status=422 if form.is_bound else 200)


def _list_clearances() -> dict[int, list[Classification]]:
    """Principal -> what they read. In the open scope of an administrator."""
    people = {person.membership.user_id: person.cleared_for for person in list_people()}
    return people | {-row.role.pk: [level for level, ticked in row.cells if ticked] for row in list_roles()}


def _change_access(request: HttpRequest, entity: Entity, form: GiveForm) -> str:
    """What was done, in a sentence. Raises: SharingRefused."""
    scope, names = scope_of(request), dict(list_holders())
    if form.is_bound:
        given, days = form.cleaned_data, form.cleaned_data["days"]
        until = timezone.now() + timedelta(days=int(days)) if days else None
        give_access(scope, entity, given["holder"], given["level"], until)
        return f"{names[given['holder']]} {LEVEL_NAMES[given['level']]}{f' {ENDS[days]}' if days else ''}."
    if request.POST.get("act") == "visibility":
        change_visibility(scope, entity, request.POST.get("visibility", ""))
        return "Who can see this record has changed."
    wanted = request.POST.get("holder", "")
    if not wanted.lstrip("-").isdecimal() or len(wanted) > 12 or not take_access(scope, entity, int(wanted)):
        raise SharingRefused("They had no access of their own any more.")
    return f"{names.get(int(wanted), 'They')} no longer has access of their own."
