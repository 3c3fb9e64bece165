"""Vendored files are what was recorded, markup needs no looser policy, and the pieces say what they mean."""

import hashlib
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from django import forms
from django.core.paginator import Paginator
from django.template import engines
from django.test import RequestFactory

from entities.actions import SEEDED
from entities.formats import format_count, format_money, format_relative, format_size
from entities.palette import COLORS, LABEL_ICONS, SPRITE, normalise_color, normalise_icon
from entities.registry import list_entity_types
from entities.shell import LabelChip, Shell
from entities.templatetags.clearance_ui import FILE_ICONS

BASE = Path(__file__).resolve().parents[2]
VENDOR = BASE / "static/vendor"
OURS = [*(BASE / "templates").glob("**/*.html")]
FINANCIAL = LabelChip(5, "Financial", "coins", "amber")
PII = LabelChip(3, "PII", "user", "purple")


def draw(source, request=None, **context):
    return engines["django"].from_string("{% load clearance_ui %}" + source).render(context, request)


def test_vendored_files_are_the_recorded_ones():
    recorded = dict(
        re.findall(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|$", (VENDOR / "VENDOR.md").read_text(), re.MULTILINE)
    )
    present = {str(path.relative_to(VENDOR)) for path in VENDOR.glob("*/**/*") if path.is_file()}
    assert present == set(recorded)
    for name, digest in recorded.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest, name


def test_stylesheets_and_scripts_name_no_other_host():
    for path in [*BASE.glob("static/css/*.css"), *BASE.glob("static/js/*.js"), *OURS]:
        assert not re.search(r"(?:https?:)?//[a-z0-9-]+\.[a-z]", path.read_text().replace("http://www.w3.org/", "")), (
            path
        )


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(BASE)))
def test_templates_need_no_inline_script_style_or_eval(path):
    text = path.read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"\sstyle\s*=", text)
    assert "<style" not in text
    assert not re.search(r"\s(?:on[a-z]+|hx-on[:\w-]*)\s*=", text)
    assert not re.search(r'hx-(?:vals|headers)\s*=\s*["\'](?:js|javascript):', text)
    assert not re.search(r'hx-trigger\s*=\s*"[^"]*\[', text)


def test_every_icon_named_is_in_the_sprite():
    known = set(re.findall(r'<symbol id="([^"]+)"', (BASE / "static" / SPRITE).read_text()))
    named = {normalise_icon(name) for path in OURS for name in re.findall(r'\{% icon "([^"]+)"', path.read_text())}
    named |= {normalise_icon(name) for path in OURS for name in re.findall(r'icon="([^"]+)"', path.read_text())}
    named |= set(FILE_ICONS.values()) | set(LABEL_ICONS) | {normalise_icon(icon) for _, _, icon, _, _ in SEEDED}
    named |= {normalise_icon(model.rag().icon) for model in list_entity_types().values()}
    assert named <= known, named - known


def test_every_colour_of_the_palette_is_in_the_stylesheet():
    css = (BASE / "static/css/clearance.css").read_text()
    assert {color for color in COLORS if f'[data-color="{color}"]' in css} == set(COLORS) - {"slate"}


def test_stored_colours_and_icons_are_understood_or_fall_back():
    assert [normalise_color(c) for c in ("Red", "gray", "yellow", "url(x)", "")] == [
        "red",
        "slate",
        "amber",
        "slate",
        "slate",
    ]
    assert [normalise_icon(i) for i in ("Globe", "Scale", "file_text", "FileText", "")] == [
        "world", "scale", "file-text", "file-text", "tag",
    ]  # fmt: skip


def test_a_label_is_icon_and_word_and_colour():
    html = draw("{% label_chips labels %}", labels=[FINANCIAL])
    assert "#coins" in html
    assert "Financial" in html
    assert 'data-color="amber"' in html


def test_compound_labels_say_that_all_of_them_are_needed():
    html = draw("{% label_chips labels %}", labels=[PII, FINANCIAL])
    assert 'aria-label="Needs PII and Financial"' in html
    assert html.count('class="cl-chip"') == 2


def test_unlabelled_text_never_looks_public():
    assert "Not classified yet" in draw("{% label_chips labels %}", labels=None)
    assert "Public" not in draw("{% label_chips labels %}", labels=None)
    assert "Public" in draw("{% label_chips labels %}", labels=[])


def test_a_placeholder_names_the_missing_atoms_and_explains():
    html = draw("{% placeholder labels %}", labels=[PII, FINANCIAL])
    assert "Hidden: needs PII and Financial" in html
    assert "why?" in html
    assert "<form" not in html
    shell = Shell(1, "Ann", cleared_for=[PII], ask_url="/ask/")
    asked = draw("{% placeholder labels about='7' %}", labels=[FINANCIAL], shell=shell)
    assert 'href="/ask/?entity=7&amp;labels=5&amp;next="' in asked
    assert "your roles hold PII" in asked
    assert "/ask/" not in draw("{% placeholder labels %}", labels=[FINANCIAL], shell=shell)


def test_names_from_a_steward_are_escaped_everywhere():
    nasty = LabelChip(9, "<script>x</script>", '"><script>', '"><script>')
    for tag in ("label_chips", "placeholder", "redacted"):
        assert "<script" not in draw(f"{{% {tag} labels %}}", labels=[nasty])


@pytest.mark.parametrize(
    ("value", "currency", "text"),
    [
        (Decimal("1250000.00"), "EUR", "€1,250,000"),
        (Decimal("-12.5"), "usd", "−$12.50"),
        (900, "NOK", "NOK\u00a0900"),
        (900, "", "900"),
        (None, "EUR", "—"),
        ("unknown", "EUR", "unknown"),
    ],
)
def test_money_has_its_currency(value, currency, text):
    assert format_money(value, currency) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0\u00a0kB"), (999_960, "1.0\u00a0MB"),
     (2_412_000, "2.4\u00a0MB"), (300_000_000, "300\u00a0MB"), (None, "—")],
)  # fmt: skip
def test_sizes_are_human(size, text):
    assert format_size(size) == text


def test_counts_agree_with_their_noun():
    assert [format_count(n, "reply,replies") for n in (0, 1, 1204)] == ["no replies", "1 reply", "1,204 replies"]


NOW = datetime(2025, 5, 12, 14, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (NOW - timedelta(seconds=10), "just now"),
        (NOW - timedelta(minutes=4), "4 min ago"),
        (NOW - timedelta(hours=3), "3 h ago"),
        (NOW - timedelta(days=1), "1 day ago"),
        (NOW - timedelta(days=5), "5 days ago"),
        (NOW + timedelta(hours=2), "in 2 h"),
        (datetime(2024, 1, 3, tzinfo=UTC), "3 Jan 2024"),
        (date(2025, 5, 11), "yesterday"),
        (date(2025, 5, 30), "30 May"),
    ],
)
def test_times_are_relative_while_near(moment, text):
    assert format_relative(moment, NOW) == text


def test_a_time_carries_the_exact_one():
    html = draw("{% reltime moment %}", moment=datetime(2024, 1, 3, 14, 3, tzinfo=UTC))
    assert 'datetime="2024-01-03T14:03:00+00:00"' in html
    assert "3 Jan 2024, 14:03" in html


def a_file(**changes):
    return SimpleNamespace(**{
        "id": 7, "name": "scan.pdf", "state": "processing", "stage": "classify", "progress": 40, "size": 10,
        "pages": None, "collection": "documents", "error": None, "url": "/f/7",
        "status_url": "/f/7/row", "retry_url": "/f/7/retry",
    } | changes)  # fmt: skip


def test_a_file_in_progress_says_its_stage_and_polls():
    html = draw("{% file_row file %}", file=a_file())
    assert "Classifying paragraphs, step 2 of 5, 40 %" in html
    assert 'hx-get="/f/7/row"' in html


def test_a_file_that_was_just_taken_up_is_at_no_step_yet():
    html = draw("{% file_row file %}", file=a_file(stage="waiting", progress=0))
    assert "Starting" in html
    assert "step 0" not in html


def test_a_failed_file_names_itself_says_why_and_offers_a_retry():
    html = draw(
        "{% file_row file %}", file=a_file(state="failed", error={"detail": "it has a broken page.", "page": 3})
    )
    assert "scan.pdf</strong>, page 3: it has a broken page." in html
    assert 'action="/f/7/retry"' in html
    assert "hx-get" not in html


def test_a_ready_file_is_a_link_and_stops_polling():
    html = draw("{% file_row file labels %}", file=a_file(state="ready"), labels=[FINANCIAL])
    assert 'href="/f/7"' in html
    assert "Financial" in html
    assert "hx-get" not in html


class Form(forms.Form):
    name = forms.CharField(help_text="As on page one.")
    value = forms.DecimalField(required=False)


def test_a_field_is_tied_to_its_help_and_errors():
    html = draw("{% form_field form.name %}", form=Form({}))
    assert 'aria-invalid="true"' in html
    assert 'aria-describedby="id_name_helptext id_name_error"' in html
    assert 'id="id_name_error"' in html
    assert 'for="id_name"' in html


def test_a_classified_field_shows_its_label():
    assert "Financial" in draw("{% form_field form.value labels %}", form=Form(), labels=[FINANCIAL])


def test_sorting_links_turn_around_and_keep_the_filters():
    request = RequestFactory().get("/", {"status": "active", "page": "3"})
    up = draw('<table><tr>{% sort_header "name" "Name" "name" %}</tr></table>', request)
    assert 'aria-sort="ascending"' in up
    assert "status=active&amp;ordering=-name" in up
    assert "page=" not in up


def test_pages_keep_the_query_and_name_the_current_one():
    request = RequestFactory().get("/", {"status": "a&b"})
    html = draw('{% pagination page "contract" %}', request, page=Paginator(range(120), 50).page(2))
    assert "120 contracts, 51 to 100 shown" in html
    assert "?status=a%26b&amp;page=3" in html
    assert "aria-current" in html
