"""The chain over the audit: what the application can do to it, and every kind of tampering by who can do more."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from django.core.management import CommandError, call_command

from entities.access import Scope
from entities.actions import create_workspace
from entities.audit import AuditedQuery, record_action, record_question
from entities.audit.chain import ProblemKind, link_hash, verify_chain
from entities.audit.checkpoints import BadCheckpoint, read_checkpoints
from entities.models import AuditEntry, AuditLink
from tests.conftest import Person, person

Owner = psycopg.Connection


@pytest.fixture
def world(transactional_db: None, owner_connection: Owner) -> Scope:
    """Eight rows, each of a transaction of its own; rows 3 and 6 with words. Checked once: it is whole."""
    service = Scope.for_service(create_workspace(slug="acme", name="Acme").pk)
    for number in range(1, 9):
        with service.open():
            if number % 3 == 0:
                asked = AuditedQuery(f"who earns {number}", {3, 5}, ((uuid4(), uuid4()),), {"types": ["contract"]})
                record_question(service, "search", asked, door="page")
            else:
                record_action(service, "entity.changed", "contract", uuid4(), fields=["value"], number=number)
    assert verified(service) == (8, None)
    return service


def verified(service: Scope, checkpoints: str = "") -> tuple[int, ProblemKind | None]:
    with service.open():
        found = verify_chain(service, read_checkpoints(checkpoints.splitlines()))
    return (found.problem.row, found.problem.kind) if found.problem else (found.rows, None)


def checkpoint() -> str:
    out = io.StringIO()
    call_command("audit_checkpoint", stdout=out)
    return out.getvalue()


def entry_at(owner: Owner, seq: int) -> int:
    row = owner.execute("SELECT entry_id FROM entities_auditlink WHERE seq = %s", [seq]).fetchone()
    assert row
    return int(row[0])


def change(owner: Owner, seq: int) -> None:
    owner.execute("UPDATE entities_auditentry SET actor = 77 WHERE id = %s", [entry_at(owner, seq)])


def backdate(owner: Owner, seq: int) -> None:
    owner.execute(
        "UPDATE entities_auditentry SET at = at - interval '1 microsecond' WHERE id = %s", [entry_at(owner, seq)]
    )


def remove(owner: Owner, seq: int) -> None:
    owner.execute("DELETE FROM entities_auditentry WHERE id = %s", [entry_at(owner, seq)])


def remove_with_link(owner: Owner, seq: int) -> None:
    remove(owner, seq)
    owner.execute("DELETE FROM entities_auditlink WHERE seq = %s", [seq])


def insert_unsealed(owner: Owner, seq: int) -> None:
    with owner.transaction():
        owner.execute("ALTER TABLE entities_auditentry DISABLE TRIGGER digest")
        owner.execute(
            "INSERT INTO entities_auditentry (workspace_id, at, actor, action, object_kind, object_id, detail)"
            " SELECT id, now(), 1, 'entity.changed', '', '', '{}' FROM entities_workspace"
        )
    owner.execute("ALTER TABLE entities_auditentry ENABLE TRIGGER digest")


def insert_with_no_number(owner: Owner, seq: int) -> None:
    """With a link whose place comes before the first, where nobody reads."""
    insert_unsealed(owner, seq)
    with owner.transaction():
        owner.execute("ALTER TABLE entities_auditlink DISABLE TRIGGER seal")
        owner.execute(
            "INSERT INTO entities_auditlink (entry_id, workspace_id, seq, digest, hash, redacted)"
            " SELECT (SELECT max(id) FROM entities_auditentry), workspace_id, %s, digest, hash, false"
            " FROM entities_auditlink WHERE seq = 1",
            [seq],
        )
    owner.execute("ALTER TABLE entities_auditlink ENABLE TRIGGER seal")


def forget_hash(owner: Owner, seq: int) -> None:
    owner.execute("UPDATE entities_auditlink SET hash = NULL WHERE seq = %s", [seq])


def insert_between(owner: Owner, seq: int) -> None:
    """Where `seq` stood, with everything after it one further on, as somebody would who knows no hashes."""
    with owner.transaction():
        owner.execute("UPDATE entities_auditlink SET seq = -seq - 1 WHERE seq >= %s", [seq])
        owner.execute("UPDATE entities_auditlink SET seq = -seq WHERE seq < 0")
        owner.execute(
            "INSERT INTO entities_auditlink (entry_id, workspace_id, seq, digest, hash, redacted)"
            " SELECT 999999, workspace_id, %s, digest, hash, false FROM entities_auditlink WHERE seq = 1",
            [seq],
        )


def swap(owner: Owner, seq: int) -> None:
    with owner.transaction():
        owner.execute("UPDATE entities_auditlink SET seq = -seq WHERE seq IN (%s, %s)", [seq, seq + 1])
        owner.execute("UPDATE entities_auditlink SET seq = 2 * %s + 1 + seq WHERE seq < 0", [seq])


def change_link(owner: Owner, seq: int) -> None:
    """The row and its own digest, so that the two agree."""
    change(owner, seq)
    owner.execute(
        "UPDATE entities_auditlink l SET digest = sha256(convert_to(jsonb_build_array(e.workspace_id, e.id,"
        " (extract(epoch FROM e.at) * 1000000)::bigint, e.actor, e.action, e.object_kind, e.object_id, e.detail)::text,"
        " 'UTF8')) FROM entities_auditentry e WHERE e.id = l.entry_id AND l.seq = %s",
        [seq],
    )


def change_words(owner: Owner, seq: int) -> None:
    owner.execute("UPDATE entities_audittext SET text = 'who earns 9' WHERE entry_id = %s", [entry_at(owner, seq)])


def change_found(owner: Owner, seq: int) -> None:
    owner.execute("UPDATE entities_audittext SET retrieved = '[]' WHERE entry_id = %s", [entry_at(owner, seq)])


def lower_label(owner: Owner, seq: int) -> None:
    owner.execute("UPDATE entities_audittext SET data_classification = 0 WHERE entry_id = %s", [entry_at(owner, seq)])


def remove_words(owner: Owner, seq: int) -> None:
    owner.execute("DELETE FROM entities_audittext WHERE entry_id = %s", [entry_at(owner, seq)])


def put_words(owner: Owner, seq: int) -> None:
    with owner.transaction():
        owner.execute("ALTER TABLE entities_audittext DISABLE TRIGGER label")
        owner.execute(
            "INSERT INTO entities_audittext (entry_id, workspace_id, text, retrieved, within, salt, floor)"
            " SELECT %s, id, 'planted', '[]', '{}', gen_random_uuid(), 1 FROM entities_workspace",
            [entry_at(owner, seq)],
        )
    owner.execute("ALTER TABLE entities_audittext ENABLE TRIGGER label")


TAMPERING: list[tuple[Callable[[Owner, int], None], int, int, ProblemKind]] = [
    (change, 4, 4, ProblemKind.CHANGED),
    (change, 8, 8, ProblemKind.CHANGED),
    (backdate, 1, 1, ProblemKind.CHANGED),
    (change_link, 4, 4, ProblemKind.INSERTED),
    (remove, 4, 4, ProblemKind.REMOVED),
    (remove_with_link, 1, 1, ProblemKind.REMOVED),
    (remove_with_link, 4, 4, ProblemKind.REMOVED),
    (insert_unsealed, 0, 9, ProblemKind.INSERTED),
    (insert_with_no_number, 0, 9, ProblemKind.INSERTED),
    (insert_with_no_number, -5, 9, ProblemKind.INSERTED),
    (forget_hash, 4, 4, ProblemKind.INSERTED),
    (insert_between, 4, 4, ProblemKind.REORDERED),
    (insert_between, 9, 9, ProblemKind.INSERTED),
    (swap, 1, 1, ProblemKind.REORDERED),
    (swap, 7, 7, ProblemKind.REORDERED),
    (change_words, 3, 3, ProblemKind.CHANGED_TEXT),
    (change_found, 6, 6, ProblemKind.CHANGED_TEXT),
    (lower_label, 6, 6, ProblemKind.CHANGED_TEXT),
    (put_words, 4, 4, ProblemKind.CHANGED_TEXT),
    (remove_words, 3, 3, ProblemKind.REMOVED_TEXT),
]


def test_each_kind_of_tampering_is_named_with_its_first_row(
    world: Scope, owner_connection: Owner, superuser_connection: Owner
) -> None:
    """One world for all: what each did is undone from a copy of the tables."""
    tables = ("auditentry", "audittext", "auditlink")
    for table in tables:
        owner_connection.execute(f"CREATE TEMP TABLE kept_{table} AS SELECT * FROM entities_{table}")
    for tamper, seq, row, kind in TAMPERING:
        tamper(owner_connection, seq)
        assert verified(world) == (row, kind), tamper.__name__
        with pytest.raises(CommandError):
            call_command("verify_audit", stderr=(said := io.StringIO()))
        assert said.getvalue().startswith(f"acme: {kind}. "), tamper.__name__
        with superuser_connection.transaction():
            superuser_connection.execute("SET LOCAL session_replication_role = replica")
            for table in tables:
                rows = owner_connection.execute(f"SELECT * FROM kept_{table}").fetchall()
                superuser_connection.execute(f"DELETE FROM entities_{table}")
                names = [c.name for c in owner_connection.execute(f"SELECT * FROM kept_{table}").description or ()]
                with (
                    superuser_connection.cursor() as cursor,
                    cursor.copy(f"COPY entities_{table} ({', '.join(names)}) FROM STDIN") as copy,
                ):
                    for values in rows:
                        copy.write_row([json.dumps(v) if isinstance(v, (dict, list)) else v for v in values])
        assert verified(world) == (8, None), f"undone: {tamper.__name__}"


def test_a_cut_tail_and_a_rewritten_history_show_against_a_checkpoint(
    world: Scope, owner_connection: Owner, tmp_path: Path
) -> None:
    kept = checkpoint()
    file = tmp_path / "audit.jsonl"
    file.write_text(kept)
    call_command("verify_audit", checkpoints=file, stdout=(out := io.StringIO()))
    assert out.getvalue() == "acme: 8 rows as they were written, 0 without their words, 0 removed by retention.\n"
    for seq in (7, 8):
        remove_words(owner_connection, seq)
        remove_with_link(owner_connection, seq)
    assert verified(world) == (6, None), "a shorter chain is a chain"
    assert verified(world, kept) == (7, ProblemKind.CUT_TAIL)
    with pytest.raises(CommandError):
        call_command("verify_audit", checkpoints=file, stderr=(said := io.StringIO()))
    assert "Row 7 is missing: the checkpoint of" in said.getvalue()
    for number in (7, 8):  # the same number of rows as before, all sealed
        with world.open():
            record_action(world, "entity.changed", "contract", uuid4(), number=number)
    assert verified(world) == (8, None)
    assert verified(world, kept) == (8, ProblemKind.REWRITTEN)
    lost = json.dumps({**json.loads(kept), "workspace": 10**6, "slug": "gone"})
    file.write_text(lost)
    with pytest.raises(CommandError):
        call_command("verify_audit", checkpoints=file, stderr=(said := io.StringIO()))
    assert said.getvalue().startswith("gone: cut tail.")


def test_a_checkpoint_is_one_line_of_the_documented_form(world: Scope) -> None:
    line = checkpoint()
    given = json.loads(line)
    with world.open():
        last = AuditLink.objects.get(seq=8)
        assert last.hash is not None
        before = AuditLink.objects.get(seq=7).hash
    assert given == {
        "format": "clearance-audit-1",
        "at": given["at"],
        "workspace": world.workspace,
        "slug": "acme",
        "seq": 8,
        "hash": bytes(last.hash).hex(),
    }
    assert link_hash(bytes(before or b""), 8, bytes(last.digest), None) == bytes(last.hash)
    for wrong in ("nonsense", "{}", json.dumps({**given, "hash": "00"}), json.dumps({**given, "format": "2"}), "[]"):
        with pytest.raises(BadCheckpoint, match="Line 2"):
            read_checkpoints([line, wrong])


def test_the_application_appends_and_nothing_else(world: Scope, app_connection: Owner) -> None:
    """As SQL injection would have it: any setting, any statement of the application's role."""
    app = app_connection
    settings = [("app.workspace", str(world.workspace)), ("app.principal", "0"), ("app.service", "on")]
    statements = [
        f"{verb} entities_{table}{rest}"
        for table in ("auditentry", "audittext", "auditlink")
        for verb, rest in (
            ("UPDATE", " SET workspace_id = workspace_id"),
            ("DELETE FROM", ""),
            ("TRUNCATE", " CASCADE"),
        )
    ] + [
        "INSERT INTO entities_auditlink (entry_id, workspace_id, digest, redacted) VALUES (1, 1, '', false)",
        "ALTER TABLE entities_auditentry DISABLE TRIGGER ALL",
        "SELECT app_audit_door('audit.removed', ARRAY[1::bigint], 'retention')",
        "SET session_replication_role = replica",
        "INSERT INTO entities_auditentry (workspace_id, at, actor, action, object_kind, object_id, detail)"
        f" VALUES ({world.workspace}, now(), 0, 'audit.removed', '', '', '{{\"rows\": [[1, 8]]}}')",
        "INSERT INTO entities_auditentry (id, workspace_id, at, actor, action, object_kind, object_id, detail)"
        f" SELECT max(id) + 50, {world.workspace}, now(), 0, 'entity.changed', '', '', '{{}}' FROM entities_auditentry",
        "INSERT INTO entities_audittext (entry_id, workspace_id, text, retrieved, within, salt, floor)"
        " SELECT entry_id, workspace_id, 'late', '[]', '{}', gen_random_uuid(), 1 FROM entities_auditlink",
        "SELECT app_remove_audit(now() - interval '29 days', 10)",
        "SELECT app_redact_audit(ARRAY[3::bigint], 'words of any kind')",
    ]
    with app.transaction():
        for name, value in settings:
            app.execute("SELECT set_config(%s, %s, true)", [name, value])
        for statement in statements:
            with (
                pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.CheckViolation)),
                app.transaction(),
            ):
                app.execute(statement.encode())
        with app.transaction():
            app.execute(
                "INSERT INTO entities_auditentry (workspace_id, at, actor, action, object_kind, object_id, detail)"
                " VALUES (%s, '1999-01-01', 5, 'entity.changed', '', '', '{}')",
                [world.workspace],
            )
    with world.open():
        assert AuditEntry.objects.latest("pk").at.year > 2000, "the clock is the database's"
    assert verified(world) == (9, None)


def test_nobody_writes_in_another_name_or_reads_without_administering(world: Scope, db: None) -> None:
    from entities.models import Workspace

    acme = Workspace.objects.get()
    # Each of them has a role and a membership, which are in the audit too.
    admin = person(acme, "root", [], ("Admin",))
    viewer = person(acme, "viewer", [])

    def write(who: Person, actor: int) -> None:
        with who.scope.open():
            AuditEntry.objects.create(workspace=acme, actor=actor, action="search")

    for who, actor in ((viewer, admin.user.pk), (viewer, 0), (admin, viewer.user.pk)):
        with pytest.raises(Exception, match="own name"):
            write(who, actor)
    write(viewer, viewer.user.pk)
    for who, seen in ((viewer, 1), (admin, 13)):
        with who.scope.open():
            assert AuditEntry.objects.count() == seen
            assert AuditLink.objects.count() == (seen if seen > 1 else 0)
    assert verified(world) == (13, None)


def test_a_row_of_one_workspace_is_in_no_other_chain(world: Scope) -> None:
    other = Scope.for_service(create_workspace(slug="other", name="Other").pk)
    with other.open():
        record_action(other, "entity.changed")
    assert verified(other) == (1, None)
    assert verified(world) == (8, None)
    assert len(checkpoint().splitlines()) == 2
    call_command("verify_audit", workspace="other", stdout=(out := io.StringIO()))
    assert out.getvalue().startswith("other: 1 rows")
    with pytest.raises(CommandError, match="no workspace"):
        call_command("verify_audit", workspace="nope")
