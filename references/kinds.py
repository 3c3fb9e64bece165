"""Kinds of references and what each says about how much its two ends matter (seed part 3, design §7)."""

from dataclasses import dataclass

from django.db import models
from django.utils.translation import gettext_noop

SLIGHT, FULL = 0.25, 0.5


class Kind(models.TextChoices):
    """The value is the name in the API."""

    CITATION = "Citation", gettext_noop("Cites")
    CROSS_REFERENCE = "CrossReference", gettext_noop("Related to")
    DERIVED_FROM = "DerivedFrom", gettext_noop("Derived from")
    BOOKMARK = "Bookmark", gettext_noop("Bookmarked")
    SUPERSEDES = "Supersedes", gettext_noop("Supersedes")
    BUILDS_ON = "BuildsOn", gettext_noop("Builds on")
    CONTRADICTS = "Contradicts", gettext_noop("Contradicts")
    UPDATE_OF = "UpdateOf", gettext_noop("Update of")
    SUPPORTED_BY = "SupportedBy", gettext_noop("Supported by")


class LocationType(models.TextChoices):
    PAGE = "Page", gettext_noop("Page")
    SECTION = "Section", gettext_noop("Section")
    MESSAGE = "Message", gettext_noop("Message")
    PROPERTY = "Property", gettext_noop("Property")
    CHUNK = "Chunk", gettext_noop("Passage")


@dataclass(frozen=True)
class ReferenceWeight:
    """What one reference adds to the salience of the record it points at, and of the record it starts from."""

    target: float
    source: float


SALIENCE: dict[str, ReferenceWeight] = {
    Kind.CITATION: ReferenceWeight(0.0, 0.0),
    Kind.CROSS_REFERENCE: ReferenceWeight(SLIGHT, SLIGHT),
    Kind.DERIVED_FROM: ReferenceWeight(FULL, 0.0),
    Kind.BOOKMARK: ReferenceWeight(0.0, 0.0),
    Kind.SUPERSEDES: ReferenceWeight(-FULL, FULL),
    Kind.BUILDS_ON: ReferenceWeight(FULL, 0.0),
    Kind.CONTRADICTS: ReferenceWeight(FULL, FULL),
    Kind.UPDATE_OF: ReferenceWeight(-FULL, FULL),
    Kind.SUPPORTED_BY: ReferenceWeight(FULL, 0.0),
}

# How a kind reads from the other end.
INCOMING: dict[str, str] = {
    Kind.CITATION: gettext_noop("Cited by"),
    Kind.CROSS_REFERENCE: gettext_noop("Related to"),
    Kind.DERIVED_FROM: gettext_noop("Origin of"),
    Kind.BOOKMARK: gettext_noop("Bookmarked from"),
    Kind.SUPERSEDES: gettext_noop("Superseded by"),
    Kind.BUILDS_ON: gettext_noop("Built on by"),
    Kind.CONTRADICTS: gettext_noop("Contradicted by"),
    Kind.UPDATE_OF: gettext_noop("Updated by"),
    Kind.SUPPORTED_BY: gettext_noop("Supports"),
}
