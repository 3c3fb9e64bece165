"""The page on which a record is shared: who can see it and through what, and giving and taking access."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from entities.access import ADMIN, MEMBER, Scope, requires
from entities.access.routes import open_scope_satisfies
from entities.models import Classification, Entity
from entities.models.entity import Visibility
from entities.people import list_people, list_roles
from entities.sharing import (
    LEVEL_NAMES,
    SharingRefused,
    change_visibility,
    find_person,
    give_access,
    list_access_paths,
    list_people_to_share_with,
    list_roles_to_share_with,
    name_holder,
    take_access,
)
from entities.views import get_for, get_scope

ENDS = {
    "": gettext_lazy("without an end"),
    "1": gettext_lazy("for a day"),
    "7": gettext_lazy("for a week"),
    "30": gettext_lazy("for a month"),
    "365": gettext_lazy("for a year"),
}


class GiveForm(forms.Form):
    """Whom to give access, which, and for how long.

    Administrators choose among all people and roles. Others choose among their own roles or type a username: who is
    here, and which roles there are, is not for everybody.
    """

    username = forms.CharField(label=gettext_lazy("Username"), max_length=150, required=False)
    holder = forms.TypedChoiceField(label=gettext_lazy("Whom"), coerce=int, empty_value=None)
    level = forms.ChoiceField(label=gettext_lazy("What they may do"), choices=list(LEVEL_NAMES.items()))
    days = forms.ChoiceField(label=gettext_lazy("How long"), choices=list(ENDS.items()), required=False)

    def __init__(self, scope: Scope, data: Any = None) -> None:
        super().__init__(data)
        holder: Any = self.fields["holder"]
        holders = list_roles_to_share_with(scope)
        if open_scope_satisfies(scope, ADMIN):
            del self.fields["username"]
            holders += list_people_to_share_with()
        else:
            holder.label, holder.required = gettext("Or one of your roles"), False
        holder.choices = [("", gettext("Choose…")), *holders]

    def clean(self) -> None:
        username = self.cleaned_data.get("username", "")
        if "username" not in self.fields or self.errors:
            return
        if bool(username) == bool(self.cleaned_data.get("holder")):
            self.add_error("username", gettext("Type a username, or choose one of your roles."))
        elif username:
            self.cleaned_data["holder"] = find_person(username)
            if self.cleaned_data["holder"] is None:
                self.add_error("username", gettext("No one here has this username."))


@requires(MEMBER)
@require_http_methods(["GET", "POST"])
def share(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`act`: give, take (`holder`), or visibility (`visibility`)."""
    scope = get_scope(request)
    entity = get_for(scope, pk, "share")
    form = GiveForm(scope, request.POST if request.POST.get("act") == "give" else None)
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
        "paths": list_access_paths(scope, entity),
        "visibilities": [
            choice
            for choice in Visibility.choices
            if choice[0] != Visibility.PRIVATE or entity.created_by == scope.principal
        ],
        "me": scope.principal,
        "reads": _list_clearances() if open_scope_satisfies(scope, ADMIN) else {},
    }
    return render(request, "entities/record_share.html", context, status=422 if form.is_bound else 200)


def _list_clearances() -> dict[int, list[Classification]]:
    """Principal -> what they read. In the open scope of an administrator."""
    people = {person.membership.user_id: person.cleared_for for person in list_people()}
    return people | {-row.role.pk: [level for level, ticked in row.cells if ticked] for row in list_roles()}


def _change_access(request: HttpRequest, entity: Entity, form: GiveForm) -> str:
    """What was done, in a sentence. Raises: SharingRefused."""
    scope = get_scope(request)
    if form.is_bound:
        given, days = form.cleaned_data, form.cleaned_data["days"]
        until = timezone.now() + timedelta(days=int(days)) if days else None
        give_access(scope, entity, given["holder"], given["level"], until)
        words = {"who": name_holder(given["holder"]), "may": LEVEL_NAMES[given["level"]], "how_long": ENDS[days]}
        return gettext("%(who)s %(may)s %(how_long)s.") % words if days else gettext("%(who)s %(may)s.") % words
    if request.POST.get("act") == "visibility":
        change_visibility(scope, entity, request.POST.get("visibility", ""), was=request.POST.get("was", ""))
        return gettext("Who can see this record has changed.")
    wanted = request.POST.get("holder", "")
    if not re.fullmatch(r"-?[0-9]{1,11}", wanted) or not take_access(scope, entity, int(wanted)):
        raise SharingRefused(gettext("They no longer had access of their own."))
    return gettext("%(who)s no longer has access of their own.") % {"who": name_holder(int(wanted))}
