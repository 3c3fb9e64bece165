"""Kinds of references and what each says about how much its two ends matter (seed part 3, design §7)."""

from dataclasses import dataclass

from django.db import models

SLIGHT, FULL = 0.25, 0.5


class Kind(models.TextChoices):
    """The value is the name in the API."""

    CITATION = "Citation", "Cites"
    CROSS_REFERENCE = "CrossReference", "Related to"
    DERIVED_FROM = "DerivedFrom", "Derived from"
    BOOKMARK = "Bookmark", "Bookmarked"
    SUPERSEDES = "Supersedes", "Supersedes"
    BUILDS_ON = "BuildsOn", "Builds on"
    CONTRADICTS = "Contradicts", "Contradicts"
    UPDATE_OF = "UpdateOf", "Update of"
    SUPPORTED_BY = "SupportedBy", "Supported by"


class LocationType(models.TextChoices):
    PAGE = "Page", "Page"
    SECTION = "Section", "Section"
    MESSAGE = "Message", "Message"
    PROPERTY = "Property", "Property"
    CHUNK = "Chunk", "Passage"


@dataclass(frozen=True)
class Weight:
    """What one reference adds to the salience of the record it points at, and of the record it starts from."""

    target: float
    source: float


SALIENCE: dict[str, Weight] = {
    Kind.CITATION: Weight(0.0, 0.0),
    Kind.CROSS_REFERENCE: Weight(SLIGHT, SLIGHT),
    Kind.DERIVED_FROM: Weight(FULL, 0.0),
    Kind.BOOKMARK: Weight(0.0, 0.0),
    Kind.SUPERSEDES: Weight(-FULL, FULL),
    Kind.BUILDS_ON: Weight(FULL, 0.0),
    Kind.CONTRADICTS: Weight(FULL, FULL),
    Kind.UPDATE_OF: Weight(-FULL, FULL),
    Kind.SUPPORTED_BY: Weight(FULL, 0.0),
}

# How a kind reads from the other end.
INCOMING: dict[str, str] = {
    Kind.CITATION: "Cited by",
    Kind.CROSS_REFERENCE: "Related to",
    Kind.DERIVED_FROM: "Origin of",
    Kind.BOOKMARK: "Bookmarked from",
    Kind.SUPERSEDES: "Superseded by",
    Kind.BUILDS_ON: "Built on by",
    Kind.CONTRADICTS: "Contradicted by",
    Kind.UPDATE_OF: "Updated by",
    Kind.SUPPORTED_BY: "Supports",
}
