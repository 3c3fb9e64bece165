"""Text that was drawn from a record goes with the record: its sources go, and afterwards nobody would know."""

from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from chat.models import Message, Session, Summary, Title, Turn
from entities.access import Scope
from entities.actions import delete_entity
from entities.models import Derived, Entity, Source
from entities.types import Contract
from ingestion.models import ContextRow, Kind
from pulse.models import Pulse
from references.models import Reference
from tests.conftest import Person

DERIVED = [model for model in apps.get_models() if issubclass(model, Derived)]


@pytest.mark.parametrize("model", DERIVED, ids=lambda model: model._meta.label)
def test_every_table_of_derived_text_has_a_trigger_on_the_deletion_of_records(
    model: type[Derived], workspace: Any
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT encode(t.tgargs, 'escape'), p.prosrc || coalesce(("  # with the functions that it calls
            " SELECT string_agg(c.prosrc, '') FROM pg_proc c"
            " WHERE starts_with(c.proname, 'app_') AND strpos(p.prosrc, c.proname || '(') > 0), '')"
            " FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
            " WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND (t.tgrelid = 'entities_entity'::regclass"
            " AND t.tgtype & 11 = 11"  # for each row, before, delete
            " OR t.tgrelid = 'chat_message'::regclass AND t.tgname = 'forget_summaries')"  # messages take it along
        )
        triggers = cursor.fetchall()
    table = model._meta.db_table
    assert any(args.split("\\000")[0] == table or f"DELETE FROM {table} " in source for args, source in triggers)


def test_the_list_of_derived_text_is_the_one_that_rows_are_made_of_below() -> None:
    assert set(DERIVED) == {ContextRow, Message, Pulse, Reference, Summary, Title}


@pytest.mark.parametrize("drawn_from", ["settlement", "other"])
def test_derived_rows_go_with_a_record_that_they_were_drawn_from(
    alice: Person, contract: Contract, annex: Entity, template: Entity, service: Scope, drawn_from: str
) -> None:
    at: Any = {"workspace_id": service.workspace}
    mine: Any = {**at, "audience": alice.user.pk}
    with service.open():
        session = Session.objects.create(**mine, entity_id=contract.pk)
        turn = Turn.objects.create(**mine, session=session, number=1, state="done", lease_until=session.created_at)
        answer = Message.objects.create(
            **mine, session=session, turn=turn, role="assistant", content="Settled", data_classification=0
        )
        rows: list[Derived] = [
            answer,
            Title.objects.create(**mine, session=session, text="Settled", data_classification=0),
            Summary.objects.create(
                **mine, session=session, last_turn=1, text="Settled", messages=[answer.pk], data_classification=0
            ),
            Reference.objects.create(
                **at, source_id=contract.pk, target_id=template.pk, kind="BuildsOn", label="x", data_classification=0
            ),
            ContextRow.objects.create(
                **at, kind=Kind.METADATA, entity_id=contract.pk, text="Settled", digest="x", data_classification=0
            ),
        ]
        source = annex if drawn_from == "settlement" else template
        drawn = [row for row in rows if not isinstance(row, Summary)]  # it goes with the answer
        for row in drawn:
            Source.objects.create(**at, derived=row.pk, entity_id=source.pk)
    with alice.scope.open():
        delete_entity(scope=alice.scope, entity=Entity.objects.get(pk=annex.pk))
    with service.open():
        left = [type(row) for row in rows if type(row)._default_manager.filter(pk=row.pk).exists()]
        assert left == ([] if drawn_from == "settlement" else [type(row) for row in rows])
        assert Source.objects.filter(derived__in=[row.pk for row in rows]).count() == (len(drawn) if left else 0)
