"""Versions of what somebody reads, by which a write says what it is about (docs/adr/0072).

A version is a digest of each value that its reader may see, under the installation's key. So no write forgets to raise
it, what a reader may not see is not in it, and nobody can tell a value from it.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import Model, QuerySet
from django.utils.crypto import salted_hmac

from entities.access import list_readable_fields
from entities.models import Entity, FieldParagraph
from entities.registry import list_parent_types
from entities.text import compute_digest, split_paragraphs

LENGTH = 12
READ = " as read"
"""After the name of a long text: what its reader is shown, without what they typed and cannot read yet."""
MUCH = 40_000
"""Characters of a version that is sent; longer ones are none of ours."""


def digest_value(name: str, value: object) -> str:
    return salted_hmac("entities.versions", f"{name}\n{_write_plainly(value)!r}", algorithm="sha256").hexdigest()[
        :LENGTH
    ]


def build_version(values: Mapping[str, object]) -> str:
    return ".".join(digest_value(name, value) for name, value in values.items())


def split_version(version: str) -> frozenset[str]:
    """The digests in what somebody has sent; of something else, none that is one of ours."""
    return frozenset(version[:MUCH].split("."))


def list_changed(version: str, values: Mapping[str, object]) -> list[str]:
    """The names of which a version tells another value, or nothing."""
    seen = split_version(version)
    return [name for name, value in values.items() if digest_value(name, value) not in seen]


def _write_plainly(value: object) -> Any:
    """As a form, a row and the API have the same: nothing for no value, keys for rows, text without its line ends."""
    if value is None or value == "":
        return None
    if isinstance(value, Model):
        return str(value.pk)
    if isinstance(value, QuerySet | list | tuple | set | frozenset):
        items = [_write_plainly(item) for item in value]
        return items if isinstance(value, list | tuple) else sorted(items, key=str)
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    if isinstance(value, datetime):
        return str(value.replace(microsecond=0).timestamp())
    return str(value).replace("\r\n", "\n").strip()


def list_values(
    entity: Entity, visible_links: Iterable[Any], texts: Mapping[str, "SeenText"] | None = None
) -> dict[str, object]:
    """What the version of a record stands for, of an instance from `readable_by`. A link to a record that the caller
    may not see is as none. Each long text is in it twice, the second time as `READ` has it.
    """
    model = type(entity)
    links = list_parent_types(model)
    values: dict[str, object] = {"archived": entity.archived_at is not None}
    for name in list_readable_fields(model):
        if name == "name":
            values[name] = entity.title  # type: ignore[attr-defined]
        elif name in links:
            key = getattr(entity, f"{name}_id")
            values[name] = key if key in visible_links else None
        else:
            values[name] = getattr(entity, name)
    for name in model.long_texts:
        seen = (texts or {}).get(name, SeenText())
        values[name] = [digest for _, digest in sorted(seen.readable + seen.typed)]
        values[name + READ] = [digest for _, digest in sorted(seen.readable)]
    return values


class SeenText:
    """(position, digest) of the paragraphs of a long text that somebody reads, and of those that they typed and cannot
    read yet: these become readable when a worker has labelled them, which is no change by anybody.
    """

    def __init__(self) -> None:
        self.readable: list[tuple[int, str]] = []
        self.typed: list[tuple[int, str]] = []


def load_text_digests(entities: Iterable[Entity]) -> dict[Any, dict[str, SeenText]]:
    """By record and field, of rows that the open scope got by an access function."""
    keys = [entity.pk for entity in entities if entity.type_class.long_texts]
    found: dict[Any, dict[str, SeenText]] = {key: {} for key in keys}
    if not keys:
        return found
    rows = (
        FieldParagraph.objects.filter(entity__in=keys).order_by().values_list("entity", "field", "position", "digest")
    )
    for key, field, position, digest in rows:
        found[key].setdefault(field, SeenText()).readable.append((position, digest))
    with connection.cursor() as cursor:
        cursor.execute(
            'SELECT k.id, o.field, o."position", o.body FROM unnest(%s::uuid[]) k(id),'
            " LATERAL app_own_paragraphs(k.id) o WHERE o.body IS NOT NULL",
            [keys],
        )
        for key, field, position, body in cursor.fetchall():
            found[key].setdefault(field, SeenText()).typed.append((position, compute_digest(body)))
    return found


def load_values(entity: Entity, visible_links: Iterable[Any]) -> dict[str, object]:
    """`list_values` of one record, with its long texts."""
    return list_values(entity, visible_links, load_text_digests([entity]).get(entity.pk))


def build_text_version(field: str, texts: Iterable[str]) -> str:
    """What a form says of the paragraphs that it showed of a long text."""
    return ".".join(digest_value(field, compute_digest(text)) for text in texts)


def is_text_unchanged(field: str, shown: str, submitted: str) -> bool:
    """Whether a form came back with the paragraphs that it showed."""
    return build_text_version(field, split_paragraphs(submitted)) == shown
