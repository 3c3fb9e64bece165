"""What the database's catalogue must look like, read from the catalogue itself: `violations` names what does not.

The expected text of a policy is what PostgreSQL makes of today's template (entities/rls.py) on a table with the same
columns, so a policy that was written by hand, or left behind by an older template, shows.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import psycopg
from django.apps import apps
from django.db import models
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from config.roles import APP, OWNER
from entities.exempt import EXEMPT
from entities.fields import LabelField, WorkspaceForeignKey
from entities.rls import (
    AUDIENCE,
    LABELLED,
    SENT,
    UNLABELLED_ABOVE_FLOOR,
    WORKSPACE,
    Protect,
    build_conditions,
    build_policy_sql,
    build_sent_sql,
)
from tests.prove.definers import DEFINERS, OF_THE_OWNER_ONLY
from tests.prove.triggers import triggers

NARROW = (
    f"{WORKSPACE} AND {LABELLED} AND"
    " (audience = 0 OR audience = ANY((SELECT app_audiences())::int[]) OR (SELECT app_service()))"
)
OF_ROLE = "EXISTS (SELECT 1 FROM entities_role r WHERE r.workspace_id = (SELECT app_workspace()) AND r.group_id = {})"
BESIDE_MODELS = {
    # The index tables have no model; their audience is an integer (docs/adr/0003).
    "ingestion_vector": NARROW,
    "ingestion_posting": NARROW,
    "ingestion_word": NARROW,
    # As the messages whose words it holds.
    "chat_posting": f"{WORKSPACE} AND {LABELLED} AND {AUDIENCE}",
    "ingestion_held": f"{WORKSPACE} AND {LABELLED}",
    # Django's own tables have no workspace: a group is seen in the workspace of its role.
    "auth_group": OF_ROLE.format('"auth_group".id'),
    "auth_group_permissions": OF_ROLE.format('"auth_group_permissions".group_id'),
    "entities_user_groups": OF_ROLE.format('"entities_user_groups".group_id'),
}
ADMINISTERS = "((SELECT app_administers()) OR (SELECT app_service()))"
OF_THE_AUDIT = {
    # Rows are for administrators and who wrote them, words for administrators who are cleared for them (docs/audit.md).
    "entities_auditentry": (
        f"{WORKSPACE} AND (actor = (SELECT app_principal()) OR (SELECT app_administers()) OR (SELECT app_service()))",
        WORKSPACE,
    ),
    "entities_audittext": (f"{WORKSPACE} AND ({LABELLED} OR {UNLABELLED_ABOVE_FLOOR}) AND {ADMINISTERS}", WORKSPACE),
    # Only the database's own triggers write it.
    "entities_auditlink": (f"{WORKSPACE} AND {ADMINISTERS}", None),
}
PRIVILEGES = {"SELECT", "INSERT", "UPDATE", "DELETE"}


def violations(database: psycopg.Connection) -> list[str]:
    """Everything in the catalogue that is not as it must be. Leaves nothing behind; `database` may create tables."""
    checks = (tables, policies, roles, rights, functions, links, triggers)
    with database.transaction(force_rollback=True):
        return [found for check in checks for found in check(database)]


def rows(database: psycopg.Connection, query: str, *values: Any) -> list[tuple[Any, ...]]:
    return database.execute(query.encode(), values or None).fetchall()


def tables(database: psycopg.Connection) -> Iterator[str]:
    """Every relation that shows rows is a table under forced row-level security, or exempt for a reason."""
    for name, kind, forced in rows(
        database,
        "SELECT relname, relkind, relrowsecurity AND relforcerowsecurity FROM pg_class"
        " WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')",
    ):
        if kind != "r":
            yield f"{name} is no plain table (relkind {kind}): policies do not bind those who read through it"
        elif not forced and name not in EXEMPT:
            yield f"{name} does not force row-level security"
        elif forced and name in EXEMPT:
            yield f"{name} is listed as exempt and is not"


@cache
def protections() -> dict[str, tuple[str, str | None, bool]]:
    """table -> (USING, WITH CHECK or None where nobody writes, append only), as the template has them for today's
    models.
    """
    found: dict[str, tuple[str, str | None, bool]] = {
        table: (condition, condition, False) for table, condition in BESIDE_MODELS.items()
    }
    for (app, _), migration in MigrationLoader(None).disk_migrations.items():
        for operation in migration.operations:
            if isinstance(operation, Protect):
                model = apps.get_model(app, operation.name)
                found[model._meta.db_table] = (*build_conditions(model), operation.append_only)
    for table, (using, check) in OF_THE_AUDIT.items():
        found[table] = (using, check, True)
    return found


def policies(database: psycopg.Connection) -> Iterator[str]:
    """The policies of a table are the template's, to the letter and no more of them."""
    expected = protections()
    protected = {n for (n,) in rows(database, "SELECT relname FROM pg_class WHERE relrowsecurity AND relkind = 'r'")}
    for name in sorted(protected ^ set(expected)):
        yield f"{name} is protected by no migration" if name in protected else f"{name} should be protected"
    for table in sorted(protected & set(expected)):
        if table not in TEMPLATE:
            TEMPLATE[table] = templated(database, table)
        for policy in sorted(TEMPLATE[table] ^ written(database, table)):
            lacks = "lacks" if policy in TEMPLATE[table] else "has, and the template has not,"
            yield f"{table} {lacks} {' '.join(policy)}"


TEMPLATE: dict[str, set[tuple[str, ...]]] = {}
"""table -> its policies, in PostgreSQL's own words."""


def templated(database: psycopg.Connection, table: str) -> set[tuple[str, ...]]:
    """The policies that the template gives a table with the columns of `table`."""
    using, check, append_only = protections()[table]
    probe = f"{table}_probe"
    with database.transaction(force_rollback=True):
        database.execute(sql.SQL("CREATE TABLE {} (LIKE {})").format(sql.Identifier(probe), sql.Identifier(table)))
        sent = [build_sent_sql(table)] if table in SENT else []
        for statement in (*build_policy_sql(table, using, check or "true", append_only=append_only), *sent):
            written_for = statement.replace(f'"{table}"', f'"{probe}"').replace("CURRENT_USER", OWNER)
            database.execute(written_for.encode())
        if check is None:
            database.execute(sql.SQL("DROP POLICY scope_insert ON {}").format(sql.Identifier(probe)))
        return {tuple(value.replace(probe, table) for value in policy) for policy in written(database, probe)}


def written(database: psycopg.Connection, table: str) -> set[tuple[str, ...]]:
    """(name, kind, roles, command, USING, WITH CHECK) of the policies that a table has."""
    query = "SELECT policyname, permissive, roles, cmd, qual, with_check FROM pg_policies WHERE tablename = %s"
    return {tuple(map(str, policy)) for policy in rows(database, query, table)}


def roles(database: psycopg.Connection) -> Iterator[str]:
    """The application's role has no attribute that lifts it above policies, is in no other role and owns nothing."""
    [attributes] = rows(
        database,
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication FROM pg_roles WHERE rolname = %s",
        APP,
    )
    if any(attributes):
        yield f"{APP} has a dangerous attribute: {attributes}"
    for (held,) in rows(database, "SELECT roleid::regrole FROM pg_auth_members WHERE member = %s::regrole", APP):
        yield f"{APP} is a member of {held}"
    for (settings,) in rows(
        database, "SELECT setconfig FROM pg_db_role_setting WHERE setrole IN (0, %s::regrole)", APP
    ):
        if any(s.startswith(("app.", "row_security", "search_path", "role")) for s in settings):
            yield f"{APP} starts with settings of its own: {settings}"
    for kind, name in rows(
        database,
        "SELECT classid::regclass::text, objid FROM pg_shdepend"
        " WHERE refclassid = 'pg_authid'::regclass AND refobjid = %s::regrole AND deptype = 'o'",
        APP,
    ):
        yield f"{APP} owns something ({kind} {name})"


def rights(database: psycopg.Connection) -> Iterator[str]:
    """It reads and writes rows and uses sequences; nobody else does, and nobody makes or truncates anything. To the
    audit it may only add.
    """
    for name, kind, grantee, privilege in rows(
        database,
        "SELECT relname, relkind, coalesce(nullif(grantee, 0)::regrole::text, 'PUBLIC'), privilege_type"
        " FROM pg_class, aclexplode(relacl) WHERE relnamespace = 'public'::regnamespace AND grantee <> relowner",
    ):
        allowed = {"SELECT", "USAGE"} if kind == "S" else PRIVILEGES
        if name in OF_THE_AUDIT:
            allowed = {"SELECT"} if OF_THE_AUDIT[name][1] is None else {"SELECT", "INSERT"}
        if grantee != APP or privilege not in allowed:
            yield f"{grantee} may {privilege} {name}"
    for name, privilege in rows(
        database,
        "SELECT attrelid::regclass::text, privilege_type FROM pg_attribute, aclexplode(attacl)"
        " WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)",
    ):
        yield f"a column of {name} has rights of its own: {privilege}"
    [(creates, makes_schemas, temporary)] = rows(
        database,
        "SELECT has_schema_privilege(%s, 'public', 'CREATE'), has_database_privilege(%s, current_database(), 'CREATE'),"
        " has_database_privilege(%s, current_database(), 'TEMPORARY')",
        *(APP,) * 3,
    )
    if creates or makes_schemas or temporary:
        yield f"{APP} may create objects"


def functions(database: psycopg.Connection) -> Iterator[str]:
    """Functions that run as their owner are the listed ones, with a fixed search path; none is everybody's."""
    found = set()
    for name, definer, settings, owner, language, public, ours in rows(
        database,
        "SELECT proname, prosecdef, coalesce(proconfig, '{}'), proowner::regrole::text, lanname,"
        " proacl IS NULL OR EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0),"
        " has_function_privilege(%s, p.oid, 'EXECUTE')"
        " FROM pg_proc p JOIN pg_language l ON l.oid = prolang WHERE pronamespace = 'public'::regnamespace"
        " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')",
        APP,
    ):
        if public:
            yield f"PUBLIC may execute {name}"
        if ours and name in OF_THE_OWNER_ONLY:
            yield f"{APP} may execute {name}"
        if owner != OWNER or language not in ("sql", "plpgsql"):
            yield f"{name} is in {language} and belongs to {owner}"
        if definer:
            found.add(name)
            if "search_path=public, pg_temp" not in settings:
                yield f"{name} runs as its owner without a fixed search path"
    for name in sorted(found ^ set(DEFINERS)):
        yield f"{name} runs as its owner and is not listed" if name in found else f"{name} is listed and not there"


def links(database: psycopg.Connection) -> Iterator[str]:
    """Every key from one workspace table to another pairs their workspaces, and every link of a model is such a key."""
    paired, unpaired = set(), set()
    for table, target, columns, targets, checked in rows(
        database,
        "SELECT conrelid::regclass::text, confrelid::regclass::text,"
        " (SELECT array_agg(attname::text ORDER BY n) FROM unnest(conkey) WITH ORDINALITY k(num, n)"
        "  JOIN pg_attribute ON attrelid = conrelid AND attnum = num),"
        " (SELECT array_agg(attname::text ORDER BY n) FROM unnest(confkey) WITH ORDINALITY k(num, n)"
        "  JOIN pg_attribute ON attrelid = confrelid AND attnum = num), convalidated"
        " FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace",
    ):
        if not checked:
            yield f"the key of {table} to {target} was never checked against the rows"
        pairs = set(zip(columns, targets, strict=True))
        of = paired if ("workspace_id", "workspace_id") in pairs else unpaired
        of |= {(table, column, target) for column in columns if column != "workspace_id"}
    open_to_all = set(EXEMPT)
    for table, column, target in sorted(unpaired - paired):
        # The second column of a key that holds a text's label beside its row: the row's own key pairs the workspaces.
        if {table, target} & open_to_all or column == "data_classification":
            continue
        of_role = target == "auth_group" and (table, column, "entities_role") in paired
        if not of_role and (table, target) not in KEYS_OF_DJANGO:
            yield f"{table}.{column} points at {target} across workspaces"
    if ("entities_entityusergrant", "user_id", "entities_membership") not in paired:
        yield "a grant to a person outlives their membership"
    for model in apps.get_models():
        for field in model._meta.local_fields:
            if isinstance(field, LabelField):
                target = "entities_classification"
            elif isinstance(field, WorkspaceForeignKey):
                target = field.related_model._meta.db_table
            elif isinstance(field, models.ForeignKey) and field.name != "workspace":
                if field.related_model._meta.db_table in open_to_all | {"auth_group"}:
                    continue
                target = field.related_model._meta.db_table
            else:
                continue
            link = (model._meta.db_table, field.column, target)
            if link[0] not in open_to_all and link not in paired and link[:2] not in WITHOUT_KEY:
                yield f"{model._meta.db_table}.{field.column} has no key that keeps it in its workspace"


KEYS_OF_DJANGO = {
    # Neither has a workspace column; the policy shows a group where its role is, and both ends are that group.
    ("auth_group_permissions", "auth_group"),
    ("entities_user_groups", "auth_group"),
    # A group has no workspace of its own; it has that of its role, which is unique by group.
    ("entities_role", "auth_group"),
}


WITHOUT_KEY = {
    # They outlive the entry that they are of; a trigger compares the workspaces when they are written.
    ("entities_audittext", "entry_id"),
    ("entities_auditlink", "entry_id"),
}
