"""Where a turn looks: what its asker has chosen, how far the tools keep to it, and how the page says it."""

from collections.abc import Collection
from dataclasses import replace
from uuid import UUID

from django.utils.translation import gettext

from chat.attachments import add_attached_to_place
from chat.models import LookIn, Session, Turn
from entities.access import Scope, get_entity_or_404
from entities.actions import list_parent_ids
from entities.language import translate_stored
from entities.models import Entity
from entities.registry import list_child_types, list_entity_types
from ingestion.models import Kind
from references.kinds import Kind as ReferenceKind
from references.models import Reference
from retrieval.query import Within

MAX_RELATED = 50
MENTIONED = "mentioned"
"""The code of the place that a question mentions."""
ATTACHED = "attached"
"""The code of what the asker has attached to the conversation, which others are not told of."""
TYPE, LIST = "type ", "list "
"""What codes of places in a manifest begin with, before the name of a type of records."""


class OutOfBounds(ValueError):
    """The model asks for what lies outside the place that the person has chosen; the sentence is for the model."""


def resolve_place(scope: Scope, session: Session, look_in: str) -> Within | None:
    """The place that was chosen for a turn; None for all that the asker may see."""
    record = session.entity_id
    if record is None or look_in in ("", LookIn.WORKSPACE):
        return None
    if look_in == LookIn.LINKED:
        return Within(entities=(record, *list_related(scope, record)))
    return Within(entities=(record,), kinds=(Kind.FILE_CHUNK, Kind.FILE_SUMMARY) if look_in == LookIn.FILES else ())


def resolve_within(
    scope: Scope,
    session: Session,
    look_in: str,
    where: str,
    entity: UUID | None,
    kind: str,
    mentioned: Within | None = None,
) -> Within:
    """Where a search looks that wishes for `where` ("record", "related", "workspace" or ""), one record or one type.
    mentioned: the place of the question's mentions, which goes before `look_in`. Where it names no record or type, it
    looks in what is attached to the conversation as well. Raises: OutOfBounds.
    """
    limit = mentioned or resolve_place(scope, session, look_in)
    if entity is not None:
        if limit is not None and entity not in limit.entities:
            raise OutOfBounds("The person asking has chosen to look elsewhere only: leave out `entity_id`.")
        return replace(limit or Within(), entities=(entity,))
    if kind:
        return replace(limit or Within(), types=(kind,))
    record = session.entity_id
    if limit is not None:
        place = (
            replace(limit, entities=(record,)) if where == "record" and record and record in limit.entities else limit
        )
    elif record is None or where == "workspace" or (look_in and where != "record"):
        place = Within()
    else:
        place = Within(entities=(record,) if where == "record" else (record, *list_related(scope, record)))
    return add_attached_to_place(scope, session, place)


def list_related(scope: Scope, pk: UUID) -> list[UUID]:
    """Records that hang on one directly, by fields or references, as far as the caller may see them.

    That an answer or a Pulse cited a record relates it to nothing: one wrong answer would lead the next ones there.
    """
    entity = get_entity_or_404(scope, pk)
    ids = set(list_parent_ids(entity))
    for model, field in list_child_types(type(entity)):
        ids |= set(model.objects.visible_to(scope).filter(**{field: pk}).values_list("pk", flat=True)[:MAX_RELATED])
    links = Reference.objects.readable_by(scope).filter_touching(pk).exclude(kind=ReferenceKind.CITATION)
    ids |= {end for link in links[:MAX_RELATED] for end in (link.source_id, link.target_id)}
    seen = Entity.objects.visible_to(scope).filter(pk__in=ids - {pk}).order_by("pk")
    return list(seen.values_list("pk", flat=True)[:MAX_RELATED])


def encode_place(session: Session, place: Within, depth: int = 0) -> str:
    """The place as a manifest holds it: no text of anybody. depth: how many references away from there, too."""
    if session.entity_id in place.entities:
        if depth or len(place.entities) > 1:
            return LookIn.LINKED
        return LookIn.FILES if place.kinds else LookIn.RECORD
    if place.types:
        return f"{TYPE}{place.types[0]}"
    if not place.entities:
        return LookIn.WORKSPACE
    if depth:
        return "one linked"
    return "another" if session.entity_id else "one"


def choose_reading_code(session: Session, look_in: str, named: bool, read: Collection[UUID]) -> str:
    """The place of `read_documents`. named: whether it was asked for a document by its name. read: the records that
    passages came from.
    """
    own = {session.entity_id}
    if session.entity_id and (not named or look_in in (LookIn.RECORD, LookIn.FILES) or (read and own.issuperset(read))):
        return LookIn.FILES if named or look_in == LookIn.FILES else LookIn.RECORD
    return LookIn.LINKED if look_in == LookIn.LINKED else "documents"


def choose_numbered_code(session: Session, look_in: str, read: Collection[UUID]) -> str:
    """The place of `read_documents` by number: that of the records that passages came from, "" where there are none."""
    if not read:
        return ""
    if session.entity_id and {session.entity_id}.issuperset(read):
        return LookIn.FILES if look_in == LookIn.FILES else LookIn.RECORD
    if look_in == LookIn.LINKED:
        return LookIn.LINKED
    return "several" if len(read) > 1 else "another" if session.entity_id else "one"


def name_places(scope: Scope, turn: Turn) -> list[str]:
    """Where a turn has looked, in words, as far as the caller may know."""
    words = {
        LookIn.RECORD: gettext("this record"),
        LookIn.LINKED: gettext("this record and those linked to it"),
        LookIn.FILES: gettext("the files of this record"),
        LookIn.WORKSPACE: gettext("everything that you may see"),
        "another": gettext("another record"),
        "one": gettext("one record"),
        "several": gettext("several records"),
        "one linked": gettext("one record and those linked to it"),
        "documents": gettext("documents"),
        MENTIONED: gettext("what the question mentions"),
    }
    if turn.owner == scope.principal:
        words[ATTACHED] = gettext("files that you attached")
    types = {key: translate_stored(model.plural_title) for key, model in list_entity_types().items()}
    found = []
    for code in turn.manifest.get("looked", ()):
        kind = types.get(code.removeprefix(TYPE).removeprefix(LIST), "")
        if code.startswith(LIST):
            found.append(gettext("the list of %(kind)s") % {"kind": kind})
        elif code.startswith(TYPE):
            found.append(kind)
        elif code in words:
            found.append(words[code])
    return found
