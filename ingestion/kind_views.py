"""The page on which administrators choose what each kind of document is kept for."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from entities.access import ADMIN, requires
from entities.versioned_forms import VersionedForm
from ingestion.desk_views import get_scope
from ingestion.kind_floors import KindRow, change_kind_floors, count_left, list_kind_rows, lock_kind_floors
from ingestion.relabelling import list_own_chips


class KindForm(VersionedForm, forms.Form):
    """Of one kind; its prefix is the key. It offers the levels that the administrator holds."""

    labels = forms.TypedMultipleChoiceField(label=gettext_lazy("Kept for"), coerce=int, required=False)

    def __init__(self, row: KindRow, data: Any = None) -> None:
        super().__init__(data, prefix=row.key, initial={"labels": sorted(row.atoms)}, auto_id="kind-%s")
        self.row = row
        self.chips = sorted(list_own_chips(), key=lambda chip: chip.value)
        field = self.fields["labels"]
        assert isinstance(field, forms.TypedMultipleChoiceField)
        field.choices = [(chip.value, chip.label) for chip in self.chips]

    def clean_labels(self) -> list[int]:
        return sorted(self.cleaned_data["labels"])

    @property
    def cells(self) -> list[tuple[Any, bool]]:
        """(level, whether it is ticked)."""
        ticked = {str(value) for value in self["labels"].value() or ()}
        return [(chip, str(chip.value) in ticked) for chip in self.chips]


@requires(ADMIN)
@never_cache
@require_http_methods(["GET", "POST"])
def document_kinds(request: HttpRequest) -> HttpResponse:
    """A row each; POST saves all of them, the one that is named by `shipped` as Clearance comes with it."""
    posted = request.POST if request.method == "POST" else None
    if posted is not None:
        lock_kind_floors()
    rows = list_kind_rows()
    kinds = {row.key: KindForm(row, posted) for row in rows}
    if posted is not None and all(kind.is_valid() for kind in kinds.values()):
        changed = change_kind_floors(scope=get_scope(request), wanted=collect_wanted(kinds, posted.get("shipped", "")))
        messages.success(request, gettext("The kinds of documents are changed.") if changed else gettext("No change."))
        return redirect("ingestion:document_kinds")
    context = {"kinds": kinds.values(), "left": count_left(rows)}
    return render(request, "ingestion/document_kinds.html", context, status=200 if posted is None else 422)


def collect_wanted(kinds: Mapping[str, KindForm], shipped: str) -> dict[str, list[int] | None]:
    """By kind, what its row says; None for the one that is to be as Clearance comes with it."""
    return {key: None if key == shipped else kind.cleaned_data["labels"] for key, kind in kinds.items()}
