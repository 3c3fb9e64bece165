"""Labels: who is told of which, how they combine, and how they rise."""

from uuid import uuid4

from django.db import DataError, connection
from django.test.utils import CaptureQueriesContext

from entities.access import (
    ScopeError,
    combine_for_workspace,
    combine_many,
    hold_rows,
    is_readable,
    list_atoms,
    list_missing_atoms,
    load_allowed_labels,
    load_atoms_by_label,
    load_concealed_atoms,
    load_granted_atoms,
    raise_labels,
)
from entities.models import Classification, Source
from ingestion.models import ContextRow, RowParagraph
from pulse.models import Pulse
from tests.oracle.planted_world import Everything
from tests.prove.questions.refusals import refused, undone


def labels_are_told(e: Everything) -> None:
    world = e.world
    for person in world.people:
        with e.planted.scope(person).open():
            held = world.held(person)
            assert load_granted_atoms() == held
            known = load_atoms_by_label()
            assert load_allowed_labels() == {value for value, atoms in known.items() if set(atoms) <= held}
            assert load_concealed_atoms() == world.concealed - held
            for value, atoms in known.items():
                assert list_atoms(value) == atoms
                assert list_missing_atoms(value) == tuple(a for a in atoms if a not in held)
                assert is_readable(value) == (set(atoms) <= held)
            assert not is_readable(None)
            with refused(ValueError):
                list_atoms(None)
            with refused(Classification.DoesNotExist):
                list_atoms(99_999)


def labels_combine(e: Everything) -> None:
    planted = e.planted
    with undone(), planted.service.open():
        ws = planted.workspace.pk
        assert (
            combine_for_workspace(ws),
            combine_for_workspace(ws, 0),
            combine_for_workspace(ws, 3),
            combine_for_workspace(ws, 0, 3, 3),
        ) == (0, 0, 3, 3)
        load_atoms_by_label()
        new = combine_for_workspace(ws, 1, 2, 3)
        assert list_atoms(new) == (1, 2, 3)
        assert combine_for_workspace(ws, combine_for_workspace(ws, 2, 1), 3) == combine_many([3, 2, 1]) == new >= 1000
        with refused(ScopeError):
            combine_for_workspace(ws + 1, 1)
        with refused(DataError):
            combine_for_workspace(ws, 1, 77_777)


def rows_are_locked(e: Everything) -> None:
    """Against changes of their keys as well, where a caller changes labels: nobody refers to them meanwhile."""
    with undone(), e.planted.service.open():
        rows = ContextRow.objects.filter(pk=e.rows["word0 liability"])
        for to_change, lock in ((False, "FOR NO KEY UPDATE"), (True, "FOR UPDATE")):
            with CaptureQueriesContext(connection) as queries:
                hold_rows(rows, to_change=to_change)
            assert queries[0]["sql"].endswith(lock)


def labels_rise(e: Everything) -> None:
    planted = e.planted
    with undone(), planted.service.open():
        passage, other = uuid4(), uuid4()
        rows = [e.rows["word0 liability"], e.rows["word2 liability"], e.rows["word16 liability"]]
        entity = planted.records["record0"]
        for row, of in zip(rows, (passage, passage, other), strict=True):
            Source.objects.create(workspace=planted.workspace, derived=row, entity_id=entity, passage=of)
        withdrawn = Pulse.objects.values_list("pk", flat=True)[0]
        Source.objects.create(workspace=planted.workspace, derived=withdrawn, entity_id=entity, passage=passage)
        Pulse.objects.filter(pk=withdrawn).update(data_classification=None)
        RowParagraph.objects.filter(row__in=rows).delete()
        assert raise_labels({passage: 0}) == 0
        assert raise_labels({passage: 5}) == 1
        assert raise_labels({passage: 5}) == 0
        assert raise_labels({passage: 3}) == 2
        now = dict(ContextRow.objects.filter(pk__in=rows).values_list("pk", "data_classification"))
        both = combine_for_workspace(planted.workspace.pk, 3, 5)
        assert [now[row] for row in rows] == [both, both, 0]
        assert raise_labels({passage: 1, other: 2}) == 3
        now = dict(ContextRow.objects.filter(pk__in=rows).values_list("pk", "data_classification"))
        three = combine_for_workspace(planted.workspace.pk, 1, 3, 5)
        assert [now[row] for row in rows] == [three, three, 2]
        assert Pulse.objects.get(pk=withdrawn).data_classification is None
    with planted.scope(e.world.people[0]).open(), refused(ScopeError):
        raise_labels({uuid4(): 5})
