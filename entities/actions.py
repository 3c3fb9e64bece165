"""What can be done to records: the one place for pages, admin and API. Transaction inside, network outside."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Func, Value
from django.utils import timezone

from entities.access import Scope, get_current_scope, grant_entity, is_field_readable
from entities.access.objects import lock_or_404
from entities.audit import record_action
from entities.models import (
    Classification,
    ClassificationGrant,
    Entity,
    FieldParagraph,
    Membership,
    Role,
    User,
    Workspace,
    WorkspaceSettings,
)
from entities.models.classification import (
    CONFIDENTIAL,
    FINANCIAL,
    INTERNAL,
    PII,
    PII_SENSITIVE,
    PUBLIC,
    SECRET,
    STEWARDS,
)
from entities.models.entity import Visibility
from entities.registry import goes_with, list_child_types, list_parent_types
from entities.signals import access_changed, entity_changed, entity_deleted
from entities.stewards_level import follow_stewards_level, make_stewards_level
from entities.text import write_text

SEEDED = [
    (PUBLIC, "Public", "world", "slate", "No sensitive information: anybody may read it."),
    (INTERNAL, "Internal", "building", "blue", "Internal business information: plans, procedures, meeting notes."),
    (CONFIDENTIAL, "Confidential", "lock", "indigo", "Business-confidential: strategy, negotiations, disputes."),
    (PII, "PII", "user", "purple", "A person together with contact or identity data."),
    (
        PII_SENSITIVE,
        "PII-Sensitive",
        "fingerprint",
        "pink",
        "Health, beliefs, biometrics or family matters of a person.",
    ),
    (FINANCIAL, "Financial", "coins", "amber", "Salaries, bank accounts, revenue, prices and deal terms."),
    (SECRET, "Secret", "shield-lock", "red", "Passwords, keys, credentials, and what only a small circle may know."),
]
PULSE_ROLE = "pulse-service"
"""Of no person: what Pulses that everybody shares are written with."""
SEEDED_ROLES = [
    ("Admin", {"is_admin": True}, []),
    ("Steward", {"is_steward": True}, []),
    ("Editor", {}, []),
    (PULSE_ROLE, {}, [INTERNAL, CONFIDENTIAL, FINANCIAL]),
]


RESTING = INTERNAL
"""Who may read text of a new workspace before anybody has judged it."""


def create_workspace(*, slug: str, name: str, resting: int | None = None) -> Workspace:
    """A workspace with the seeded classifications and roles, all of it or none. Needs no scope open: it opens the new
    one's. resting: the label of text that nobody has judged, one of the seeded atoms, Public or `STEWARDS`; `RESTING`
    if None.
    """
    with transaction.atomic():
        workspace = Workspace.objects.create(slug=slug, name=name)
        with Scope.for_service(workspace.pk).open():
            WorkspaceSettings.objects.create(workspace=workspace, resting=RESTING if resting is None else resting)
            Classification.objects.bulk_create(
                Classification(
                    workspace=workspace,
                    value=value,
                    label=label,
                    icon=icon,
                    color=color,
                    description=description,
                    components=[value] if value else [],
                )
                for value, label, icon, color, description in SEEDED
            )
            for role_name, flags, labels in SEEDED_ROLES:
                _make_role(workspace, role_name, labels, **flags)
            if resting == STEWARDS:
                make_stewards_level()
    return workspace


def create_role(workspace: Workspace, name: str, labels: Iterable[int] | None = None, **flags: bool) -> Role:
    """A role with clearances for the given atoms, in the open scope; for the resting level, where none are given."""
    if labels is None:
        resting = load_resting_level()
        labels = [resting.value] if resting else []
    role, held = _make_role(workspace, name, labels, **flags)
    record_action(
        get_current_scope(),
        "role.added",
        "role",
        role.pk,
        labels=held,
        is_admin=role.is_admin,
        is_steward=role.is_steward,
    )
    return role


def load_resting_level() -> Classification | None:
    """For which somebody must be cleared to read text that nobody has judged; None where everybody may, or stewards and
    its sender alone. A new role has it unless its maker declines. In the open scope.
    """
    resting = WorkspaceSettings.objects.values_list("resting", flat=True).first()
    return Classification.objects.filter(value=resting).first() if resting not in (None, PUBLIC, STEWARDS) else None


def _make_role(workspace: Workspace, name: str, labels: Iterable[int], **flags: bool) -> tuple[Role, list[int]]:
    """The role and its clearances. Seeded ones are the same in every workspace: its audit begins after them."""
    role = Role(workspace=workspace, name=name, **flags)
    role.save()
    known = Classification.objects.filter(value__in=list(labels))
    ClassificationGrant.objects.bulk_create(
        ClassificationGrant(workspace=workspace, role=role, classification=classification) for classification in known
    )
    follow_stewards_level(role)
    return role, sorted(atom.value for atom in known)


def add_member(workspace: Workspace, user: User, roles: Iterable[Role] = ()) -> Membership:
    """Make `user` a member with `roles`, beside those that they have, in the open scope."""
    membership, added = Membership.objects.get_or_create(workspace=workspace, user=user)
    held = set(Role.objects.filter(group__user=user).values_list("pk", flat=True))
    wanted = held | {role.pk for role in roles}
    user.groups.add(*Group.objects.filter(role__in=wanted - held))
    if added or wanted != held:
        what = "membership.added" if added else "membership.changed"
        record_action(get_current_scope(), what, "membership", membership.pk, user=user.pk, roles=sorted(wanted))
    return membership


def create_entity(
    *,
    scope: Scope,
    model: type[Entity],
    fields: Mapping[str, Any],
    texts: Mapping[str, str] | None = None,
    public: bool = False,
    **base: Any,
) -> Entity:
    """Create a record; its creator gets all verbs on it. `fields` are the type's columns, already validated.

    `base` may name `source_system`, `source_id` and `visibility`. Fields that the caller is not cleared for are refused
    (ValueError), so a writer cannot plant what they may not read. public: as of `write_text`.
    """
    refuse_hidden(model, fields)
    entity = model(
        workspace_id=scope.workspace,
        created_by=scope.principal,
        updated_by=scope.principal,
        visibility=base.pop("visibility", None) or Visibility(model.access().default),
        **fields,
        **base,
    )
    entity.save(force_insert=True)
    if scope.principal:
        grant_entity(entity, scope.principal)
    for name, text in (texts or {}).items():
        write_text(scope, entity, name, text, public=public)
    record_action(scope, "entity.created", entity.type_name, entity.pk)
    send_entity_changed(scope, entity, [*fields, *(texts or {})], created=True)
    return entity


def change_entity(
    *,
    scope: Scope,
    entity: Entity,
    fields: Mapping[str, Any],
    texts: Mapping[str, str] | None = None,
    replaceable: Mapping[str, Callable[[FieldParagraph], bool]] | None = None,
) -> list[str]:
    """Write the given columns and long texts of a record got with the verb "change". Returns the names that changed.

    replaceable: by long text, which of its paragraphs may be replaced, where not all that the caller sees.
    Raises: Http404 when it was deleted meanwhile.
    """
    model = entity.type_class
    refuse_hidden(model, fields)
    lock_or_404(entity)
    # Texts first: paragraphs are locked before Pulses, as by who relabels one.
    replaced = {
        name: write_text(scope, entity, name, text, (replaceable or {}).get(name))
        for name, text in (texts or {}).items()
    }
    current = model._base_manager.filter(pk=entity.pk).values(*fields).get() if fields else {}
    wanted = {k: (v.pk if isinstance(v, Entity) else v) for k, v in fields.items()}
    changed = [name for name in fields if current[name] != wanted[name]]
    if changed:
        base = {f.name for f in Entity._meta.local_fields}
        own = {name: fields[name] for name in changed if name not in base}
        if own:
            model._base_manager.filter(pk=entity.pk).update(**own)
        Entity._base_manager.filter(pk=entity.pk).update(
            updated_by=scope.principal, **{name: fields[name] for name in changed if name in base}
        )
    shown = any(not model.rag().get_field_label(name) for name in changed)
    for name, gone in replaced.items():
        if gone is not None:
            changed.append(name)
            shown |= PUBLIC in gone
    if shown:
        move_date(entity.pk)
    if changed:
        record_action(scope, "entity.changed", entity.type_name, entity.pk, fields=changed)
        send_entity_changed(scope, entity, changed)
    return changed


def move_date(entity: UUID) -> None:
    """Something that every reader of the record can read has changed.

    The date orders lists and is shown to all of them, so a change of what needs a clearance leaves it alone: it would
    be the history of a field that does not exist for some (design §2.4). The audit has every change.
    """
    Entity._base_manager.filter(pk=entity).update(updated_at=timezone.now())


def announce_access_change(scope: Scope, entity: UUID | None = None) -> None:
    """After a grant, role, membership or visibility changed: what was made from what people could see is made anew."""
    access_changed.send(Entity, workspace=scope.workspace, entity_id=entity)


def archive_entity(*, scope: Scope, entity: Entity, archived: bool = True) -> None:
    Entity._base_manager.filter(pk=entity.pk).update(archived_at=timezone.now() if archived else None)
    record_action(scope, "entity.archived" if archived else "entity.restored", entity.type_name, entity.pk)
    send_entity_changed(scope, entity, ["archived_at"])


def delete_entity(*, scope: Scope, entity: Entity) -> None:
    """Delete a record got with the verb "delete", and everything that hangs on it, hidden rows included.

    Records that belong to it go too, whoever may see them (docs/access.md); each is in the audit.
    Raises: Http404 when it was deleted meanwhile.
    """
    _lock_to_delete([entity, *list_belonging(entity)])
    lock_or_404(entity)
    going = [entity, *list_belonging(entity)]
    above = {row.pk: list_parent_ids(row) for row in going}
    for row in going:
        if row.type_class is not Entity:  # who has attached something is told to nobody
            record_action(scope, "entity.deleted", row.type_name, row.pk)
    entity.type_class._base_manager.filter(pk=entity.pk)._raw_delete("default")  # cascades in the database
    for pk, parents_of in above.items():
        entity_deleted.send(
            Entity, entity_id=pk, workspace=scope.workspace, parents=[p for p in parents_of if p not in above]
        )


def _lock_to_delete(going: Iterable[Entity]) -> None:
    """In the order in which a text that is written holds the records behind it (docs/adr/0063)."""
    pks = [row.pk for row in going]
    list(Entity._base_manager.select_for_update().filter(pk__in=pks).order_by("pk").values_list("pk"))


class AttachedBelow(Func):
    """What holds the attachments of conversations about a record, which only the database knows here."""

    function = "app_attached_below"
    template = "(SELECT %(function)s(%(expressions)s::uuid))"


def list_belonging(entity: Entity) -> list[Entity]:
    """The records that the database deletes with `entity`, at any depth and whoever may see them, what is attached to
    conversations about them included.
    """
    found: dict[UUID, Entity] = {}
    todo = [entity]
    while todo:
        above = todo.pop()
        for model, field in list_child_types(above.type_class):
            if goes_with(model, field):
                rows = model._base_manager.filter(**{field: above.pk}).only("pk", "content_type")
                new = [row for row in rows if row.pk not in found]
                found.update({row.pk: row for row in new})
                todo += new
        attached = Entity._base_manager.filter(pk__in=AttachedBelow(Value(above.pk))).only("pk", "content_type")
        found.update({row.pk: row for row in attached})
    return list(found.values())


def list_parent_ids(entity: Entity, *, owners: bool = False) -> list[UUID]:
    """The records that this one names by hard relations. owners: only those that it is deleted with."""
    model = entity.type_class
    names = [f"{name}_id" for name in list_parent_types(model) if not owners or goes_with(model, name)]
    row = entity.type_class._base_manager.filter(pk=entity.pk).values_list(*names).first() if names else None
    return [pk for pk in row or () if pk]


def refuse_hidden(model: type[Entity], fields: Iterable[str]) -> None:
    hidden = [name for name in fields if not is_field_readable(model, name)]
    if hidden:
        raise ValueError(f"not cleared for {', '.join(hidden)}")


def send_entity_changed(scope: Scope, entity: Entity, fields: Iterable[str], *, created: bool = False) -> None:
    entity_changed.send(
        Entity, entity=entity, workspace=scope.workspace, fields=frozenset(fields), created=created, bulk=False
    )
