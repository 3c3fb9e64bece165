"""Forms about a row that others change too: an old page writes what its reader has changed, and nothing else."""

from typing import Any

from django import forms
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext, gettext_lazy

from entities.merging import describe_now, fill_field
from entities.models import AuditEntry, Role, User
from entities.versions import build_version, digest_value, split_version

SEEN = "seen_version"
SOMEBODY = gettext_lazy("Somebody else")


class SeenField(forms.CharField):
    """What the form was filled with. It is no change of anything by itself."""

    def __init__(self) -> None:
        super().__init__(required=False, widget=forms.HiddenInput)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return False


class VersionedForm:
    """Mixin of a form whose `initial` is what its row holds now, with the row held. A form without `SEEN` is taken at
    its word.
    """

    author = ""
    """Who changed the row last, and when, in words; for administrators."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        form: Any = self
        form.fields.setdefault(SEEN, SeenField())
        form.initial[SEEN] = build_version({name: self._get_now(name) for name in form.fields if name != SEEN})

    def clean(self) -> dict[str, Any]:
        form: Any = self
        data: dict[str, Any] = super().clean() or form.cleaned_data  # type: ignore[misc]
        if not data.get(SEEN):
            return data
        seen, kept, conflicts = split_version(data[SEEN]), [], []
        for name in form.changed_data:
            if name not in data:
                continue
            if digest_value(name, data[name]) in seen:
                data[name] = self._get_value_now(name)
                kept.append(name)
            elif digest_value(name, self._get_now(name)) not in seen:
                conflicts.append(name)
        if conflicts:
            self._show_both(kept, conflicts)
        return data

    def _get_now(self, name: str) -> Any:
        form: Any = self
        return form.get_initial_for_field(form.fields[name], name)

    def _get_value_now(self, name: str) -> Any:
        """As a field would give it: a row, where `initial` has its key."""
        instance = getattr(self, "instance", None)
        return getattr(instance, name) if hasattr(instance, name) else self._get_now(name)

    def _show_both(self, kept: list[str], conflicts: list[str]) -> None:
        form: Any = self
        form.data = form.data.copy()
        for name in kept:
            fill_field(form.data, form[name])
        form.data[form.add_prefix(SEEN)] = form.initial[SEEN]
        for name in conflicts:
            words = {"who": self.author or SOMEBODY, "value": describe_now(form[name]) or "—"}
            sentence = gettext("%(who)s has changed this meanwhile. It is now: %(value)s. Save again to replace it.")
            form.add_error(name, sentence % words)


def add_version(form: type[forms.ModelForm], **attributes: Any) -> type[forms.ModelForm]:
    """The form as a `VersionedForm`."""
    return type(form)(form.__name__, (VersionedForm, form), {SEEN: SeenField(), **attributes})  # type: ignore[misc,return-value]


def describe_last_author(row: Any) -> str:
    """Who changed a row last, and when, for administrators; "" where the audit has nothing of it."""
    entries = AuditEntry.objects.filter(object_id=str(row.pk))
    if isinstance(row.pk, int):
        entries = entries.filter(object_kind=row._meta.model_name)
    entry = entries.order_by("-pk").first()
    if entry is None or not entry.actor:
        return ""
    holder = User.objects.filter(pk=entry.actor) if entry.actor > 0 else Role.objects.filter(pk=-entry.actor)
    who = holder.first()
    when = date_format(localtime(entry.at), "j F Y, H:i")
    return gettext("%(who)s (%(when)s)") % {"who": who, "when": when} if who else ""
