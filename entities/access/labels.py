"""Labels: what a scope is cleared for, and how labels combine and rise (design §2.1, §2.2)."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from django.apps import apps
from django.db import connection
from django.db.models import Model, QuerySet

from entities.access.scope import ScopeError, get_current_scope, load_once

if TYPE_CHECKING:
    from entities.models import Classification

M = TypeVar("M", bound=Model)


def load_allowed_labels(scope: object = None) -> frozenset[int]:
    """Every label, compounds included, that the open scope may read."""

    def load() -> frozenset[int]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT app_allowed()")
            return frozenset(cursor.fetchone()[0] or ())

    return load_once("allowed", load)  # type: ignore[no-any-return]


def load_levels() -> "dict[int, Classification]":
    """Every label of the open scope's workspace by its value, compounds included."""

    def load() -> "dict[int, Classification]":
        from entities.models import Classification

        return {level.value: level for level in Classification.objects.all()}

    return load_once("levels", load)  # type: ignore[no-any-return]


def load_atoms_by_label() -> dict[int, tuple[int, ...]]:
    """The atoms of every label of the open scope's workspace; Public is `()`."""
    return load_once(  # type: ignore[no-any-return]
        "atoms", lambda: {value: tuple(level.components) for value, level in load_levels().items()}
    )


def list_atoms(label: int | None) -> tuple[int, ...]:
    """The atoms of one label, ascending. Unlabelled text has none to show: callers never get here with None by
    accident.

    Raises: KeyError for a label that the workspace does not know.
    """
    if label is None:
        raise ValueError("unlabelled text has no atoms")
    known = load_atoms_by_label()
    if label not in known:
        # A compound made since this scope was opened.
        from entities.models import Classification

        known[label] = tuple(Classification.objects.values_list("components", flat=True).get(value=label))
    return known[label]


def load_granted_atoms(scope: object = None) -> frozenset[int]:
    """The atoms that the open scope is cleared for."""
    known = load_atoms_by_label()
    return frozenset(a for label in load_allowed_labels() for a in known.get(label, ()) if len(known[label]) == 1)


def load_atoms_of_people(people: Iterable[int]) -> dict[int, frozenset[int]]:
    """The atoms that each of these users is cleared for in the open scope's workspace, by their id."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT member, app_atoms_of(member) FROM unnest(%s::bigint[]) AS member", [list(people)])
        return {member: frozenset(atoms or ()) for member, atoms in cursor.fetchall()}


def load_concealed_atoms() -> frozenset[int]:
    """The atoms that the open scope is not cleared for and may not hear of either."""
    concealed = load_once("concealed", lambda: frozenset(v for v, level in load_levels().items() if level.conceal))
    return concealed - load_granted_atoms()  # type: ignore[no-any-return]


def list_missing_atoms(label: int) -> tuple[int, ...]:
    """What the open scope lacks to read `label`."""
    held = load_granted_atoms()
    return tuple(a for a in list_atoms(label) if a not in held)


def is_readable(label: int | None) -> bool:
    return label is not None and label in load_allowed_labels()


def combine_many(labels: Iterable[int]) -> int:
    """The label of the union of `labels` in the open scope's workspace; a compound row is made on demand.

    0 is the identity. Raises: django.db.DataError for a label that the workspace does not know.
    """
    values = sorted(set(labels) - {0})
    if not values:
        return 0
    if len(values) == 1:
        return values[0]
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_combine(%s::int[])", [values])
        return int(cursor.fetchone()[0])


def combine_for_workspace(workspace: int, *labels: int) -> int:
    """`combine_many` that says which workspace it means, and refuses another than the open scope's."""
    if get_current_scope().workspace != workspace:
        raise ScopeError("labels are combined in the scope of their own workspace")
    return combine_many(labels)


def hold_rows(rows: QuerySet[M], *, to_change: bool = False) -> QuerySet[M]:
    """Lock `rows` in their order to the end of the transaction, and return the query of them as they are then.
    to_change: also their labels, which are parts of keys, or to delete them.

    What is locked is read by a statement of its own. One that has waited judges the new version of a row by the policy
    as of its own beginning: a row that was raised meanwhile to a label which had not been made then drops out of what
    it returns, and stays locked (docs/access.md).
    """
    list(rows.select_for_update(no_key=not to_change).values_list("pk"))
    return rows.all()


def raise_labels(passages: Mapping[UUID, int]) -> int:
    """Raise all text drawn from `passages` (id -> the passage's new label), in the caller's transaction.

    Runs in a service scope, because text may rise above the label of whoever raises it. Returns the number of raised
    rows. Raises: ScopeError outside a service scope.
    """
    from entities.models import Derived

    if not get_current_scope().is_service:
        raise ScopeError("labels are raised by the service")
    raised = 0
    for label in set(passages.values()) - {0}:
        ids = [passage for passage, new in passages.items() if new == label]
        for model in apps.get_models():
            if issubclass(model, Derived):
                rows = model._default_manager.filter(model.build_derived_from_q(ids), data_classification__isnull=False)
                raised += _raise_rows(rows, label)
                _drop_own_labels(rows)
    return raised


def _drop_own_labels(rows: QuerySet[Any]) -> None:
    """What is its author's own while it rests may repeat what has risen."""
    if any(field.name == "own_classification" for field in rows.model._meta.local_fields):
        rows.filter(own_classification__isnull=False).update(own_classification=None)


def _raise_rows(rows: QuerySet[Any], label: int) -> int:
    """Asked again until nothing is below: a row that somebody else raises at the same time is waited for, and passed
    over by the statement that meant its older label.
    """
    raised = 0
    while True:
        labels = set(rows.values_list("data_classification", flat=True))
        below = {old: new for old in labels if (new := combine_many([old, label])) != old}
        if not below:
            return raised
        for old, new in below.items():
            raised += rows.filter(data_classification=old).update(data_classification=new)
