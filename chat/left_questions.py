"""Questions whose turn ended before they had a label, because the server stopped or the classifier did not answer. They
are labelled later: until then not even who typed them reads them.
"""

from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from chat.labelling import label_question, load_asker_atoms
from chat.log import RecordForgotten
from chat.models import OPEN, Message, Role, Turn
from entities.access import NoWorkspace, Scope, list_workspace_ids
from entities.models import User, Workspace
from ingestion.text_labels import UNJUDGED, label_text

WITHIN = timedelta(days=7)
"""After the end of its turn a question is tried for so long."""
AT_ONCE = 20
"""Questions of one workspace that one run labels at most."""


def label_all_left_questions() -> int:
    """In all workspaces. Returns how many were labelled."""
    return sum(label_left_questions(workspace) for workspace in list_workspace_ids())


def label_left_questions(workspace: int) -> int:
    """In one workspace, with no scope open, until the classifier does not answer. Returns how many were labelled."""
    service, labelled = Scope.for_service(workspace), 0
    with service.open():
        slug = Workspace.objects.values_list("slug", flat=True).get(pk=workspace)
        left = _list_left_questions()
    for turn, asker, text in left:
        found = label_text(workspace, text, UNJUDGED)
        if found is None:
            break
        try:
            scope = Scope.for_user(User(pk=asker), slug)
            with scope.open():
                held = load_asker_atoms(scope)
            with service.open():
                label_question(service, turn, found, held)
        except (NoWorkspace, RecordForgotten):
            continue
        labelled += 1
    return labelled


def _list_left_questions() -> list[tuple[UUID, int, str]]:
    """Turn, asker and text. In any order: one that is never classified stands in the way of no other for long."""
    unlabelled = Message.objects.filter(role=Role.USER, data_classification=None)
    ended = Turn.objects.exclude(state__in=OPEN).filter(ended_at__gt=timezone.now() - WITHIN)
    turns = dict(ended.filter(question__in=unlabelled.values("pk")).values_list("question", "pk"))
    rows = unlabelled.filter(pk__in=turns).order_by("?").values_list("pk", "owner", "content")[:AT_ONCE]
    return [(turns[pk], owner, content) for pk, owner, content in rows]
