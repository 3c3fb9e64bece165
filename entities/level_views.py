"""Pages of administrators: the levels with what each means, and the workspace's name."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from entities.access import ADMIN, Scope, requires
from entities.language import translate_declared, translate_level
from entities.levels import change_level, choose_kinds, rename_workspace
from entities.models import Classification, Entity, Workspace, WorkspaceSettings
from entities.people import list_levels, list_roles
from entities.registry import get_kind_name, list_entity_types, list_kinds
from entities.text import validate_one_line
from entities.versioned_forms import VersionedForm, describe_last_author
from entities.views import get_scope


class LevelForm(VersionedForm, forms.Form):
    """Of one level; `level` is its value."""

    description = forms.CharField(
        label=gettext_lazy("What belongs here"),
        required=False,
        max_length=2_000,
        help_text=gettext_lazy("The model is told this, word for word, when it labels text."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    conceal = forms.BooleanField(label=gettext_lazy("Conceal"), required=False)


class NameForm(VersionedForm, forms.Form):
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
    form = None
    if posted is not None:
        value = value if value.isascii() and value.isdigit() and len(value) < 10 else "0"
        known = Classification.objects.filter(pk__in=[one.pk for one in list_levels()])
        level = get_object_or_404(known.select_for_update(no_key=True), value=value)
        form = _build_form(level, posted)
        if form.is_valid():
            given = {name: form.cleaned_data[name] for name in ("description", "conceal")}
            changed = change_level(get_scope(request), level, **given)
            name = translate_level(level.label)
            sentence = gettext("%(level)s is changed.") % {"level": name} if changed else gettext("No change.")
            messages.success(request, sentence)
            return redirect("entities:levels")
    holders: dict[int, list[str]] = {}
    for row in list_roles():
        for level, held in row.cells:
            if held:
                holders.setdefault(level.value, []).append(row.role.name)
    rows = [
        (level, form if form and level.value == int(value) else _build_form(level), holders.get(level.value, []))
        for level in list_levels()
    ]
    return render(request, "entities/levels.html", {"levels": rows}, status=200 if posted is None else 422)


def _build_form(level: Classification, posted: Any = None) -> LevelForm:
    initial = {"description": level.description, "conceal": level.conceal}
    form = LevelForm(posted, initial=initial, auto_id=f"level-{level.value}-%s")
    form.author = describe_last_author(level) if posted else ""
    return form


class KindForm(VersionedForm, forms.Form):
    """Of one type of records; its prefix is the key."""

    shown = forms.BooleanField(label=gettext_lazy("In the menus"), required=False)
    place = forms.IntegerField(label=gettext_lazy("Place"), min_value=1, max_value=99)
    one = forms.CharField(
        label=gettext_lazy("One is called"), required=False, max_length=60, validators=[validate_one_line]
    )
    several = forms.CharField(
        label=gettext_lazy("Several are called"), required=False, max_length=60, validators=[validate_one_line]
    )


@requires(ADMIN)
@require_http_methods(["GET", "POST"])
def workspace(request: HttpRequest) -> HttpResponse:
    """The name of the workspace and of its kinds of records, which all its members see. POST with `kinds` changes the
    kinds, else the name.
    """
    scope, posted = get_scope(request), request.POST if request.method == "POST" else None
    if posted is not None:
        list(WorkspaceSettings.objects.select_for_update().values_list("pk"))
    here = Workspace.objects.get(pk=scope.workspace)
    of_kinds = posted is not None and "kinds" in posted
    form = NameForm(None if of_kinds else posted, initial={"name": here.name})
    kinds = _build_kind_forms(posted if of_kinds else None)
    if of_kinds and _are_valid(kinds):
        changed = _choose_kinds(scope, kinds)
        messages.success(request, gettext("The kinds of records are changed.") if changed else gettext("No change."))
        return redirect("entities:workspace")
    if form.is_valid():
        if rename_workspace(scope, form.cleaned_data["name"]):
            messages.success(request, gettext("The workspace has its new name."))
        return redirect("entities:workspace")
    wrong = form.errors or any(kind.errors for kind in kinds.values())
    context = {"form": form, "here": here, "kinds": kinds.values()}
    return render(request, "entities/workspace.html", context, status=422 if wrong else 200)


def _build_kind_forms(posted: Any) -> dict[str, KindForm]:
    """By key, those of the menus first, in their order."""
    shown = list_kinds()
    forms_of = {}
    for place, (key, model) in enumerate((shown | list_entity_types()).items(), start=1):
        one = get_kind_name(model.singular_title.lower()) or translate_declared(model.singular_title.capitalize())
        several = get_kind_name(model.plural_title.lower()) or translate_declared(model.plural_title)
        initial = {"shown": key in shown, "place": place, "one": one, "several": several}
        forms_of[key] = KindForm(posted, prefix=key, initial=initial, auto_id="kind-%s")
    return forms_of


def _are_valid(kinds: Mapping[str, KindForm]) -> bool:
    """Each by itself, and none with a name of another: a search for the one would find the other."""
    if not all(form.is_valid() for form in kinds.values()):
        return False
    own = {key: _read_own_names(key, form) for key, form in kinds.items()}
    taken: dict[str, set[str]] = {}
    for key, pair in own.items():
        usual = _list_usual_names(list_entity_types()[key])
        names = {key}.union(*({name} if name else usual[n] for n, name in enumerate(pair)))
        for name in names:
            taken.setdefault(name.lower(), set()).add(key)
    for key, pair in own.items():
        for field, name in zip(("one", "several"), pair, strict=True):
            if name and taken[name.lower()] != {key}:
                kinds[key].add_error(field, gettext("Another kind has this name."))
    return not any(form.errors for form in kinds.values())


def _choose_kinds(scope: Scope, kinds: Mapping[str, KindForm]) -> bool:
    names = {key: own for key, form in kinds.items() if any(own := _read_own_names(key, form))}
    shown = sorted(
        (key for key, form in kinds.items() if form.cleaned_data["shown"]), key=lambda k: _rank_kind_form(kinds[k])
    )
    return choose_kinds(scope, shown, names)


def _rank_kind_form(form: KindForm) -> tuple[int, int]:
    """Of two at one place, one that moved up stands before the one that was there, one that moved down after it."""
    place, before = form.cleaned_data["place"], form.initial["place"]
    return place, (place > before) - (place < before)


def _read_own_names(key: str, form: KindForm) -> tuple[str, str]:
    """One and several; "" for the usual name in any language, which follows the reader's."""
    usual = _list_usual_names(list_entity_types()[key])
    one, several = form.cleaned_data["one"], form.cleaned_data["several"]
    return "" if one in usual[0] else one, "" if several in usual[1] else several


def _list_usual_names(model: type[Entity]) -> tuple[set[str], set[str]]:
    """What one and several are called where the workspace has no name of its own, in every language."""
    ones, severals = set(), set()
    for code, _ in settings.LANGUAGES:
        with translation.override(code):
            ones.add(translate_declared(model.singular_title.capitalize()))
            severals.add(translate_declared(model.plural_title))
    return ones, severals
