"""Row-level security from one template, and the constraints that keep both ends of a link in one workspace.

Every workspace table is protected by a `Protect` operation in the migration that creates it. The operation reads the
model: `data_classification` (NULL allowed or not), `audience`, `WorkspaceForeignKey` and `LabelField` columns.
Design §2.4; the traps it avoids are documented in docs/access.md.
"""

from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation

from entities.fields import LabelField, OwnerField, WorkspaceForeignKey

WORKSPACE = "workspace_id = (SELECT app_workspace())"
LABELLED = "data_classification = ANY((SELECT app_allowed())::int[])"
UNLABELLED = "(data_classification IS NULL AND (SELECT app_unlabelled()))"
UNLABELLED_ABOVE_FLOOR = (
    "(data_classification IS NULL AND (SELECT app_unlabelled()) AND floor = ANY((SELECT app_allowed())::int[]))"
)
REQUESTER = "(requester = (SELECT app_principal()) OR (SELECT app_unlabelled()))"
NOT_BINNED = "(deleted_at IS NULL OR (SELECT app_bin()))"
OF_NO_BINNED_FILE = "(file_id IN (SELECT app_binned_files())) IS NOT TRUE"
OWNED = "(owner = (SELECT app_principal()) OR (SELECT app_service()))"
BY_SERVICE = "(SELECT app_service())"
CHANGED_BY_SERVICE = ("entities_source",)
"""Tables to which anybody adds rows that the service alone changes and deletes, triggers apart."""
SCOPE_POLICIES = ("scope", "scope_select", "scope_insert", "scope_update", "scope_delete")
AUDIENCE = "(audience = ANY((SELECT app_audiences())::bigint[]) OR (SELECT app_service()))"

WHOLE = (
    "(SELECT coalesce(current_setting('app.narrowed', true), '') = ''"
    " AND coalesce(current_setting('app.atoms', true), '') = '')"
)
RESTS_SENT = (
    "NOT judged AND floor = ANY((SELECT app_allowed())::int[]) AND revision_id IN (SELECT app_sent_revisions())"
)
SENT = {
    "ingestion_paragraph": RESTS_SENT,
    "ingestion_contextrow": "id IN (SELECT id FROM app_sent_rows())",
    "ingestion_rowparagraph": "row_id IN (SELECT id FROM app_sent_rows())",
    "ingestion_vector": '"row" IN (SELECT number FROM app_sent_rows())',
    "ingestion_posting": '"row" IN (SELECT number FROM app_sent_rows())',
    "chat_message": (
        f"{AUDIENCE} AND {WHOLE} AND owner = (SELECT app_principal())"
        " AND own_classification = ANY((SELECT app_allowed())::int[])"
    ),
}
"""What a scope reads beside what its labels give it: text that rests, for who sent it (docs/adr/0075)."""

COUNT_BELOW = (
    "CREATE TRIGGER count_below AFTER UPDATE OR DELETE ON {} FOR EACH ROW EXECUTE FUNCTION app_withdraw_moved()"
)


def build_conditions(model: type[models.Model]) -> tuple[str, str]:
    """(USING, WITH CHECK) of the scope policy for `model`.

    A scope writes only labels that it may read, except that a nullable label may enter as NULL: uploads and messages
    are written unlabelled and labelled by the service. Unlabelled text of which a floor is known is a steward's only as
    far as they may read that floor; the service may read every label.
    """
    columns = {f.name: f for f in model._meta.local_fields}
    using, check = [WORKSPACE], [WORKSPACE]
    label = columns.get("data_classification")
    if label is not None and label.null:
        using.append(f"({LABELLED} OR {UNLABELLED_ABOVE_FLOOR if 'floor' in columns else UNLABELLED})")
        check.append(f"({LABELLED} OR data_classification IS NULL)")
    elif label is not None:
        using.append(LABELLED)
        check.append(LABELLED)
    if "audience" in columns:
        using.append(AUDIENCE)
        check.append(AUDIENCE)
    if isinstance(columns.get("owner"), OwnerField):
        check.append(OWNED)
    if "requester" in columns:
        # What somebody asks of stewards is theirs and the stewards'.
        using.append(REQUESTER)
        check.append(REQUESTER)
    if "deleted_at" in columns:
        using.append(NOT_BINNED)
    if label is not None and "file" in columns and _can_be_binned(columns["file"]):
        using.append(OF_NO_BINNED_FILE)
    if "expires_at" in columns:
        using.append("(expires_at IS NULL OR expires_at > now() OR (SELECT app_service()))")
    return " AND ".join(using), " AND ".join(check)


def _can_be_binned(link: models.Field) -> bool:
    """Whether a link leads to rows that can be in the bin."""
    target = link.related_model if isinstance(link, WorkspaceForeignKey) else None
    return target is not None and any(f.name == "deleted_at" for f in target._meta.local_fields)


def build_policy_sql(table: str, using: str, check: str, *, append_only: bool = False) -> list[str]:
    """Statements that force row-level security on `table` with the owner policy and those of a scope."""
    return [
        f'ALTER TABLE "{table}" ENABLE ROW LEVEL SECURITY',
        f'ALTER TABLE "{table}" FORCE ROW LEVEL SECURITY',
        f'CREATE POLICY owner_all ON "{table}" TO CURRENT_USER USING (true) WITH CHECK (true)',
        *build_scope_sql(table, using, check, append_only=append_only),
    ]


def build_scope_sql(table: str, using: str, check: str, *, append_only: bool = False) -> list[str]:
    """Statements that make the policies of a scope. Rows with an owner are read as `using` says, and changed and
    deleted by their owner alone, or by the service.
    """
    changes = OWNED if OWNED in check else BY_SERVICE if table in CHANGED_BY_SERVICE else ""
    if not append_only and not changes:
        return [f'CREATE POLICY scope ON "{table}" USING ({using}) WITH CHECK ({check})']
    statements = [
        f'CREATE POLICY scope_select ON "{table}" FOR SELECT USING ({using})',
        f'CREATE POLICY scope_insert ON "{table}" FOR INSERT WITH CHECK ({check})',
    ]
    if changes:
        statements += [
            f'CREATE POLICY scope_update ON "{table}" FOR UPDATE USING ({using} AND {changes}) WITH CHECK ({check})',
            f'CREATE POLICY scope_delete ON "{table}" FOR DELETE USING ({using} AND {changes})',
        ]
    return statements


def build_sent_sql(table: str) -> str:
    """The statement that makes the policy of `SENT` beside those of a scope: to read, and for nothing else."""
    return f'CREATE POLICY sent ON "{table}" FOR SELECT USING ({WORKSPACE} AND {SENT[table]})'


def link_sql(model: type[models.Model], field: models.Field) -> str:
    """The composite foreign key of one column, deferred to commit as Django's own are."""
    table = model._meta.db_table
    if isinstance(field, LabelField):
        target, column, on_delete = "entities_classification", "value", "NO ACTION"
    else:
        assert isinstance(field, WorkspaceForeignKey)
        related = field.related_model._meta
        target, column = related.db_table, str(related.pk.column)
        on_delete = f"SET NULL ({field.column})" if field.on_db_delete == "SET NULL" else field.on_db_delete
    return (
        f'ALTER TABLE "{table}" ADD CONSTRAINT "{table}_{field.column}_ws" '
        f'FOREIGN KEY (workspace_id, "{field.column}") REFERENCES "{target}" (workspace_id, "{column}") '
        f"ON DELETE {on_delete} DEFERRABLE INITIALLY DEFERRED"
    )


class Protect(Operation):
    """Force row-level security on a model's table and tie its links to its workspace.

    `target=True` adds the unique key (workspace_id, primary key) that other tables' composite keys point at.
    """

    reversible = True

    def __init__(self, name: str, *, target: bool = False, append_only: bool = False) -> None:
        self.name = name
        self.target = target
        self.append_only = append_only

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.name], {"target": self.target, "append_only": self.append_only}

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Policies are not part of the models' state."""

    def statements(self, model: type[models.Model]) -> list[str]:
        meta = model._meta
        using, check = build_conditions(model)
        result = build_policy_sql(meta.db_table, using, check, append_only=self.append_only)
        if self.target:
            result.append(
                f'ALTER TABLE "{meta.db_table}" ADD CONSTRAINT "{meta.db_table}_ws_key" '
                f'UNIQUE (workspace_id, "{meta.pk.column}")'
            )
        for field in meta.local_fields:
            if isinstance(field, (WorkspaceForeignKey, LabelField)):
                result.append(link_sql(model, field))
        return result

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        for statement in self.statements(to_state.apps.get_model(app_label, self.name)):
            schema_editor.execute(statement)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Dropping the table, which follows in reverse order, drops what was added here."""

    def describe(self) -> str:
        return f"Protect {self.name} by row-level security"


class RenewPolicy(Operation):
    """Give a table that is protected already the scope policies that the template has now."""

    reversible = True

    def __init__(self, name: str) -> None:
        self.name = name

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.name], {}

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Policies are not part of the models' state."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        model = to_state.apps.get_model(app_label, self.name)
        using, check = build_conditions(model)
        table = model._meta.db_table
        old = [f'DROP POLICY IF EXISTS {name} ON "{table}"' for name in SCOPE_POLICIES]
        for statement in (*old, *build_scope_sql(table, using, check)):
            schema_editor.execute(statement)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """The older conditions are not kept: they showed more."""

    def describe(self) -> str:
        return f"Renew the row-level security of {self.name}"


class ProtectType(Protect):
    """Protect the table of a concrete entity type (multi-table inheritance).

    The table gets a `workspace_id` of its own, filled from the open scope, so that it stands under the same template as
    every other table, a trigger that deletes the base row with it (or deletion would leave orphans), and one that
    withdraws what counts a row where that hangs on another record now, or is deleted.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.name], {}

    def statements(self, model: type[models.Model]) -> list[str]:
        table = model._meta.db_table
        return [
            f'ALTER TABLE "{table}" ADD COLUMN workspace_id integer NOT NULL DEFAULT app_workspace()',
            f'ALTER TABLE "{table}" ADD CONSTRAINT "{table}_base_ws" FOREIGN KEY (workspace_id, entity_ptr_id) '
            "REFERENCES entities_entity (workspace_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED",
            f'ALTER TABLE "{table}" ADD CONSTRAINT "{table}_ws_key" UNIQUE (workspace_id, entity_ptr_id)',
            f'CREATE TRIGGER delete_base AFTER DELETE ON "{table}" FOR EACH ROW EXECUTE FUNCTION app_delete_base()',
            # Tables that are older than the function get theirs with it (pulse/migrations/0006_counts.py).
            f"DO $$ BEGIN IF to_regproc('app_withdraw_moved') IS NOT NULL THEN {COUNT_BELOW.format(table)};"
            " END IF; END $$",
            *super().statements(model),
        ]
