"""The workspace's settings."""

from typing import Any

from django import forms
from django.http import HttpRequest

from entities.admin.base import WorkspaceAdmin
from entities.models import WorkspaceSettings
from entities.registry import list_entity_types


class SettingsForm(forms.ModelForm):
    """Kinds are ticked. All of them, or none, is the same: kinds that come later are in the menus too."""

    kinds = forms.MultipleChoiceField(
        label="Kinds of records in the menus",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="The others stay where they are, and can be searched.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [(name, model.plural_title) for name, model in list_entity_types().items()]
        self.fields["kinds"].choices = choices  # type: ignore[attr-defined]
        if self.initial.get("kinds") is None:
            self.initial["kinds"] = [name for name, _ in choices]

    def clean_kinds(self) -> list[str] | None:
        kinds: list[str] = self.cleaned_data["kinds"]
        return kinds if 0 < len(kinds) < len(list_entity_types()) else None


class SettingsAdmin(WorkspaceAdmin):
    form = SettingsForm
    fields = ["kinds", "citation_style", "classification_prompt", "keep_questions_days", "keep_audit_days"]

    def describe_for_audit(self, obj: WorkspaceSettings) -> dict[str, Any]:
        return {"keep_questions_days": obj.keep_questions_days, "keep_audit_days": obj.keep_audit_days}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
