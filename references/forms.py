"""The form of a new reference, over the records that its maker may see."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from entities.access import Scope
from entities.language import translate_stored
from entities.models import Entity
from references.kinds import Kind


class TitleChoice(forms.ModelChoiceField):
    """Records by readable name, with their type."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj} ({obj.type_title})"


class ReferenceForm(forms.Form):
    target = TitleChoice(queryset=Entity.objects.none(), empty_label=gettext_lazy("Choose a record"))
    kind = forms.ChoiceField(label=gettext_lazy("How they are linked"))
    label = forms.CharField(label=gettext_lazy("In a few words"), max_length=500, required=False)
    reason = forms.CharField(
        label=gettext_lazy("Why"), max_length=4000, required=False, widget=forms.Textarea(attrs={"rows": 4})
    )

    def __init__(self, scope: Scope, source: Entity, may_change: bool, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        records = Entity.objects.readable_by(scope).filter(archived_at__isnull=True).exclude(pk=source.pk)
        self.fields["target"].queryset = records.order_by("title", "pk")  # type: ignore[attr-defined, misc]
        kinds = [k for k in Kind if k != Kind.CITATION and (may_change or k == Kind.BOOKMARK)]
        self.fields["kind"].choices = [(k.value, translate_stored(k.label)) for k in kinds]  # type: ignore[attr-defined]
