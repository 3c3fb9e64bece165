"""What people write to a request for access: the message of who asks, and the reason of a decision (docs/adr/0031)."""

import re
from collections.abc import Iterable
from uuid import UUID

from django.utils.translation import gettext

from entities.access import Scope, combine_many, is_readable
from entities.api.lists import list_atom_chips
from entities.models.classification import FIRST_CUSTOM
from ingestion.errors import BadUpload
from ingestion.models import AccessMessage, AccessRequest
from ingestion.questions import find_atoms_by_rules
from ingestion.work import load_workspace_levels
from llm.classifying import build_custom_level, is_like


def write_message(scope: Scope, request: AccessRequest, text: str) -> None:
    """Above its author it has no label, and shows to stewards who are cleared for what was found; where it was not
    judged, for everything.
    """
    atoms = find_message_atoms(text)
    label = combine_many([level.value for level in load_workspace_levels()] if atoms is None else atoms)
    AccessMessage.objects.create(
        workspace_id=scope.workspace,
        request=request,
        requester=scope.principal,
        text=text,
        data_classification=label if is_readable(label) else None,
        floor=label,
    )


def find_message_atoms(text: str) -> frozenset[int] | None:
    """What rules find in a short text, and the workspace's own classifications that it reads like, their names aside:
    a request names what it asks for. No model is asked: it may be sent to nobody. None: not
    judged.
    """
    found = find_atoms_by_rules(text)
    if found is None:
        return None
    own = [
        build_custom_level(c.value, c.label, c.description) for c in load_workspace_levels() if c.value >= FIRST_CUSTOM
    ]
    names = "|".join(sorted((re.escape(level.label) for level in own), key=len, reverse=True))
    bare = re.sub(rf"(?<!\w)(?:{names})(?!\w)" if names else r"(?!)", " ", text, flags=re.IGNORECASE)
    return found | {level.value for level in own if is_like(bare, level)}


def check_reason(reason: str) -> None:
    """It has no label of its own, and goes to whoever asked and to all stewards, whatever they are cleared for then."""
    needed = find_message_atoms(reason)
    if needed is None:
        raise BadUpload(gettext("This reason could not be checked. Write it shorter."), "reason_not_judged")
    if needed:
        names = ", ".join(chip.label for chip in list_atom_chips(needed))
        sentence = gettext(
            "The person who asked and all stewards read this reason. Leave out anything that needs %(names)s."
        ) % {"names": names}
        raise BadUpload(sentence, "reason_needs_clearance")


def load_messages(requests: Iterable[AccessRequest]) -> dict[UUID, AccessMessage]:
    """By request, those that the caller may read."""
    return {m.request_id: m for m in AccessMessage.objects.filter(request__in=[r.pk for r in requests])}
