"""The words of the administration pages, in the reader's language.

Models declare them in English, and what is declared of a record is indexed as it stands; here they are translated when
a page is rendered, for models that no index knows. `NAMES` lists them, so that `makemessages` finds them.
"""

from typing import Any

from django.db.models import Model
from django.forms.utils import pretty_name
from django.utils.functional import lazy
from django.utils.translation import gettext_noop

from entities.language import translate_stored
from entities.models import Entity

translate_lazily = lazy(translate_stored, str)

NAMES = [
    gettext_noop("view"),
    gettext_noop("change"),
    gettext_noop("delete"),
    gettext_noop("share"),
    gettext_noop("upload"),
    gettext_noop("classification"),
    gettext_noop("classifications"),
    gettext_noop("label"),
    gettext_noop("icon"),
    gettext_noop("color"),
    gettext_noop("conceal"),
    gettext_noop("Show no placeholder to people who are not cleared: to them the text does not exist."),
    gettext_noop("role"),
    gettext_noop("roles"),
    gettext_noop("administers the workspace"),
    gettext_noop("sees unlabelled text and may relabel"),
    gettext_noop("classification grant"),
    gettext_noop("classification grants"),
    gettext_noop("clearances"),
    gettext_noop("membership"),
    gettext_noop("memberships"),
    gettext_noop("created at"),
    gettext_noop("user"),
    gettext_noop("password"),
    gettext_noop("permission"),
    gettext_noop("group"),
    gettext_noop("new person's name"),
    gettext_noop("For the first time: they choose their own then."),
    gettext_noop("or a code for joining"),
    gettext_noop("Of somebody who has an account already: they ask for it at /join/ and give it to you."),
    gettext_noop("take back clearances of their own"),
    gettext_noop("Stewards granted these to this person alone, whatever roles they have."),
    gettext_noop("entity user grant"),
    gettext_noop("entity user grants"),
    gettext_noop("entity role grant"),
    gettext_noop("entity role grants"),
    gettext_noop("expires at"),
    gettext_noop("holder"),
    gettext_noop("may"),
    gettext_noop("The id of a record that you may share."),
    gettext_noop("visibility"),
    gettext_noop("content type"),
    gettext_noop("updated at"),
    gettext_noop("archived at"),
    gettext_noop("source system"),
    gettext_noop("source id"),
    gettext_noop("workspace settings"),
    gettext_noop("citation style"),
    gettext_noop("classification prompt"),
    gettext_noop("days to keep the words of questions in the audit"),
    gettext_noop("days to keep rows of the audit"),
    gettext_noop("programs say which version they change"),
    gettext_noop("The API then refuses a change or deletion without If-Match."),
    gettext_noop("Empty: for ever."),
    gettext_noop("At least 30. Empty: for ever."),
    gettext_noop("kinds of records in the menus"),
    gettext_noop("The others stay where they are, and can be searched."),
    gettext_noop("None: all of them. The others stay where they are, and can be searched."),
    gettext_noop("audit entry"),
    gettext_noop("audit entries"),
    gettext_noop("at (UTC)"),
    gettext_noop("action"),
    gettext_noop("who"),
    gettext_noop("details"),
    gettext_noop("search settings"),
    gettext_noop("read the best passages again"),
    gettext_noop("by the cross-encoder of this installation"),
    gettext_noop("by the language model, which costs a call for each search"),
    gettext_noop("compare all passages"),
    gettext_noop(
        "Where a reader may see very many passages, a search by meaning takes a short cut: it shows "
        "nothing that they may not see, but which of the near passages it finds, and how long it takes, "
        "can depend on hidden ones. Without the short cut such searches take longer."
    ),
    gettext_noop("files"),
    gettext_noop("collection"),
    gettext_noop("media type"),
    gettext_noop("size"),
    gettext_noop("state"),
    gettext_noop("stage"),
    gettext_noop("progress"),
    gettext_noop("Per cent."),
    gettext_noop("page count"),
    gettext_noop("pages"),
    gettext_noop("error code"),
    gettext_noop("error page"),
    gettext_noop("claimed until"),
    gettext_noop("worker"),
    gettext_noop("attempts"),
    gettext_noop("woken at"),
    gettext_noop("When a worker was last told of this file; NULL: not yet."),
    gettext_noop("stale"),
    gettext_noop("stale for"),
    gettext_noop("entity id"),
    gettext_noop("reason"),
    gettext_noop("record index"),
    gettext_noop("record indexs"),
    gettext_noop("stale since"),
    gettext_noop("error"),
    gettext_noop("embedding model"),
    gettext_noop("embedding models"),
    gettext_noop("model"),
    gettext_noop("used by searches"),
    gettext_noop("kept beside it"),
    gettext_noop("rows"),
    gettext_noop("missing"),
    gettext_noop("checked at"),
    gettext_noop("added at"),
    gettext_noop("switched at"),
    gettext_noop("ready, of what you may see"),
    gettext_noop("budget"),
    gettext_noop("budgets"),
    gettext_noop("monthly cap"),
    gettext_noop("USD a calendar month (UTC)"),
    gettext_noop("model call"),
    gettext_noop("model calls"),
    gettext_noop("principal"),
    gettext_noop("feature"),
    gettext_noop("tokens in"),
    gettext_noop("tokens out"),
    gettext_noop("tokens cached"),
    gettext_noop("cost"),
    gettext_noop("latency ms"),
    gettext_noop("outcome"),
    gettext_noop("answered"),
    gettext_noop("broke off"),
    gettext_noop("stopped by the caller"),
    gettext_noop("refused: over budget"),
    gettext_noop("subject"),
    gettext_noop("processing"),
    gettext_noop("classifying"),
    gettext_noop("understanding"),
    gettext_noop("what has changed since"),
    gettext_noop("up to date"),
    gettext_noop("words"),
    gettext_noop("the program"),
    gettext_noop("This page yielded into no results. Create a new item or reset your filters."),
    gettext_noop("This item will be deleted."),
    gettext_noop("Click to cancel"),
    gettext_noop("Go back"),
    gettext_noop("Type to search"),
]


def translate_admin(model: type[Model], admin: Any) -> None:
    """What pages of `admin` call the model, its columns, filters and fields."""
    for shown in (model, *(inline.model for inline in admin.inlines)):
        if shown is Entity or not issubclass(shown, Entity):
            _translate_model(shown)
    for name in (*admin.list_display, *admin.readonly_fields):
        if callable(method := getattr(admin, name, None)):
            method.short_description = translate_lazily(getattr(method, "short_description", pretty_name(name)))
    for shown_by in admin.list_filter:
        if not isinstance(shown_by, str):
            shown_by.title = translate_lazily(shown_by.title)
    for name, field in getattr(admin.form, "declared_fields", {}).items():
        field.label = translate_lazily(field.label or pretty_name(name))
        field.help_text = translate_lazily(field.help_text)


def _translate_model(model: type[Model]) -> None:
    options = model._meta
    options.verbose_name = translate_lazily(options.verbose_name)
    options.verbose_name_plural = translate_lazily(options.verbose_name_plural)
    for field in options.local_fields:
        if model is Entity and field.name == "name":  # it is indexed
            continue
        field.verbose_name = translate_lazily(field.verbose_name)
        if field.help_text:  # where there is none, a migration would take the proxy for one
            field.help_text = translate_lazily(field.help_text)
        if field.choices and model is not Entity:
            field.choices = [(value, translate_lazily(name)) for value, name in field.flatchoices]
