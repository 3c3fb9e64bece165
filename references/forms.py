"""The form of a new reference, over the records that its maker may see."""

from typing import Any, cast
from uuid import UUID

from django import forms
from django.db.models import Case, Q, When
from django.utils.translation import gettext_lazy

from entities.access import Scope
from entities.language import translate_stored
from entities.models import Entity
from entities.registry import get_content_type_id, list_entity_types
from references.kinds import Kind

OFFERED = 8


def find_targets(scope: Scope, source: Entity, text: str) -> list[Any]:
    """Records that a reference may lead to, whose name holds `text`, those that begin with it first; the latest where
    nothing is typed. One whose name is not cleared is found by its type, in the reader's language.
    """
    text = " ".join(text.replace("\x00", "").split())[:100]
    records: Any = _select_readable(scope, source)
    if text:
        written = {model: translate_stored(model.singular_title) for model in list_entity_types().values()}
        nameless = [get_content_type_id(model) for model, kind in written.items() if text.casefold() in kind.casefold()]
        records = records.filter(Q(title__icontains=text) | Q(title__isnull=True, content_type__in=nameless))
    begins = Case(When(title__istartswith=text, then=0), default=1)
    return list(records.annotate(begins=begins).order_by("begins", "-updated_at", "pk")[:OFFERED])


def find_target(scope: Scope, source: Entity, pk: str) -> Entity | None:
    """The record of that id, if a reference may lead to it; None also where `pk` is no id."""
    try:
        return cast(Entity | None, _select_readable(scope, source).filter(pk=UUID(pk)).first())
    except ValueError:
        return None


def _select_readable(scope: Scope, source: Entity) -> Any:
    return Entity.objects.readable_by(scope).filter(archived_at__isnull=True).exclude(pk=source.pk)


class ReferenceForm(forms.Form):
    target = forms.ModelChoiceField(
        queryset=Entity.objects.none(),
        error_messages={"required": gettext_lazy("Find the record that it leads to, and choose it.")},
    )
    kind = forms.ChoiceField(label=gettext_lazy("How they are linked"))
    label = forms.CharField(label=gettext_lazy("In a few words"), max_length=500, required=False)
    reason = forms.CharField(
        label=gettext_lazy("Why"), max_length=4000, required=False, widget=forms.Textarea(attrs={"rows": 4})
    )

    def __init__(self, scope: Scope, source: Entity, may_change: bool, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["target"].queryset = _select_readable(scope, source)  # type: ignore[attr-defined]
        kinds = [k for k in Kind if k != Kind.CITATION and (may_change or k == Kind.BOOKMARK)]
        self.fields["kind"].choices = [(k.value, translate_stored(k.label)) for k in kinds]  # type: ignore[attr-defined]
