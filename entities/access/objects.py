"""Object permission: which records a scope may see, which of their columns it may read, and how code gets one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.db.models import BooleanField, Case, CharField, Exists, F, Func, OuterRef, Q, QuerySet, Value, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now
from django.http import Http404

from entities.access.compiled_condition import compile_once
from entities.access.labels import load_concealed_atoms, load_granted_atoms
from entities.access.scope import Scope, load_once
from entities.rag import VERBS, Allow, RedactedField

if TYPE_CHECKING:
    from entities.models import Entity

M = TypeVar("M", bound="Entity")
NAME_IS_READABLE = RawSQL("name_classification = ANY((SELECT app_allowed())::int[])", [], output_field=BooleanField())


def get_entity_content_type(obj: Any) -> ContentType:
    """guardian's content type for a record: the base type for all, or `has_perm` on a subclass says no in silence."""
    from entities.models import Entity

    model: Any = obj if isinstance(obj, type) else type(obj)
    return ContentType.objects.get_for_model(Entity if issubclass(model, Entity) else model)


@dataclass(frozen=True)
class Roles:
    """The roles of a principal in the open scope's workspace: their names, the groups that grants are made to, and
    whether one of them administers the workspace or may relabel.
    """

    names: frozenset[str]
    groups: tuple[int, ...]
    is_admin: bool
    is_steward: bool


def load_roles(principal: int) -> Roles:
    from entities.models import Role

    def load() -> Roles:
        held = Role.objects.filter(pk=-principal) if principal < 0 else Role.objects.filter(group__user=principal)
        found = list(held)
        return Roles(
            frozenset(role.name for role in found),
            tuple(sorted(role.group_id for role in found)),
            any(role.is_admin for role in found),
            any(role.is_steward for role in found),
        )

    return load_once(f"roles {principal}", load)  # type: ignore[no-any-return]


@cache
def get_permission_number(verb: str) -> int:
    """The number by which grants name a verb: a constant of the installation, so that no statement joins for it."""
    from entities.models import Entity

    content_type = get_entity_content_type(Entity)
    return int(Permission.objects.only("pk").get(content_type=content_type, codename=f"{verb}_entity").pk)


def build_visibility_q(scope: Scope, model: type["Entity"], verb: str = "view") -> Q:
    """The condition of object permission on rows of `model` (the base, or a type). Design §2.4.

    A row is visible when it is open to the workspace, or private and the caller's own, or granted to the caller or one
    of their roles, or a rule of its type says so. Other verbs need a grant or a rule, and the row visible. What holds
    somebody's files in a conversation is visible to them alone, where the open scope finds these (`Scope.attachments`).
    """
    if verb not in VERBS:
        raise ValueError(f"unknown verb {verb!r}")
    if scope.is_service:
        return Q()
    condition = _get_visibility_of_principal(scope.principal, model, verb, bool(scope.attachments))
    if scope.narrowed_to:
        condition &= _get_visibility_of_principal(scope.narrowed_to, model, verb)
    return condition


def build_visibility_parts(scope: Scope, model: type["Entity"]) -> list[Q]:
    """`build_visibility_q` as conditions of which each alone can be answered out of an index of its own: a row of which
    one is true is visible.
    """
    if scope.is_service:
        return [Q()]
    parts = _list_grant_conditions(scope.principal, model, "view", bool(scope.attachments))
    if scope.narrowed_to:
        parts = [part & _get_visibility_of_principal(scope.narrowed_to, model, "view") for part in parts]
    return parts


def _get_visibility_of_principal(
    principal: int, model: type["Entity"], verb: str, finds_attachments: bool = False
) -> Q:
    """Looked up once for the open scope, as its roles are: a request asks for it five times and more. Only the work of
    writing it down is remembered for longer.
    """

    def load() -> Q:
        key = (principal, load_roles(principal), model, verb, finds_attachments)
        return compile_once(
            key, list_declared_rules(), lambda: _build_condition(principal, model, verb, finds_attachments)
        )

    return load_once(f"visible as {principal} {model._meta.label} {verb} {finds_attachments}", load)  # type: ignore[no-any-return]


def _build_condition(principal: int, model: type["Entity"], verb: str, finds_attachments: bool) -> Q:
    condition = reduce(or_, _list_grant_conditions(principal, model, verb, finds_attachments))
    return condition if verb == "view" else condition & _get_visibility_of_principal(principal, model, "view")


def _list_grant_conditions(
    principal: int, model: type["Entity"], verb: str, finds_attachments: bool = False
) -> list[Q]:
    """The conditions of which each gives a principal a row, the cheapest first: most records are open to all.
    finds_attachments: as the open scope; other statements do not ask for a column that their indexes do not have.
    """
    from entities.models import EntityRoleGrant, EntityUserGrant
    from entities.models.entity import ATTACHED, Visibility
    from entities.registry import get_content_type_id, list_entity_types

    roles = load_roles(principal)
    unexpired = Q(expires_at__isnull=True) | Q(expires_at__gt=Now())
    granted = Q(unexpired, content_object=OuterRef("pk"), permission=get_permission_number(verb))
    given = [Q(Exists(EntityUserGrant.objects.filter(granted, user=principal)))] if principal > 0 else []
    given.append(Q(Exists(EntityRoleGrant.objects.filter(granted, group__in=roles.groups))))
    for kind in list_entity_types().values():
        if issubclass(kind, model) or issubclass(model, kind):
            for rule in kind.access().rules:
                if rule.verb == verb and roles.names & set(rule.roles):
                    rows = kind._base_manager.filter(rule.rows).values("pk") if rule.rows is not None else None
                    of_type = Q(content_type=get_content_type_id(kind))
                    given.append(of_type & Q(pk__in=rows) if rows is not None else of_type)
    open_to_all = [Q(visibility=Visibility.WORKSPACE)] if verb == "view" else []
    own = [Q(visibility=Visibility.PRIVATE, created_by=principal)] if principal > 0 else []
    if finds_attachments and principal > 0 and verb == "view":
        own.append(Q(IsAttachedHere(F("attached_to")), visibility=ATTACHED, created_by=principal))
    # A private record is its creator's alone, whatever grants and the type's rules say, and attachments have none.
    theirs = (~Q(visibility=Visibility.PRIVATE) | Q(created_by=principal)) & ~Q(visibility=ATTACHED)
    return [*open_to_all, *own, *(way & theirs for way in given)]


class IsAttachedHere(Func):
    """Whether a conversation is one whose attachments the open scope finds."""

    template = "(SELECT app_attachments()) IN ('own', %(expressions)s::text)"
    output_field = BooleanField()


def list_declared_rules() -> tuple[Sequence[Allow], ...]:
    """The rules of every type, each as it was declared."""
    from entities.registry import list_entity_types

    return tuple(kind.access().rules for kind in list_entity_types().values())


def is_field_readable(model: type["Entity"], name: str) -> bool:
    """Whether the open scope is cleared for field `name`. The name's label is per row, so it is decided in the
    query.
    """
    from entities.access.scope import get_current_scope

    return get_current_scope().is_service or model.rag().get_field_label(name) <= load_granted_atoms()


def list_declared_fields(model: type["Entity"]) -> list[str]:
    """The business columns of a type, `name` first, in the order of declaration."""
    own = [f.name for f in model._meta.local_fields if f.name != "entity_ptr"]
    return ["name", *own]


def list_readable_fields(model: type["Entity"]) -> list[str]:
    """The declared columns that exist for the open scope: for output, filters, ordering, grouping and errors alike."""
    return [name for name in list_declared_fields(model) if is_field_readable(model, name)]


def list_redacted_fields(model: type["Entity"]) -> list[RedactedField]:
    """Columns that are hidden and acknowledged, with what they need; columns with a concealed missing atom are left
    out.
    """
    held, concealed = load_granted_atoms(), load_concealed_atoms()
    result = []
    for name in list_declared_fields(model):
        missing = model.rag().get_field_label(name) - held
        if not is_field_readable(model, name) and not missing & concealed:
            result.append(RedactedField(name, tuple(sorted(missing))))
    return result


def select_readable(queryset: QuerySet[M], scope: Scope) -> QuerySet[M]:
    """Leave the columns that the open scope is not cleared for out of the SELECT, and add `title`."""
    hidden = {"name"}
    if queryset.model._meta.get_parent_list():
        hidden |= {name for name in list_declared_fields(queryset.model) if not is_field_readable(queryset.model, name)}
    title = Case(When(NAME_IS_READABLE, then=F("name")), default=Value(None), output_field=CharField(null=True))
    return cast("QuerySet[M]", queryset.defer(*hidden).annotate(title=title))


def get_entity_or_404(
    scope: Scope, pk: UUID | str, verb: str = "view", model: type["Entity"] | None = None
) -> "Entity":
    """The record, of its concrete type, as `scope` may read it.

    Raises: Http404 when it is absent, of another workspace, or `scope` lacks `verb`: one answer for all.
    """
    from entities.models import Entity

    base = (model or Entity).objects.visible_to(scope, verb)
    try:
        return base.only("pk", "content_type").get(pk=pk).specific(scope)
    except (Entity.DoesNotExist, ValidationError, ValueError, TypeError):
        raise Http404("Not found.") from None


def lock_or_404(entity: "Entity") -> None:
    """Hold a record against deletion and other writers until the transaction ends. Raises: Http404 when it is gone."""
    from entities.models import Entity

    if not list(Entity._base_manager.select_for_update(no_key=True).filter(pk=entity.pk).order_by().values_list("pk")):
        raise Http404("Not found.")


def has_permission(scope: Scope, entity: "Entity", verb: str) -> bool:
    from entities.models import Entity

    return Entity.objects.visible_to(scope, verb).filter(pk=entity.pk).exists()


def can_create(scope: Scope, model: type["Entity"]) -> bool:
    """Whether `scope` may add records of a type: anybody to a private type, else roles that may change all of it."""
    if scope.is_service or model.access().default == "private":
        return True
    held = load_roles(scope.principal).names
    return any(rule.verb == "change" and rule.rows is None and held & set(rule.roles) for rule in model.access().rules)


def filter_visible(scope: Scope, entities: QuerySet["Entity"]) -> QuerySet["Entity"]:
    """`entities` cut down to what `scope` may view."""
    return entities.filter(build_visibility_q(scope, entities.model))


def build_sources_visible_q(scope: Scope, column: str = "pk") -> Q:
    """Condition on rows of a `Derived` model: every entity that the row was drawn from is visible to `scope`, and so is
    every one that its numbers include, unless it was deleted for good. Nothing of it stands in a file in the bin.
    """
    key = f"sources visible {scope.principal} {scope.narrowed_to} {scope.attachments} {column}"
    return Q() if scope.is_service else load_once(key, lambda: _build_no_hidden_source_q(scope, column))


def _build_no_hidden_source_q(scope: Scope, column: str) -> Q:
    from entities.models import Source

    sources = Source.objects.filter(derived=OuterRef(column))
    # Conditions of their own, of which a partial index answers the second: few sources list records.
    return reduce(and_, (~Q(Exists(sources.filter(hidden))) for hidden in list_hidden_source_conditions(scope)))


def list_hidden_source_conditions(scope: Scope) -> list[Q]:
    """Conditions on `Source` rows of which one is true where `scope` may not see what was given."""
    from entities.models import Entity

    records = Entity.objects.filter(build_visibility_q(scope, Entity)).values("pk")
    counted = Entity.objects.filter(IsIn(F("pk"), OuterRef("counted"))).exclude(pk__in=records)
    return [
        ~Q(entity__in=records),
        Q(counted__isnull=False) & Q(Exists(counted) | Q(AnyBinned(F("counted")))),
        # A choice and no condition of two parts: among others a plan may ask the dearer one first, of every row.
        Q(Case(When(HAS_BINNED_FILES, passage__isnull=False, then=IsBinned(F("passage"))), default=Value(False))),
    ]


HAS_BINNED_FILES = RawSQL("EXISTS (SELECT FROM app_binned_files())", [], output_field=BooleanField())
"""Asked once a statement, so that nothing is looked up while the bin holds no file."""


class AnyBinned(Func):
    """Whether one of an array of records is in the bin: no policy finds it there."""

    function = "app_any_binned"
    output_field = BooleanField()


class IsBinned(Func):
    """Whether a passage stands in a file that is in the bin."""

    function = "app_is_binned"
    output_field = BooleanField()


class IsIn(Func):
    """Whether a value is among those of an array column."""

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    output_field = BooleanField()
