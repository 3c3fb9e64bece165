"""Every word that a page shows can be translated, and is in German. Without a database."""

import ast
import gettext as standard_gettext
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext

from entities.formats import format_count, format_money, localize_money
from entities.language import translate_level, translate_stored
from entities.registry import list_entity_types
from entities.templatetags import script_words

BASE = Path(settings.BASE)
TEMPLATES = sorted((BASE / "templates").rglob("*.html"))
CATALOGUE = BASE / "locale/de/LC_MESSAGES/django.po"

HIDDEN = re.compile(
    r"\{%\s*comment.*?endcomment\s*%\}|\{%\s*blocktranslate.*?endblocktranslate\s*%\}"
    r"|\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}",
    re.S,
)
PLACEHOLDER = re.compile(r"%\(\w+\)s|\{\}")
MARKED = ("gettext", "gettext_lazy", "gettext_noop")
CODE = re.compile(r"<(code|kbd|script|style|svg)\b.*?</\1>|<!doctype html>", re.S)
SPOKEN = re.compile(r'\s(?:title|aria-label|placeholder|alt|data-title)="([^"]*)"')
NAMES = {"Clearance", "https://…/tree/main/", 'data-tab="middle"'}


def list_untranslated(source: str) -> list[str]:
    """Text nodes and spoken attributes that stand outside the tags that translate them."""
    bare = CODE.sub(" ", HIDDEN.sub("", source))
    texts = [*SPOKEN.findall(bare), *re.split(r"<[^>]*>", bare)]
    return [text.strip() for text in texts if re.search(r"[A-Za-z]{2}", text) and text.strip(" ·.,\n") not in NAMES]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(BASE / "templates")))
def test_templates_show_no_word_outside_the_tags_that_translate(path: Path) -> None:
    assert list_untranslated(path.read_text()) == []


@pytest.mark.parametrize(
    "source",
    ["<p>Not done</p>", '<a title="Not done">{{ name }}</a>', "{% if x %}Not{% else %}{% endif %}"],
)
def test_a_bare_word_would_be_found(source: str) -> None:
    assert list_untranslated(source)


def read_catalogue() -> dict[str, dict[str, str]]:
    """Context and msgid -> the parts of the entry."""
    entries: dict[str, dict[str, str]] = {}
    for block in CATALOGUE.read_text().split("\n\n"):
        entry: dict[str, str] = {}
        key = ""
        for line in block.splitlines():
            named = re.match(r"(msg\w+(?:\[\d\])?) (\".*\")$", line)
            if named:
                key = named[1]
                entry[key] = ast.literal_eval(named[2])
            elif line.startswith('"'):
                entry[key] += ast.literal_eval(line)
            assert not line.startswith("#, fuzzy")
        if entry.get("msgid"):
            entries[f"{entry['msgctxt']}\x04{entry['msgid']}" if "msgctxt" in entry else entry["msgid"]] = entry
    return entries


def test_everything_is_in_german_with_the_same_placeholders() -> None:
    entries = read_catalogue()
    assert len(entries) > 1000
    for entry in entries.values():
        for name, text in entry.items():
            if name.startswith("msgstr"):
                source = entry["msgid"] if name != "msgstr[1]" else entry["msgid_plural"]
                assert text, source
                assert sorted(PLACEHOLDER.findall(text)) == sorted(PLACEHOLDER.findall(source)), source


def test_the_compiled_catalogue_is_the_written_one() -> None:
    """Nothing compiles it on the machine of who installs."""
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled = standard_gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    written = {}
    for key, entry in read_catalogue().items():
        if "msgid_plural" in entry:
            written |= {(key, 0): entry["msgstr[0]"], (key, 1): entry["msgstr[1]"]}
        else:
            written[key] = entry["msgstr"]
    assert {key: text for key, text in compiled.items() if key != ""} == written


def test_every_word_of_the_templates_and_views_is_in_the_catalogue() -> None:
    known = {entry["msgid"] for entry in read_catalogue().values()}
    tags = re.compile(r"""\{% translate (?:"([^"]*)"|'([^']*)')|\b_\("([^"]*)"\)""")
    named = {next(filter(None, found), "") for path in TEMPLATES for found in tags.findall(path.read_text())}
    for app in ("config", *settings.LAYERS):
        for path in (BASE / app).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and node.args and getattr(node.func, "id", "") in MARKED:
                    named |= {node.args[0].value} if isinstance(node.args[0], ast.Constant) else set()
    assert named - known - {""} == set()


def test_every_sentence_of_the_scripts_is_given_to_a_german_page() -> None:
    spoken = {
        sentence
        for path in (BASE / "static/js").glob("*.js")
        for sentence in re.findall(r'translate\("([^"]+)"', path.read_text())
    }
    assert spoken - set(script_words.SENTENCES) == set()
    with translation.override("de"):
        assert "Nicht hochgeladen" in script_words.script_words()
    assert script_words.script_words() == ""


def test_names_of_kinds_fields_and_choices_have_a_translation() -> None:
    known = {entry["msgid"] for entry in read_catalogue().values()}
    for model in list_entity_types().values():
        assert {str(model._meta.verbose_name), str(model._meta.verbose_name_plural)} <= known
        for field in model._meta.local_fields:
            if field.name not in ("entity_ptr", "project", "contract"):
                assert str(field.verbose_name) in known, field
            assert {str(label) for _, label in field.flatchoices} <= known, field


def test_numbers_money_and_times_are_written_as_the_reader_writes_them() -> None:
    assert (localize_money(1250000, "EUR"), format_count(1204, "file")) == ("€1,250,000", "1,204 files")
    with translation.override("de"):
        assert (localize_money(1250000, "EUR"), format_count(1204, "file")) == ("1.250.000 €", "1.204 Dateien")
        assert (format_count(1, "reply,replies"), format_count(0, "file")) == ("1 reply", "keine Dateien")
        assert gettext("just now") == "gerade eben"


def test_what_is_stored_does_not_depend_on_the_readers_language() -> None:
    with translation.override("de"):
        assert format_money(1250000, "EUR") == "€1,250,000"
        assert {model.singular_title for model in list_entity_types().values()} >= {"contract", "risk"}


def test_names_of_a_workspaces_own_stay_as_they_are() -> None:
    with translation.override("de"):
        assert (translate_level("Financial"), translate_level("Board only")) == ("Finanzen", "Board only")
        assert (translate_stored("Contracts"), translate_stored("A kind of ours"), translate_stored("")) == (
            "Verträge",
            "A kind of ours",
            "",
        )
