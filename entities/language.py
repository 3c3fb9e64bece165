"""The language and the time zone in which a request is answered.

Pages speak the language that their reader chose in the profile, else what the browser asks for. The API speaks English
unless `Accept-Language` asks for another. Nothing that is stored, indexed, labelled or given to a model depends on it:
such text stays English, and where a page shows a stored sentence it is translated there (`translate_stored`).
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_from_request, gettext, ngettext, pgettext

API = re.compile(r"(?:/w/[^/]*)?/api/")
WITHOUT_READER = ("/healthz", "/readyz", settings.STATIC_URL)


class LanguageMiddleware:
    """Activates the reader's language and time zone around a request. Comes after the one that knows the user."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(WITHOUT_READER):
            return self.get_response(request)
        language, zone = choose_language(request), choose_time_zone(request)
        with translation.override(language), timezone.override(zone):
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        patch_vary_headers(response, ("Accept-Language",))
        return response


def is_api(request: HttpRequest) -> bool:
    """Of the installation, or under `/w/<slug>/`."""
    return API.match(request.path_info) is not None


def choose_language(request: HttpRequest) -> str:
    """A code of `settings.LANGUAGES`."""
    chosen = "" if is_api(request) else getattr(request.user, "language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else get_language_from_request(request)


def choose_time_zone(request: HttpRequest) -> ZoneInfo | None:
    """The reader's own time zone for pages; None for the installation's."""
    name = "" if is_api(request) else getattr(request.user, "time_zone", "")
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None


KIND_NAMES: list[Callable[[str], str | None]] = []
"""By the declared name of a kind of records, what the open scope's workspace calls it; `entities.registry` knows."""
TEMPLATES: list[str] = []
"""Stored sentences that have a word or a number in them, as "This PDF has {pages} pages"; upper layers add theirs."""


def translate_stored(text: object) -> str:
    """A sentence or a name that is stored or declared in English, in the reader's language; unchanged if it is none.
    Several that stand behind each other with semicolons are translated one by one.
    """
    source = str(text or "")
    return (find_kind_name(source) or translate_declared(source)) if source else ""


def translate_declared(source: str) -> str:
    """`translate_stored` without the names that a workspace gives to kinds of records."""
    if (translated := _find_translation(source)) is not None:
        return translated
    # Titles are declared in small letters and shown with a capital.
    if (translated := _find_translation(source[0].lower() + source[1:])) is not None:
        return translated[0].upper() + translated[1:]
    for template in TEMPLATES if translation.get_language() != settings.LANGUAGE_CODE else ():
        if found := _compile_template(template).fullmatch(source):
            return gettext(template).format(
                **{name: translate_stored(word) for name, word in found.groupdict().items()}
            )
    parts = source.split("; ")
    return "; ".join(map(translate_stored, parts)) if len(parts) > 1 else source


def find_kind_name(title: str) -> str | None:
    """What the workspace calls a kind of that declared name, with a capital where that has one; None where it has no
    name of its own for it.
    """
    named = next((found for look_up in KIND_NAMES if (found := look_up(title.lower()))), None)
    if named is None or title[0].isupper():
        # A second letter that is a capital makes the first a small one by intent, as in "iPad".
        return named and (named if named[1:2].isupper() else named[0].upper() + named[1:])
    return named if named[:2].isupper() or not _is_english() else named[0].lower() + named[1:]


def _is_english() -> bool:
    return (translation.get_language() or "en").startswith("en")


def _find_translation(source: str) -> str | None:
    """None where there is none. A name that is counted elsewhere stands in the catalogue with its plural."""
    translated = gettext(source)
    if translated == source:
        translated = ngettext(source, source, 1)
    return translated if translated != source else None


@cache
def _compile_template(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(template)))


def translate_level(name: object) -> str:
    """The name of a level: the seeded ones have a translation, those of a workspace's own are what they are."""
    return pgettext("level", str(name)) if name else ""


def join_words(words: Sequence[str]) -> str:
    """ "Financial", "PII and Financial", "PII, Financial and Secret"."""
    if len(words) < 2:
        return "".join(words)
    return pgettext("list", "%(first)s and %(last)s") % {"first": ", ".join(words[:-1]), "last": words[-1]}


def lowercase_noun(text: object) -> str:
    """A kind's name within a sentence: small in English; in German a noun keeps its capital."""
    if named := find_kind_name(str(text).lower()):
        return named
    translated = translate_stored(text)
    return translated.lower() if _is_english() else translated
