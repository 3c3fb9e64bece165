"""The level of text that rests with stewards and its sender alone (docs/adr/0078).

A workspace has it once it chose that. Every role of stewards is cleared for it and no other one: nobody grants it, and
no text is labelled with it but by resting. In an open scope.
"""

from entities.access.scope import get_current_scope
from entities.models import Classification, ClassificationGrant, Role
from entities.models.classification import STEWARDS

LABEL = "Stewards and its sender alone"


def make_stewards_level() -> None:
    """Make it where the workspace has none; the roles of stewards are cleared for it then."""
    _, is_new = Classification.objects.get_or_create(
        workspace_id=get_current_scope().workspace,
        value=STEWARDS,
        defaults={"label": LABEL, "icon": "shield-lock", "color": "slate", "components": [STEWARDS]},
    )
    if is_new:
        for role in Role.objects.filter(is_steward=True):
            follow_stewards_level(role)


def follow_stewards_level(role: Role) -> None:
    """Clear a role for it, or take that away, as it is one of stewards or not. Nothing where there is no such level."""
    level = Classification.objects.filter(value=STEWARDS).first()
    if level is None:
        return
    if role.is_steward:
        ClassificationGrant.objects.get_or_create(workspace_id=role.workspace_id, role=role, classification=level)
    else:
        ClassificationGrant.objects.filter(role=role, classification=level).delete()
