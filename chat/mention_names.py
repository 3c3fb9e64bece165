"""Names of what questions mention: completions while somebody types `@`, and links below a question, each as far as the
reader may see and read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext

from chat.access import select_dated_sessions, select_sessions
from chat.mentions import CONVERSATION, FILE, FOLDER, RECORD, load_mentions
from entities.access import Scope
from entities.models import Entity
from ingestion.access import select_visible_files
from retrieval.links import build_workspace_url
from retrieval.query import CONTROL
from retrieval.refs import FILE_NAME_IS_READABLE, build_entity_ref
from retrieval.suggest import suggest_names

LONGEST = 60
MOST = 8
MOST_OTHERS = 3
"""Of folders, and of conversations, where there are more."""
MAX_PATHS = 200


@dataclass(frozen=True)
class Named:
    """value: as a form sends it, "file:<id>". kind: the word for it, of a completion."""

    value: str
    name: str
    kind: str
    icon: str
    color: str = ""
    url: str = ""


def suggest_mentions(scope: Scope, typed: str) -> list[Named]:
    """What has `typed` in its name: conversations and folders after records and files."""
    text = " ".join(CONTROL.sub(" ", typed[:LONGEST]).split())
    if not text:
        return []
    found = [
        Named(f"{FILE if one.type == 'file' else RECORD}:{one.id}", one.name, one.kind, one.icon, one.color)
        for one in suggest_names(scope, text, limit=MOST)
        if one.id
    ]
    others = [*_list_folders(scope, text), *_list_conversations(scope, text)]
    return [*found[: MOST - min(len(others), MOST_OTHERS)], *others][:MOST]


def name_links(scope: Scope, stored: Sequence[Sequence[str]]) -> list[Named]:
    """Links to what a question mentions, in its order, without what the caller may not see, or not the name of."""
    mentions = load_mentions(stored)
    if not mentions:
        return []
    keys = {kind: [one.id for one in mentions if one.kind == kind] for kind in (RECORD, FILE, FOLDER, CONVERSATION)}
    records = Entity.objects.readable_by(scope).filter(pk__in=keys[RECORD])
    files = select_visible_files(scope).filter(FILE_NAME_IS_READABLE, pk__in=[*keys[FILE], *keys[FOLDER]])
    found: dict[tuple[str, UUID], Named] = {}
    for record in records:
        ref = build_entity_ref(scope, record)
        found[RECORD, record.pk] = Named(
            f"{RECORD}:{record.pk}", ref.title, ref.type_name, ref.icon, ref.color, ref.url
        )
    for pk, entity, name, path in files.values_list("pk", "entity_id", "name", "path"):
        url = build_workspace_url(scope, "ingestion:reader", pk)
        found[FILE, pk] = Named(f"{FILE}:{pk}", name, "", "file-text", url=url)
        above = build_workspace_url(scope, "entities:detail", entity)
        found[FOLDER, pk] = Named(f"{FOLDER}:{pk}", _name_folder(path), "", "folder", url=above)
    for session in select_sessions(scope).filter(pk__in=keys[CONVERSATION], title__isnull=False):
        url = reverse("chat:session", args=[session.pk])
        found[CONVERSATION, session.pk] = Named(f"{CONVERSATION}:{session.pk}", session.title, "", "messages", url=url)
    return [found[one.kind, one.id] for one in mentions if (one.kind, one.id) in found]


def _list_folders(scope: Scope, text: str) -> list[Named]:
    """Folders by their own name, each once a record, by the first file in it."""
    rows = select_visible_files(scope).filter(
        FILE_NAME_IS_READABLE, path__icontains=text, entity__archived_at__isnull=True
    )
    found: dict[tuple[UUID, str], Named] = {}
    for pk, entity, path in rows.order_by("path", "pk").values_list("pk", "entity_id", "path")[:MAX_PATHS]:
        folder = path.rpartition("/")[0]
        name = _name_folder(path)
        if text.lower() in name.lower():
            found.setdefault((entity, folder), Named(f"{FOLDER}:{pk}", name, gettext("Folder"), "folder"))
    return list(found.values())[:MOST_OTHERS]


def _list_conversations(scope: Scope, text: str) -> list[Named]:
    rows = select_dated_sessions(scope).filter(title__icontains=text, is_archived=False)[:MOST_OTHERS]
    return [Named(f"{CONVERSATION}:{s.pk}", s.title, gettext("Conversation"), "messages") for s in rows]


def _name_folder(path: str) -> str:
    return path.rpartition("/")[0].rpartition("/")[2]
