"""The form of a new reference, over the records that its maker may see."""

from typing import Any

from django import forms
from django.db.models import Case, When
from django.utils.translation import gettext_lazy

from entities.access import Scope
from entities.language import translate_stored
from entities.models import Entity
from references.kinds import Kind

OFFERED = 8


def find_targets(scope: Scope, source: Entity, text: str) -> list[Any]:
    """Records that a reference may lead to, whose readable name holds `text`, those that begin with it first; the
    latest where nothing is typed."""
    text = " ".join(text.split())[:100]
    records: Any = _readable(scope, source).filter(title__icontains=text)
    begins = Case(When(title__istartswith=text, then=0), default=1)
    return list(records.annotate(begins=begins).order_by("begins", "-updated_at", "pk")[:OFFERED])


def _readable(scope: Scope, source: Entity) -> Any:
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
        self.fields["target"].queryset = _readable(scope, source)  # type: ignore[attr-defined]
        kinds = [k for k in Kind if k != Kind.CITATION and (may_change or k == Kind.BOOKMARK)]
        self.fields["kind"].choices = [(k.value, translate_stored(k.label)) for k in kinds]  # type: ignore[attr-defined]
