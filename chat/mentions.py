"""What a question mentions with `@`: records, files, folders and conversations, by their ids.

A mention is where the question looks, never a fetch: what it stands for is asked for anew, as the asker, whenever a
tool looks, and text comes only by the tools' own searches. What is gone or hidden by then is looked in no more: where
nothing is left of it, the tools find nothing.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import BooleanField, F, Func, Q, Value
from django.db.models.functions import Coalesce
from django.http import Http404
from django.utils.translation import gettext

from chat.access import select_sessions
from chat.derivation import SourceLabel
from chat.models import Session, Turn
from chat.readers import EVERYBODY
from entities.access import Scope, load_allowed_labels
from entities.models import Entity, Weight
from ingestion.access import get_file_or_404, select_visible_files
from ingestion.models import File
from retrieval.query import Within
from retrieval.refs import FILE_NAME_IS_READABLE

RECORD, FILE, FOLDER, CONVERSATION = "record", "file", "folder", "conversation"
KINDS = (RECORD, FILE, FOLDER, CONVERSATION)
MAX_MENTIONS = 10
MAX_FILES_OF_FOLDER = 500
MAX_NAME_CHARACTERS = 500
"""Behind an "@" in a text, of what may be a name."""
WRITTEN = re.compile(r"(?<!\S)@(?=\S)")
"""Where a name begins that the composer wrote (static/js/mentions.js)."""


class UnknownMention(ValueError):
    """Something is mentioned that is not there, or hidden from the asker: the two are the same."""

    def __str__(self) -> str:
        return gettext("Something that you mention is not there, or cannot be mentioned here.")


@dataclass(frozen=True)
class Mention:
    """kind: one of KINDS. id: of the thing; of a folder, that of a file which stands in it, so that no path is kept."""

    kind: str
    id: UUID


@dataclass(frozen=True)
class Mentioned:
    """What is there of some mentions for the asker, at this moment. files: with those of folders; owners: their
    records.
    """

    records: tuple[UUID, ...] = ()
    files: tuple[UUID, ...] = ()
    owners: tuple[UUID, ...] = ()

    @property
    def place(self) -> Within | None:
        """Where to look; None where nothing of that is there.

        A search is within records or within files: where both are mentioned, it looks in the records of the files.
        """
        if self.records:
            return Within(entities=tuple(dict.fromkeys((*self.records, *self.owners))))
        return Within(files=self.files) if self.files else None


NONE = Mentioned()
NOWHERE = Within(files=(UUID(int=0),))


def parse_mentions(values: Iterable[str]) -> list[Mention]:
    """From "file:<id>" and the like, each once. Raises: UnknownMention."""
    found = []
    for value in dict.fromkeys(values):
        kind, _, key = value.partition(":")
        try:
            found.append(Mention(kind, UUID(key)))
        except ValueError:
            raise UnknownMention from None
    if len(found) > MAX_MENTIONS or any(mention.kind not in KINDS for mention in found):
        raise UnknownMention
    return found


def check_mentions(scope: Scope, mentions: Sequence[Mention], session: Session) -> None:
    """Raises: UnknownMention unless the asker may see all of it today; of conversations those that have the readers of
    `session`, or more. What is attached to a conversation is not mentioned: it is looked in there anyway.
    """
    found = resolve_mentions(scope, mentions)
    if Entity.objects.filter(pk__in=[*found.records, *found.owners], attached_to__isnull=False).exists():
        raise UnknownMention
    for mention in mentions:
        if not list_mentioned_sessions(scope, [mention], session) and resolve_mentions(scope, [mention]) == NONE:
            raise UnknownMention


def resolve_mentions(scope: Scope, mentions: Sequence[Mention]) -> Mentioned:
    """The records and files that the caller may see of it today."""
    if not mentions:
        return NONE
    keys = {kind: [mention.id for mention in mentions if mention.kind == kind] for kind in KINDS}
    records = Entity.objects.visible_to(scope).filter(pk__in=keys[RECORD]).order_by("pk")
    files = [file for pk in keys[FILE] if (file := _find_file(scope, pk))]
    for pk in keys[FOLDER]:
        files += _list_folder(scope, pk)
    return Mentioned(
        tuple(records.values_list("pk", flat=True)),
        tuple(dict.fromkeys(file.pk for file in files)),
        tuple(dict.fromkeys(file.entity_id for file in files)),
    )


def name_mentions(scope: Scope, mentions: Sequence[Mention]) -> list[SourceLabel]:
    """What the names in a question came from, with their labels. One that its asker may not read is not in it. The name
    of a file rises when its text is judged, that of an attachment with the paragraph that names it, and what repeats
    one follows that.
    """
    keys = {kind: [mention.id for mention in mentions if mention.kind == kind] for kind in KINDS}
    records = Entity.objects.visible_to(scope).filter(pk__in=keys[RECORD]).values_list("pk", "name_classification")
    files = select_visible_files(scope).filter(pk__in=[*keys[FILE], *keys[FOLDER]])
    named = [
        *((pk, label, None) for pk, label in records),
        *files.values_list("entity_id", "name_classification", Coalesce("named_by", "pk")),
    ]
    allowed = load_allowed_labels()
    return [
        SourceLabel(entity, label, (by,) if by else (), Weight.NAME)
        if label in allowed
        else SourceLabel(entity, 0, weight=Weight.NAME)
        for entity, label, by in named
    ]


def find_written_mentions(scope: Scope, text: str, session: Session) -> list[Mention]:
    """Records and files whose names stand behind an "@" in a text, the longest that do, as far as the caller may read
    them: the composer wrote them there, and their ids may be lost by now. What is attached to another conversation than
    `session` is none: it goes with that one.
    """
    found: list[Mention] = []
    for sign in list(WRITTEN.finditer(text))[:MAX_MENTIONS]:
        rest = text[sign.end() : sign.end() + MAX_NAME_CHARACTERS]
        is_written = Func(Value(rest), F("name"), function="starts_with", output_field=BooleanField())
        written = Q(is_written, name__startswith=rest[:1]) & ~Q(name="")
        records = Entity.objects.visible_to(scope).filter(
            written, name_classification__in=load_allowed_labels(), attached_to__isnull=True
        )
        here = Q(entity__attached_to__isnull=True) | Q(entity__attached_to=session.pk)
        files = select_visible_files(scope).filter(written, FILE_NAME_IS_READABLE, here)
        named = [
            (kind, *row) for kind, rows in ((RECORD, records), (FILE, files)) for row in rows.values_list("pk", "name")
        ]
        longest = max((len(name) for _, _, name in named), default=0)
        found += [Mention(kind, pk) for kind, pk, name in named if len(name) == longest]
    return found


def load_mentions(stored: Sequence[Sequence[str]]) -> list[Mention]:
    """As a turn keeps them."""
    return [Mention(kind, UUID(key)) for kind, key in stored]


def find_place(scope: Scope, turn: Turn) -> Within | None:
    """Where a turn looks by its mentions, as its asker may see them now. None where it mentions no place; where nothing
    is left of those that it mentions, it looks nowhere.
    """
    mentions = load_mentions(turn.mentions)
    place = resolve_mentions(scope, mentions).place
    return NOWHERE if place is None and any(one.kind != CONVERSATION for one in mentions) else place


def encode_mentions(mentions: Sequence[Mention]) -> list[list[str]]:
    return [[mention.kind, str(mention.id)] for mention in mentions]


def list_mentioned_sessions(scope: Scope, mentions: Sequence[Mention], session: Session) -> list[Session]:
    """The other conversations that are mentioned in `session`: what was said to fewer readers is not told to more."""
    keys = [mention.id for mention in mentions if mention.kind == CONVERSATION]
    if not keys:
        return []
    rows = select_sessions(scope).filter(pk__in=keys).exclude(pk=session.pk).order_by("pk")
    return list(rows if session.is_private else rows.filter(audience__in=(EVERYBODY, session.audience)))


def _find_file(scope: Scope, pk: UUID) -> File | None:
    try:
        return get_file_or_404(scope, pk)
    except Http404:
        return None


def _list_folder(scope: Scope, pk: UUID) -> list[File]:
    """The files of one record in the folder of this one and below, whose paths the caller may read."""
    readable = select_visible_files(scope).filter(FILE_NAME_IS_READABLE)
    at = readable.filter(pk=pk).values_list("entity_id", "path").first()
    if at is None or "/" not in at[1].strip("/"):
        return []
    folder = f"{at[1].rpartition('/')[0]}/"
    rows = readable.filter(entity=at[0], path__startswith=folder)
    return list(rows.order_by("path", "pk")[:MAX_FILES_OF_FOLDER])
