"""Pages of administrators: the levels with what each means, and the workspace's name."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from entities.access import ADMIN, requires
from entities.language import translate_level
from entities.levels import change_level, rename_workspace
from entities.models import Classification, Workspace
from entities.people import list_levels, list_roles
from entities.views import get_scope


class LevelForm(forms.Form):
    """Of one level; `level` is its value."""

    description = forms.CharField(
        label=gettext_lazy("What belongs here"),
        required=False,
        max_length=2_000,
        help_text=gettext_lazy("The model is told this, word for word, when it labels text."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    conceal = forms.BooleanField(label=gettext_lazy("Conceal"), required=False)


class NameForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def clean_name(self) -> str:
        return " ".join(self.cleaned_data["name"].split())


@requires(ADMIN)
@require_http_methods(["GET", "POST"])
def levels(request: HttpRequest) -> HttpResponse:
    """Every level but Public, with who holds it; POST changes the one that is named by `level`."""
    posted, value = request.POST if request.method == "POST" else None, request.POST.get("level", "")
    if posted is not None:
        value = value if value.isascii() and value.isdigit() and len(value) < 10 else "0"
        level = get_object_or_404(Classification.objects.filter(pk__in=[one.pk for one in list_levels()]), value=value)
        form = LevelForm(posted)
        if form.is_valid():
            changed = change_level(get_scope(request), level, **form.cleaned_data)
            name = translate_level(level.label)
            sentence = gettext("%(level)s is changed.") % {"level": name} if changed else gettext("No change.")
            messages.success(request, sentence)
            return redirect("entities:levels")
    holders: dict[int, list[str]] = {}
    for row in list_roles():
        for level, held in row.cells:
            if held:
                holders.setdefault(level.value, []).append(row.role.name)
    rows = [(level, _build_form(level, posted, value), holders.get(level.value, [])) for level in list_levels()]
    return render(request, "entities/levels.html", {"levels": rows}, status=200 if posted is None else 422)


def _build_form(level: Classification, posted: Any, value: str) -> LevelForm:
    mine = posted if value == str(level.value) else None
    initial = {"description": level.description, "conceal": level.conceal}
    return LevelForm(mine, initial=initial, auto_id=f"level-{level.value}-%s")


@requires(ADMIN)
@require_http_methods(["GET", "POST"])
def workspace(request: HttpRequest) -> HttpResponse:
    """The name of the workspace, which all its members see."""
    scope = get_scope(request)
    here = Workspace.objects.get(pk=scope.workspace)
    form = NameForm(request.POST if request.method == "POST" else None, initial={"name": here.name})
    if form.is_valid():
        if rename_workspace(scope, form.cleaned_data["name"]):
            messages.success(request, gettext("The workspace has its new name."))
        return redirect("entities:workspace")
    return render(request, "entities/workspace.html", {"form": form, "here": here}, status=422 if form.errors else 200)
