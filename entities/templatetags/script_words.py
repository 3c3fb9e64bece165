"""The sentences of static/js, given to a page that is not in English. A test compares them with the scripts."""

from functools import lru_cache

from django import template
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, gettext_noop, ngettext

register = template.Library()

SENTENCES = [
    gettext_noop("%(count)s bytes"),
    gettext_noop("%(count)s could not be opened on this device."),
    gettext_noop("%(count)s files are still to be sent: keep this page open until then."),
    gettext_noop("%(count)s files of this upload"),
    gettext_noop("%(count)s files were not uploaded: their rows say why."),
    gettext_noop("%(count)s h ago"),
    gettext_noop("%(count)s hidden files were left out."),
    gettext_noop("%(count)s min ago"),
    gettext_noop("%(file)s failed"),
    gettext_noop("%(file)s is ready"),
    gettext_noop("%(file)s was quarantined"),
    gettext_noop("%(ticked)s of %(all)s ticked"),
    gettext_noop("1 hidden file was left out."),
    gettext_noop("Close"),
    gettext_noop("Connection lost, trying again"),
    gettext_noop("Discard it"),
    gettext_noop("It is no longer there, or you may no longer see it."),
    gettext_noop("Listing"),
    gettext_noop("None of your roles allows this, or the page is stale: reload it and try again. Nothing was changed."),
    gettext_noop("Not uploaded"),
    gettext_noop("Nothing found"),
    gettext_noop("One file was not uploaded: its row says why."),
    gettext_noop("Preview of the source"),
    gettext_noop("Reading"),
    gettext_noop("Reading %(count)s passage"),
    gettext_noop("Reading %(count)s passages"),
    gettext_noop("Searching"),
    gettext_noop("Something went wrong on our side, and nothing was saved. Try again; what you typed is kept."),
    gettext_noop("Source"),
    gettext_noop("Copied."),
    gettext_noop("%(count)s suggestions"),
    gettext_noop("Do not look in %(name)s"),
    gettext_noop("Stopped."),
    gettext_noop("Received, being checked"),
    gettext_noop("That is larger than this server accepts."),
    gettext_noop("The answer is ready."),
    gettext_noop("Your files have been read."),
    gettext_noop("The server did not answer. Check the connection; what you typed is kept."),
    gettext_noop("The connection was lost. The answer goes on: reload to see it."),
    gettext_noop("The answer failed."),
    gettext_noop("There is no file in this folder that could be read."),
    gettext_noop("Thinking"),
    gettext_noop("Too many requests. Wait a moment and try again."),
    gettext_noop("Uploading"),
    gettext_noop("Uploading, %(percent)s %"),
    gettext_noop("Waiting to be sent"),
    gettext_noop("What you typed is restored."),
    gettext_noop("Writing"),
    gettext_noop("You are signed out. The answer goes on: sign in again to see it."),
    gettext_noop("Your approval is needed."),
    gettext_noop("Your session has ended. Sign in again; what you typed is kept."),
    gettext_noop("in %(count)s h"),
    gettext_noop("in %(count)s min"),
    gettext_noop("in a moment"),
    gettext_noop("it has %(size)s, and files may have up to %(limit)s."),
    gettext_noop("it is empty."),
    gettext_noop("it is larger than this server accepts."),
    gettext_noop("just now"),
    gettext_noop("none of your roles may upload here."),
    gettext_noop("something went wrong on our side. The file was not kept."),
    gettext_noop("the connection was lost before it arrived."),
    gettext_noop("the record is no longer there, or you may no longer see it."),
    gettext_noop("the server gave an answer this page does not understand. Reload to see whether it arrived."),
    gettext_noop("the server took too long to answer."),
    gettext_noop("your session has ended. Sign in again and repeat."),
]
COUNTED = [("%(count)s day ago", "%(count)s days ago"), ("in %(count)s day", "in %(count)s days")]


@register.simple_tag
def script_words() -> SafeString:
    """A JSON element for static/js/words.js; nothing in English, which the scripts speak themselves."""
    language = get_language() or "en"
    return SafeString("") if language.startswith("en") else _render_words(language)


@lru_cache(maxsize=8)
def _render_words(language: str) -> SafeString:
    words = {sentence: gettext(sentence) for sentence in SENTENCES}
    for one, many in COUNTED:
        words |= {one: ngettext(one, many, 1), many: ngettext(one, many, 2)}
    return json_script(words, "words")
