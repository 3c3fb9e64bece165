"""Classifications of the workspace's own, beside the seeded ones."""

from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, connection, transaction
from django.db.models import Max, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from unfold.widgets import UnfoldAdminSelectWidget

from entities.actions import announce_access_change
from entities.admin.base import WorkspaceAdmin
from entities.admin_site import site
from entities.audit.retention import redact_label
from entities.models import Classification, WorkspaceSettings
from entities.models.classification import FIRST_CUSTOM, STEWARDS
from entities.palette import COLORS, LABEL_ICONS

LABEL_KEYS = """
SELECT string_agg(DISTINCT quote_ident(conname), ', ') FROM pg_constraint
WHERE confrelid = 'entities_classification'::regclass AND contype = 'f' AND condeferrable
"""


class ClassificationForm(forms.ModelForm):
    class Meta:
        model = Classification
        fields = ["label", "icon", "color", "description", "conceal"]
        widgets = {
            "icon": UnfoldAdminSelectWidget(choices=[(name, name) for name in LABEL_ICONS]),
            "color": UnfoldAdminSelectWidget(choices=[(name, name) for name in COLORS]),
        }

    def clean_label(self) -> str:
        label = " ".join(self.cleaned_data["label"].split())
        same = Classification.objects.filter(label__iexact=label, value__lt=STEWARDS).exclude(pk=self.instance.pk)
        if same.exists():
            raise forms.ValidationError(gettext("There is already a level with this name."))
        return label


def choose_next_value() -> int:
    """For a new level: no other has it or ever had. Raises: PermissionDenied where there have been too many."""
    used = Classification.objects.filter(value__lt=STEWARDS).aggregate(last=Max("value", default=0))["last"]
    gone = WorkspaceSettings.objects.values_list("last_gone_level", flat=True).get()
    value: int = max(FIRST_CUSTOM - 1, used, gone) + 1
    if value >= STEWARDS:
        raise PermissionDenied(gettext("No more levels can be added to this workspace."))
    return value


class ClassificationAdmin(WorkspaceAdmin):
    form = ClassificationForm
    list_display = ["label", "value", "icon", "color", "conceal"]
    fields = ["label", "icon", "color", "description", "conceal"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(value__lt=STEWARDS)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Custom levels only; the database refuses one that is in use."""
        return site.has_permission(request) and (obj is None or obj.value >= FIRST_CUSTOM)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.value = choose_next_value()
            obj.components = [obj.value]
        super().save_model(request, obj, form, change)

    def describe_for_audit(self, obj: Classification) -> dict[str, Any]:
        return {"value": obj.value, "conceal": obj.conceal}

    def delete_model(self, request: HttpRequest, obj: Classification) -> None:
        """Its compounds go with it, and the words in the audit that carry it. Raises: PermissionDenied where text has
        one of these labels.
        """
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                redact_label(obj.value)
                super().delete_model(request, obj)
                # Labels of text are checked at the commit. Of what waits for it only these: the audit is sealed there.
                cursor.execute(LABEL_KEYS)
                keys = cursor.fetchone()[0]
                cursor.execute(f"SET CONSTRAINTS {keys} IMMEDIATE")
                cursor.execute(f"SET CONSTRAINTS {keys} DEFERRED")
        except IntegrityError:
            raise PermissionDenied(
                gettext("%(level)s is in use: something in this workspace has it as its label.") % {"level": obj.label}
            ) from None
        announce_access_change(self.scope(request))
