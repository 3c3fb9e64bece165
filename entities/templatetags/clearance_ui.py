"""Tags and filters of the interface kit; parameters and examples of each are in docs/ui.md."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django import template
from django.core.paginator import Page
from django.forms import BoundField
from django.forms.widgets import CheckboxInput, CheckboxSelectMultiple, FileInput, RadioSelect, Select
from django.template.context import Context
from django.templatetags.static import static
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_lazy

from entities import formats
from entities.access import has_open_scope
from entities.language import join_words, lowercase_noun, translate_level, translate_stored
from entities.model_markdown import CitationLink, Citations, render_citations, render_markdown
from entities.palette import SPRITE, normalise_color, normalise_icon
from entities.people import has_other_steward

register = template.Library()

STAGES = ("extract", "classify", "segment", "chunk", "embed")
STAGE_WORDS = {
    "extract": gettext_lazy("Reading the text"),
    "classify": gettext_lazy("Classifying paragraphs"),
    "segment": gettext_lazy("Grouping by label"),
    "chunk": gettext_lazy("Cutting into passages"),
    "embed": gettext_lazy("Indexing for search"),
    "publish": gettext_lazy("Publishing"),
}
# What a finished step did, with the noun of what came out of it; grouping takes no time to speak of.
STAGE_DONE = {
    "extract": (gettext_lazy("Read"), gettext_lazy("Read %(things)s"), "page"),
    "classify": (gettext_lazy("Classified"), gettext_lazy("Classified %(things)s"), "paragraph"),
    "chunk": (gettext_lazy("Cut into passages"), gettext_lazy("Cut into %(things)s"), "passage"),
    "embed": (gettext_lazy("Indexed"), gettext_lazy("Indexed %(things)s"), "text"),
}
FILE_ICONS = {
    "pdf": "file-type-pdf",
    "docx": "file-type-docx",
    "md": "markdown",
    "eml": "mail",
    "png": "photo",
    "jpg": "photo",
    "xlsx": "table",
    "csv": "table",
}

register.filter("color_name", normalise_color)
register.filter("translated", translate_stored)
register.filter("level_name", translate_level)
register.filter("each_translated", lambda texts: [translate_stored(text) for text in texts])
register.filter("noun", lowercase_noun)


@register.filter
def name_or_kind(record: Any) -> str:
    """Of a record from `readable_by`: the name that somebody gave it, or what stands for one that is not cleared."""
    return str(getattr(record, "title_or_type", record))  # it may be a name already


@register.filter
def lookup(mapping: Mapping[Any, Any], key: Any) -> Any:
    """What a mapping has under `key`, or None."""
    return mapping.get(key)


# Icons, labels, placeholders


@register.simple_tag
def icon(name: str, label: str = "", size: str = "") -> SafeString:
    """An icon of the sprite; silent beside a word, or with `label` where it stands alone."""
    if not label:
        return _silent_icon(name, size)
    return _draw_icon(name, format_html('role="img" aria-label="{}"', label), size)


@lru_cache(maxsize=512)
def _silent_icon(name: str, size: str) -> SafeString:
    """A page has 80, and drawing each anew took an eighth of its time."""
    return _draw_icon(name, mark_safe('aria-hidden="true"'), size)


def _draw_icon(name: str, role: SafeString, size: str) -> SafeString:
    big = format_html(' data-size="{}"', size) if size else ""
    href = f"{static(SPRITE)}#{normalise_icon(name)}"
    return format_html('<svg class="cl-icon"{} {}><use href="{}"></use></svg>', big, role, href)


@register.simple_tag
def file_icon(name: str) -> SafeString:
    return icon(FILE_ICONS.get(name.rpartition(".")[2].lower(), "file-text"))


@register.inclusion_tag("components/label_chips.html")
def label_chips(labels: Iterable[Any] | None, public: bool = True, joined: bool = True) -> dict[str, Any]:
    """One chip an atom. None is "Not classified yet"; an empty list is Public, or nothing with `public=False`.

    Atoms of one label are joined by +, all of them are needed; a list of clearances is not (`joined=False`).
    """
    return {"labels": None if labels is None else list(labels), "public": public, "joined": joined}


@register.filter
def named_labels(labels: Iterable[Any]) -> str:
    """ "Financial", "PII and Financial", "PII, Financial and Secret"."""
    return join_words(_level_names(labels))


@register.filter
def listed_labels(labels: Iterable[Any]) -> str:
    """ "Internal, PII, Financial"."""
    return ", ".join(_level_names(labels))


def _level_names(labels: Iterable[Any]) -> list[str]:
    return [translate_level(getattr(label, "label", label)) for label in labels]


@register.inclusion_tag("components/placeholder.html", takes_context=True)
def placeholder(
    context: Context,
    requires: Iterable[Any],
    about: object = "",
    file: object = "",
    page: int | None = None,
    what: str = "",
    reasons: Sequence[str] = (),
    run: int | None = None,
    field: str = "",
    asked: Any = None,
) -> dict[str, Any]:
    """The band in the place of text: `requires` are the missing atoms. about, file: ids of the record and the file
    that it is in, with which a steward can be asked; run, field: its number there, and the text of the record. reasons:
    why it requires them, for who wrote it. asked: the reader's own request about it, if any.
    """
    missing = list(requires)
    shell = context.get("shell")
    return {
        "requires": missing,
        "holds": list(getattr(shell, "cleared_for", ())),
        "ask_url": ask_url(context, missing, about, file, run, field),
        "asked": asked,
        "here": _address_here(context),
        "csrf_token": context.get("csrf_token"),
        "page": page,
        "what": what or gettext("Hidden:"),
        "reasons": reasons,
        "nobody_decides": bool(about or file) and not _has_steward(context),
        "people_url": getattr(shell, "people_url", ""),
    }


@register.inclusion_tag("components/redacted.html", takes_context=True)
def redacted(context: Context, requires: Iterable[Any], about: object = "") -> dict[str, Any]:
    """In the place of a field's value; about: as for `placeholder`."""
    missing = list(requires)
    return {"requires": missing, "ask_url": ask_url(context, missing, about)}


def ask_url(
    context: Context,
    missing: Sequence[Any],
    about: object = "",
    file: object = "",
    run: int | None = None,
    field: str = "",
) -> str:
    """Where a steward is asked for these atoms, and how to come back here; "" where that is not known, or where nobody
    is a steward."""
    address = str(getattr(context.get("shell"), "ask_url", ""))
    if not address or not (about or file) or not _has_steward(context):
        return ""
    given: dict[str, object] = {"file": file} if file else {"entity": about}
    if run is not None:
        given["run"] = run
    if field:
        given["field"] = field
    labels = [("labels", getattr(label, "value", "")) for label in missing]
    return f"{address}?{urlencode([*given.items(), *labels, ('next', _address_here(context))])}"


def _address_here(context: Context) -> str:
    """The page that the reader is on, also where a part of it is asked for by itself."""
    request = context.get("request")
    htmx = getattr(request, "htmx", None)
    return ((htmx.current_url_abs_path if htmx else request.get_full_path()) if request else "") or ""


def _has_steward(context: Context) -> bool:
    shell = context.get("shell")
    return not (shell and has_open_scope()) or has_other_steward(shell.user_id)


# Citations and model text


@register.simple_tag
def citations(links: Sequence[CitationLink]) -> SafeString:
    return render_citations(links) if links else mark_safe("")


@register.filter
def model_markdown(text: str | None, links: Citations | None = None) -> SafeString:
    """Text written by a model as safe HTML, markers as chips: `{{ text|model_markdown:links }}`."""
    return render_markdown(text or "", links)


# Numbers and times


@register.filter
def undo_url(message: Any) -> str:
    """Where a message offers to take back what it tells of (`extra_tags="undo:<id>"`): out of the bin again."""
    ids = list_undone_ids(message)
    return reverse("ingestion:restore", args=ids[:1]) if ids else ""


@register.filter
def list_undone_ids(message: Any) -> list[str]:
    """The ids of what the message offers to restore; of several files they stand with commas."""
    what, _, ids = (message.extra_tags or "").partition(":")
    return ids.split(",") if what == "undo" else []


@register.filter
def money(value: Decimal | float | str | None, currency: str = "") -> str:
    return formats.localize_money(value, currency)


@register.filter
def filesize(size: float | None) -> str:
    return formats.format_size(size)


@register.filter
def day(value: date | None) -> str:
    return formats.format_full_day(value) if value else ""


@register.filter
def moment(value: datetime | None) -> str:
    return formats.format_moment(value) if value else ""


@register.filter
def counted(count: int | None, noun: str) -> str:
    """`{{ 3|counted:"reply,replies" }}` is "3 replies"."""
    return formats.format_count(count, noun)


@register.filter
def long_day(value: date | None) -> str:
    return formats.format_long_day(value) if value else ""


@register.filter
def day_of_month(value: datetime) -> str:
    """`{{ moment|day_of_month }}` is "12 May"."""
    return formats.format_day_of_month(value)


@register.filter
def initials(name: str) -> str:
    words = [word for word in re.split(r"[\s._@-]+", name) if word]
    return "".join(word[0] for word in words[:2]).upper() or "?"


@register.simple_tag
def reltime(moment: datetime | date | None) -> SafeString:
    """How long ago, kept fresh by times.js, with the exact time on hover."""
    if moment is None:
        return mark_safe(f'<span class="cl-faint">{formats.NOTHING}</span>')
    return format_html(
        '<time datetime="{}" title="{}"{}>{}</time>',
        moment.isoformat(),
        formats.format_exact(moment),
        mark_safe(" data-relative") if isinstance(moment, datetime) else "",
        formats.format_relative(moment),
    )


# Files


@register.inclusion_tag("components/file_row.html")
def file_row(file: Any, labels: Iterable[Any] | None = (), live: bool = True) -> dict[str, Any]:
    """A file with its state. `file`: the attributes of the API's file object, and `url`, `status_url`, `retry_url`."""
    stage = str(getattr(file, "stage", "") or "")
    position = STAGES.index(stage) if stage in STAGES else (len(STAGES) if stage == "publish" else -1)
    steps = ["done" if i < position else "active" if i == position else "todo" for i in range(len(STAGES))]
    state = str(file.state)
    return {
        "file": file,
        "labels": labels,
        "state": state,
        "steps": steps,
        "step": min(position + 1, len(STAGES)),
        "step_count": len(STAGES),
        "stage_words": STAGE_WORDS.get(stage, gettext("Starting")),
        "done": [words for stage in getattr(file, "stages", ()) if (words := stage_done(stage))],
        "live": live and state in ("pending", "processing"),
    }


def stage_done(stage: Any) -> str:
    """A finished step in words: "Read 4 pages in 0.8 s"."""
    if stage.stage not in STAGE_DONE:
        return ""
    verb, sentence, noun = STAGE_DONE[stage.stage]
    words = str(verb) if stage.count is None else sentence % {"things": formats.format_count(stage.count, noun)}
    if (stage.seconds or 0) < 0.05:
        return words
    seconds = number_format(Decimal(f"{stage.seconds:.1f}"), 1)
    return gettext("%(done)s in %(seconds)s s") % {"done": words, "seconds": seconds}


# Lists


@register.inclusion_tag("components/sort_header.html", takes_context=True)
def sort_header(
    context: Context, field: str, name: str, ordering: str | None = "", numeric: bool = False
) -> dict[str, Any]:
    """A <th> whose link sorts by `field`, and the other way round when it is sorted by it already."""
    current = ordering or ""
    direction = "ascending" if current == field else "descending" if current == f"-{field}" else ""
    query = context["request"].GET.copy()
    query.pop("page", None)
    query["ordering"] = f"-{field}" if direction == "ascending" else field
    return {"name": translate_stored(name), "direction": direction, "url": f"?{query.urlencode()}", "numeric": numeric}


@register.inclusion_tag("components/pagination.html", takes_context=True)
def pagination(context: Context, page: Page, noun: str = "row", parameter: str = "page") -> dict[str, Any]:
    """Links to the pages near the current one, keeping the query; nothing but the count when there is one page.
    parameter: of the query, where a page has two lists.
    """
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
    query = context["request"].GET.copy()
    query.pop(parameter, None)
    prefix = f"?{query.urlencode()}&{parameter}=" if query else f"?{parameter}="
    return {"page": page, "noun": noun, "prefix": prefix, "numbers": list(numbers), "gap": page.paginator.ELLIPSIS}


# Forms


@register.inclusion_tag("components/form_field.html")
def form_field(field: BoundField, labels: Iterable[Any] | None = (), hint: str = "") -> dict[str, Any]:
    """Label, control, help and errors, tied together for screen readers; `labels` say how the value is classified."""
    widget = field.field.widget
    grouped = isinstance(widget, RadioSelect | CheckboxSelectMultiple)
    if grouped:
        css = "form-check-input"
    elif isinstance(widget, CheckboxInput):
        css = "form-check-input m-0"
    elif isinstance(widget, Select):
        css = "form-select"
    else:
        css = "form-control"
    extra = "" if grouped else " ".join(filter(None, (widget.attrs.get("class", ""), css)))
    return {
        "field": field,
        "control": field.as_widget(attrs={"class": extra or css}),
        "grouped": grouped,
        "checkbox": isinstance(widget, CheckboxInput),
        "file": isinstance(widget, FileInput),
        "labels": list(labels or ()),
        "hint": hint,
    }
