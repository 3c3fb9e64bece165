"""Two people with one form: what each has changed is written, and where both changed one thing, both values are shown
(docs/adr/0072).

A form says what it was filled with (`version`, and `<text>-shown` for the paragraphs of a long text). What comes back
as it was is left as it has become since.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.utils.formats import localize
from django.utils.translation import gettext

from entities.forms import read_cleaned
from entities.models import Entity, FieldParagraph
from entities.versions import digest_value, is_text_unchanged, split_version

VERSION = "version"
SHOWN = "-shown"


@dataclass(frozen=True)
class Edit:
    """What a form asks for. replaceable: by long text, whether a paragraph is among those that the form showed: others
    stay. kept: names that somebody else has changed and this person has not. conflicts: that both have changed.
    """

    columns: dict[str, Any]
    texts: dict[str, str]
    replaceable: dict[str, Callable[[FieldParagraph], bool]] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


def read_edit(model: type[Entity], form: forms.Form, now: Mapping[str, object], shown_now: Mapping[str, str]) -> Edit:
    """Of a valid form of a record that is held, filled as the record is now. now: `load_values`. shown_now: by long
    text, what a form would say of its paragraphs now. A form without versions is taken at its word.
    """
    columns, texts = read_cleaned(model, form)
    edit = Edit(columns, texts)
    if VERSION not in form.data:
        return edit
    seen = split_version(form.data[VERSION])
    for name in form.changed_data:
        if name in model.long_texts:
            _merge_text(edit, name, form.data.get(name + SHOWN, ""), shown_now[name])
            continue
        column = name if name in columns else f"{name}_id"
        if digest_value(name, columns[column]) in seen:
            del columns[column]
            edit.kept.append(name)
        elif digest_value(name, now[name]) not in seen:
            edit.conflicts.append(name)
    return edit


def _merge_text(edit: Edit, name: str, shown: str, shown_now: str) -> None:
    digests = split_version(shown)
    if is_text_unchanged(name, shown, edit.texts[name]):
        del edit.texts[name]
        edit.kept.append(name)
    elif shown and not digests <= split_version(shown_now):
        edit.conflicts.append(name)
    else:
        edit.replaceable[name] = lambda paragraph: digest_value(name, paragraph.digest) in digests


def build_form_again(form: forms.Form, edit: Edit, shown_now: Mapping[str, str]) -> None:
    """Show both values of each conflict, so that saving again replaces what is there now knowingly; what this person
    had left alone is shown as it is now.
    """
    data = form.data.copy()  # type: ignore[attr-defined]
    for name in edit.kept:
        fill_field(data, form[name])
    for name in {*edit.kept, *edit.conflicts} & shown_now.keys():
        data[name + SHOWN] = shown_now[name]
    form.data = data
    for name in edit.conflicts:
        form.add_error(
            name,
            gettext("Somebody else has changed this since you opened the page. Save again to replace it with yours."),
        )


def fill_field(data: Any, bound: forms.BoundField) -> None:
    """Put what a field is filled with now into what was posted."""
    widget, value = bound.field.widget, bound.field.prepare_value(bound.initial)
    parts = [(bound.html_name, widget, value)]
    if isinstance(widget, forms.MultiWidget):
        names = [bound.html_name + suffix for suffix in widget.widgets_names]  # type: ignore[attr-defined]
        parts = list(zip(names, widget.widgets, widget.decompress(value) or (), strict=True))
    for name, part, held in parts:
        shown = "on" if isinstance(part, forms.CheckboxInput) else part.format_value(held)
        if shown == "on" and not held:
            data.pop(name, None)
        elif isinstance(shown, list | tuple):
            data.setlist(name, shown)
        else:
            data[name] = "" if shown is None else shown


def describe_now(bound: forms.BoundField) -> str:
    """What stands there now, as people read it."""
    value = bound.initial
    choices = getattr(bound.field, "choices", None)
    if choices is not None:
        chosen = bound.field.prepare_value(value)
        keys = {str(key) for key in (chosen if isinstance(chosen, list | tuple) else [chosen])}
        return ", ".join(str(words) for key, words in choices if str(key) in keys)
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return "" if value is None else str(localize(value))
