"""Forms derived from a type's declaration, with the fields that exist for the caller."""

from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import F
from django.utils.translation import gettext

from entities.access import Scope, list_readable_fields
from entities.language import translate_stored
from entities.models import Entity
from entities.records import load_visible_links
from entities.registry import get_column, list_parent_types
from entities.text import TextTooLong, join_readable_text, validate_one_line, validate_text

MOST_CHOICES = 500

# A browser's date field takes ISO dates only: in any other format it shows nothing, and saving would empty the column.
WIDGETS = {"DateField": forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}), "EmailField": forms.EmailInput()}


def build_entity_form(scope: Scope, model: type[Entity], data: Any = None, entity: Entity | None = None) -> forms.Form:
    """A form for creating (entity None) or changing a record as `scope` may.

    A link to a record that the caller may not see is offered as empty and left as it is unless they choose another.
    """
    seen = load_visible_links(scope, [entity]) if entity is not None else {}
    fields: dict[str, forms.Field] = {}
    initial: dict[str, Any] = {}
    for name in list_readable_fields(model):
        column = get_column(model, name)
        target = list_parent_types(model).get(name)
        if target is not None:
            key = getattr(entity, column.attname) if entity is not None else None
            offered = {e.pk: e for e in target.objects.readable_by(scope).order_by(F("title"), "pk")[:MOST_CHOICES]}
            if key in seen:
                offered.setdefault(key, cast("Any", seen[key]))
            fields[name] = forms.ChoiceField(
                choices=[("", "—"), *((str(pk), str(e)) for pk, e in offered.items())],
                required=not column.blank and (key is None or key in seen),
                label=str(column.verbose_name).capitalize(),
            )
            initial[name] = str(key) if key in seen else ""
            continue
        widget = WIDGETS.get(column.get_internal_type())
        field = column.formfield(widget=widget) if widget else column.formfield()
        if field is not None:
            if isinstance(field, forms.CharField):
                field.validators.append(validate_one_line)
            if isinstance(field, forms.ChoiceField):
                choices = cast("list[tuple[Any, Any]]", field.choices)
                field.choices = [(value, translate_stored(words)) for value, words in choices]
            fields[name] = field
        if entity is not None:
            initial[name] = entity.title if name == "name" else getattr(entity, name)  # type: ignore[attr-defined]
    for name, text in model.long_texts.items():
        fields[name] = forms.CharField(
            required=False,
            strip=False,
            validators=[validate_long_text],
            label=text.verbose_name,
            widget=forms.Textarea(attrs={"rows": 8}),
            help_text=gettext("Paragraphs are classified after saving; a blank line starts a new one."),
        )
        if entity is not None:
            initial[name] = join_readable_text(entity, name)
    form_class = type(f"{model.__name__}Form", (forms.Form,), fields)
    return form_class(data, initial=initial)  # type: ignore[no-any-return]


def validate_long_text(text: str) -> None:
    """Validator of long texts. Raises: ValidationError."""
    try:
        validate_text(text)
    except TextTooLong as problem:
        raise ValidationError(str(problem)) from None


def read_cleaned(model: type[Entity], form: forms.Form) -> tuple[dict[str, Any], dict[str, str]]:
    """(columns, long texts) of a valid form; links as ids."""
    texts = {name: form.cleaned_data[name] for name in model.long_texts if name in form.changed_data}
    links = list_parent_types(model)
    columns: dict[str, Any] = {}
    for name, value in form.cleaned_data.items():
        if name in model.long_texts or name not in form.changed_data:
            continue
        columns[f"{name}_id" if name in links else name] = value or None if name in links else value
    return columns, texts
