"""The language and the time zone in which a request is answered.

Pages speak the language that their reader chose in the profile, else what the browser asks for. The API speaks English
unless `Accept-Language` asks for another. Nothing that is stored, indexed, labelled or given to a model depends on it:
such text stays English, and where a page shows a stored sentence it is translated there (`translate_stored`).
"""

import re
from collections.abc import Callable, Sequence
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_from_request, gettext, pgettext

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


def translate_stored(text: object) -> str:
    """A sentence or a name that is stored or declared in English, in the reader's language; unchanged if it is none."""
    source = str(text or "")
    if not source:
        return ""
    translated = gettext(source)
    if translated != source:
        return translated
    # Titles are declared in small letters and shown with a capital.
    lower = source[0].lower() + source[1:]
    translated = gettext(lower)
    return translated if translated != lower else source


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
    translated = translate_stored(text)
    return translated.lower() if (translation.get_language() or "en").startswith("en") else translated
